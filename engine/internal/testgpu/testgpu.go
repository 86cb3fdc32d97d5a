// Package testgpu opens the GPU for tests, where there is one.
package testgpu

import (
	"errors"
	"os"
	"testing"

	"ooc/kernels"
	"ooc/kernels/cuda"
)

// Open opens the first GPU, on so much of its memory, until the test ends; 0: most of what is free. It returns nil
// where there is none, which OOC_REQUIRE_GPU=1 makes a failure.
func Open(t testing.TB, memory int64) kernels.Device {
	t.Helper()
	d, err := cuda.Open(cuda.Options{Memory: memory})
	if errors.Is(err, cuda.ErrNoDevice) && os.Getenv("OOC_REQUIRE_GPU") != "1" {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
