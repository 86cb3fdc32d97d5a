package cpu

import (
	"testing"

	"ooc/kernels"
	"ooc/kernels/conformance"
)

func TestBaselines(t *testing.T) {
	eachPath(t, func(t *testing.T, path string) {
		conformance.Baselines(t, func(memory int64) (kernels.Device, error) {
			return Open(Options{Memory: memory, Threads: 3, Path: path})
		})
	})
}
