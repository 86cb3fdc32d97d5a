// Package stats gathers statistics of a solved store in one pass over its matrix: Of makes a Result, which writes itself
// as text, CSV and JSON. Nearest asks for the vertices near one.
//
// Each statistic is a file and a line in the table of table.go, which docs/add-a-statistic.md tells how to add. The pass
// hands parts of tiles to takers, several bands of rows at a time; no result depends on how many.
package stats
