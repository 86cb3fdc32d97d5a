package sssp

// naive has one thread for each vertex, which goes through all arcs into it.
var naive = inForm("naive", "one thread a vertex", false, func(*problem) []int { return []int{1} })
