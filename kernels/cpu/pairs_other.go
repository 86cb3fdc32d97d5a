//go:build !amd64

package cpu

// pairPaths holds the same paths as paths, by name.
var pairPaths = map[string]*pairPath{"portable": portablePairs}
