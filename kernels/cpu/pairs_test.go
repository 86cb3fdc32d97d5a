package cpu

import (
	"testing"

	"ooc/kernels"
	"ooc/kernels/conformance"
)

func TestPairs(t *testing.T) {
	eachPath(t, func(t *testing.T, path string) {
		conformance.Pairs(t, func(memory int64) (kernels.Device, error) {
			return Open(Options{Memory: memory, Path: path, Threads: 2})
		})
	})
}
