//go:build !amd64

package cpu

// paths are those of this architecture, best first.
var paths = []*path{portable}
