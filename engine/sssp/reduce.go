package sssp

// reduce has a group of threads for each vertex. They share the arcs into it, and then reduce their minima, each with
// its predecessor, to one. Arcs are read where they lie in the input: in a matrix, the arcs into a vertex are a
// column.
var reduce = inForm("reduce", "a group of threads reduces each vertex", false, (*problem).groupChoices)
