// Package read parses files and streams into graphs.
//
// Formats lists what it knows, a file of this package each: docs/add-a-reader.md shows how to add one. A
// reader gets the input's lines, decompressed, and hands vertices and arcs to a sink; what most lines are like
// it reads many at a time, on more than one processor (lines.Bulk), and the others one by one.
package read
