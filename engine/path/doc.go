// Package path finds shortest paths in a solved store: a Walker goes back from the target along tight arcs, or along
// the predecessors or the factors that the store keeps. Search is a search of the graph itself that measures its paths,
// by which others judge distances.
package path
