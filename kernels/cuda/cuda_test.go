package cuda

import (
	"errors"
	"os"
	"testing"

	"ooc/kernels"
	"ooc/kernels/conformance"
)

// needGPU skips where there is no GPU; OOC_REQUIRE_GPU makes that a failure.
func needGPU(t testing.TB) {
	t.Helper()
	_, err := Count()
	if err == nil {
		return
	}
	if !errors.Is(err, ErrNoDevice) || os.Getenv("OOC_REQUIRE_GPU") == "1" {
		t.Fatal(err)
	}
	t.Skip(err)
}

func TestVectors(t *testing.T) {
	needGPU(t)
	conformance.Vectors(t, func(memory int64) (kernels.Device, error) { return Open(Options{Memory: memory}) })
}

func TestBaselines(t *testing.T) {
	needGPU(t)
	conformance.Baselines(t, func(memory int64) (kernels.Device, error) { return Open(Options{Memory: memory}) })
}

func TestConformance(t *testing.T) {
	needGPU(t)
	conformance.Run(t, func(memory int64) (kernels.Device, error) { return Open(Options{Memory: memory}) })
}

func TestPairs(t *testing.T) {
	needGPU(t)
	conformance.Pairs(t, func(memory int64) (kernels.Device, error) { return Open(Options{Memory: memory}) })
}
