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

func TestConformance(t *testing.T) { onGPU(t, conformance.Run) }
func TestLarge(t *testing.T)       { onGPU(t, conformance.Large) }
func TestTileOps(t *testing.T)     { onGPU(t, conformance.TileOps) }
func TestVectorOps(t *testing.T)   { onGPU(t, conformance.VectorOps) }
func TestLaneOps(t *testing.T)     { onGPU(t, conformance.LaneOps) }

func onGPU(t *testing.T, suite func(*testing.T, conformance.Open)) {
	needGPU(t)
	suite(t, func(memory int64) (kernels.Device, error) { return Open(Options{Memory: memory}) })
}
