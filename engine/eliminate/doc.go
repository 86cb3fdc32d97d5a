// Package eliminate owns the algorithm for sparse graphs: it eliminates vertices, closes the core that is left, and
// expands the core's distances to rows of distances for all vertices. The mathematics is in package sparse; this
// package plans it, picks the device for each stage, writes the rows to the store, and resumes.
//
// # Units and invariants
//
// Progress is counted in rows of distances. Rows are written once, in any order, and do not depend on one another; the
// state counts those that are done from the first on without a gap. The same graph and the same number of eliminated
// vertices give the same elimination, so a run that resumes computes it again instead of storing it. A large core is
// solved in a store inside the store, which has restore points of its own.
package eliminate
