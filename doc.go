// Package ooc is the root of a library and a command that solve all-pairs shortest paths on graphs whose
// n×n distance matrix is larger than the memory of the device that computes it.
//
//	cmd/ooc   the command: one file a subcommand, terminal and JSON output
//	engine    plans and runs solves: rounds, look-ahead, resume, verification, export
//	  graph   graphs in memory, their readers and generators, reference searches
//	  batch   many solves from a queue on disk
//	  sparse  elimination of sparse graphs: order, core, expansion to rows of distances
//	stream    overlap: slots, lanes, stages, back-pressure, statistics; knows no algorithm
//	tiles     data on disk: the store, the tile file, state, checkpoints, checksums, locks
//	kernels   the Device interface, kernels/cpu, kernels/cuda, one conformance suite for every device
//
// Imports point one way: cmd → engine → stream → kernels, and engine → tiles. Data flows one way too:
// graph file → store → (tiles → host cache → slot → device and back), round by round → answers.
// Start with the example of package engine; docs/ has the design, the file format and the promises.
package ooc
