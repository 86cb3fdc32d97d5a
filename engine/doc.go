// Package engine plans and runs solves: all-pairs shortest paths by blocked Floyd–Warshall in rounds over
// a store on disk, resumed from where an earlier run ended, and the answers read from what was solved.
//
// A Problem is one store. Create makes it from a graph, Open reopens it, Solve brings it to its end from
// wherever it is; Distance, Row, Col, Export and Verify ask it. In the package, data flows one way:
//
//	graph → problem → plan → schedule (which tile where, in program order) → executor (its memory) →
//	stream.Pipeline (overlap) → kernels.Device, and back into tiles.Store
//
// # Units and invariants
//
// Rows are numbered from 0 in the order of graph.IDs; distances are in the input's units, +Inf where there
// is no path; times are seconds, sizes bytes. Progress is counted in pivot vertices; elimination counts rows,
// squaring rows of tiles. Every value that is ever written to the matrix is the length of a walk, so an upper
// bound: a matrix of which every entry has finished r pivot vertices, whatever more some entries have, solves to
// the same distances from r on. That is all that resuming rests on; docs/promises.md draws the conclusions.
package engine
