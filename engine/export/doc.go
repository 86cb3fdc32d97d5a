// Package export writes the distances of a solved store, or chosen rows and columns of them, in the formats of the
// table Formats: File to a file that appears once it is whole, Write to a stream. Predecessors are written as well,
// found from the distances where the store does not keep them.
//
// A format is a file and a line in the table: docs/add-an-exporter.md.
package export
