package cuda

import (
	"testing"

	"ooc/kernels"
	"ooc/kernels/conformance"
)

func TestLevels(t *testing.T) {
	needGPU(t)
	conformance.Levels(t, func(memory int64) (kernels.Device, error) { return Open(Options{Memory: memory}) })
}

// TestLevelsFake runs the suite where the kernels are stand-ins in plain Go.
func TestLevelsFake(t *testing.T) {
	f := newFake()
	t.Run("suite", func(t *testing.T) {
		conformance.Levels(t, func(memory int64) (kernels.Device, error) { return open(f, Options{Memory: memory}) })
	})
	if left := f.leaks(); left != "" {
		t.Errorf("still alive after Close: %s", left)
	}
}
