// Package stats computes statistics of a solved store in one pass over its matrix: Of makes a Result, which writes
// itself as text, CSV and JSON. Nearest finds the vertices near one vertex.
//
// Each statistic is a file, and a line in the table of table.go; docs/add-a-statistic.md shows how to add one. The pass
// hands parts of tiles to takers, several bands of rows at a time. No result depends on how many.
package stats
