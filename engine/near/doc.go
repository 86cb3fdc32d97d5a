// Package near finds the pairs of vertices that are near each other: all within a distance, or the nearest of each
// vertex, and writes them to a file as a sparse matrix. It takes the memory of the graph and of a batch of rows,
// whatever n is.
//
//   - Searcher holds a graph as searches want it; each of its Workers finds one row after another.
//   - File runs searches on all processors. What they find goes into a spool beside the file, from which the same call
//
// goes on
//
//	after an interruption, and at last into the file, in a format of the table Formats.
//
// Distances here are in stored units, and rows and columns those of the graph, unless it says otherwise.
package near
