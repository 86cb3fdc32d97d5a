//go:build !amd64

package cpu

// sweepPaths holds the same paths as paths, by name.
var sweepPaths = map[string]*sweepPath{"portable": portableSweeps}
