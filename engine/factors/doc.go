// Package factors keeps what answers any question about the distances of a sparse graph without their matrix: the
// arcs that elimination leaves, and the closed matrix of its core (package sparse).
package factors
