// Package ooc is the root of a library and a command that solve all-pairs shortest paths on graphs whose
// n×n distance matrix is larger than the memory of the device that computes it.
//
//	cmd/ooc      the command: a file for each subcommand, terminal and JSON output
//	engine       Problem: creates, opens, solves and queries a store; the table of algorithms
//	  stats      statistics of a solved store in one pass; statsplot draws their histograms
//	  export     its distances, or predecessors, in files
//	  prove      proofs that its distances are right: samples, full proofs, checksums
//	  path       shortest paths in it
//	  eliminate  the algorithm for sparse graphs: elimination, core, expansion
//	  factors    what answers questions about a sparse graph without its matrix
//	  rounds     the algorithms over tiles: blocked, squaring, single-stage
//	  task       what an algorithm is given of a solve
//	  plan       limits, measured rates, plans, and the choice between algorithms
//	  live       status, progress and control of a running solve
//	  sparse     the mathematics of elimination: where it stops, arcs up and down, expansion;
//	             in it ordering (which vertex when)
//	  device     one device for several solves, predecessors on it, free memory;
//	             in it registry (opens devices by name)
//	  batch      many solves from a queue on disk
//	  parts      the rows of a matrix divided among stores, and these put together
//	  near       pairs of vertices that are near each other, as a sparse matrix
//	  sssp, mst  shortest paths from chosen sources; minimum spanning trees
//	  feed       streams the arcs of a graph through a device, pass after pass
//	  tables     the comparisons of the literature, measured
//	  graph      graphs in memory; in it read (files), gen, dense (matrices
//	             that stay in their files) and packed (compression)
//	  idfile     the ids of rows and columns, in a file
//	  newfile    the files that commands write: complete or not at all
//	  text       numbers, ids and lines as text
//	stream       overlap: slots, lanes, stages, back-pressure, timing; knows no algorithm
//	tiles        data on disk: the store, the tile file, state, checkpoints, checksums; in it lock (of a folder),
//	             disk (opening files, reserving room) and csr (the graph)
//	kernels      the Device interface, kernels/cpu, kernels/cuda, kernels/opencl,
//	             one conformance suite for every device
//
// Imports never point up: cmd → stats, export, prove, path → engine → eliminate → rounds → task → plan → device →
// kernels, rounds → stream → kernels, and engine → tiles. docs/design.md has the whole graph.
//
// Data flows from a graph file to a store; from there, round by round, through host cache and device slots and back;
// and from the solved store to answers. Start with the example of package engine.
package ooc
