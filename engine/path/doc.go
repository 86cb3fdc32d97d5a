// Package path finds shortest paths. In a solved store New goes back from the target along tight arcs, or along
// the predecessors or the factors that the store keeps; Gonum answers in gonum's shapes. In a graph that has no store
// a Finder searches from both ends.
package path
