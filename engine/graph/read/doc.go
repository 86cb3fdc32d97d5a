// Package read parses files and streams into graphs.
//
// Formats lists what it knows, a file of this package each: docs/add-a-reader.md shows how to add one. A
// reader gets the input's lines, decompressed, and hands vertices and arcs to a sink.
//
// A table is read in four steps, whatever it holds: its first half mebibyte shows how it is written (table), its first
// lines what its columns are (edgeReader, square), each line is cut into cells, and the cells are ids and numbers. What
// only the last line can tell, such as whether a first line of words was a header, is settled at the end.
package read
