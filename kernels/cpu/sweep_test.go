package cpu

import (
	"testing"

	"ooc/kernels/conformance"
)

func TestSweeps(t *testing.T) {
	eachPath(t, func(t *testing.T, path string) {
		conformance.Sweeps(t, newRig(t, Options{Path: path, Threads: 1}).device)
	})
}
