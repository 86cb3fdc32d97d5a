//go:build !amd64

package cpu

var paths = []*path{portable}
