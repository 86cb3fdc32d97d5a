// Package engine owns Problem: one all-pairs problem in a store on disk. Create makes a store from a graph, Open
// reopens one, Solve solves it or resumes where an earlier run ended, and Distance, Row and Col read the result.
// Packages stats, export, prove and path answer further questions about a Problem; this package does not import them.
//
// # Data flow
//
//	graph → Create → tiles.Store
//	Solve: plan.Basis.ChooseOn picks an algorithm from the table in algorithms.go → task.Task → its Run
//	  package rounds:    schedule (where each tile is, in which order) → executor (its memory) →
//	                     stream.Pipeline (overlap) → kernels.Device, and back to tiles.Store
//	  package eliminate: elimination → core, closed in memory or in rounds → rows of distances → tiles.Store
//	tiles.Store → Distance, Row, Col
//
// # Units and invariants
//
// Rows are numbered from 0 in the order of graph.IDs. Distances are in the input's units, +Inf where there is no path.
// Times are seconds, sizes bytes. Progress is stored in pivot vertices; elimination stores rows.
//
// Every value that is ever written to the matrix is the length of a walk, so it is an upper bound of the distance. If
// every entry has finished the first r pivot vertices, continuing after r gives the right distances, however much
// further some entries are. Resuming rests on this alone; docs/promises.md draws the conclusions.
package engine
