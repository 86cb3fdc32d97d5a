package sssp

// coarse is reduce over the transposed matrix, so that a group reads neighbouring entries. In compressed rows the
// arcs into a vertex are neighbours anyway, so there coarse and reduce are the same.
var coarse = inForm("coarse", "the same over the transposed matrix, so that a group reads neighbours", true,
	(*problem).groupChoices)
