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
func TestTileOps(t *testing.T)     { onGPU(t, conformance.Group[kernels.TileOps]) }
func TestVectorOps(t *testing.T)   { onGPU(t, conformance.Group[kernels.VectorOps]) }
func TestLaneOps(t *testing.T)     { onGPU(t, conformance.Group[kernels.LaneOps]) }
func TestLaneStats(t *testing.T)   { onGPU(t, conformance.Group[kernels.LaneStats]) }
func TestBitOps(t *testing.T)      { onGPU(t, conformance.Group[kernels.BitOps]) }
func TestSearchOps(t *testing.T)   { onGPU(t, conformance.Group[kernels.SearchOps]) }
func TestPathOps(t *testing.T)     { onGPU(t, conformance.Group[kernels.PathOps]) }

// TestPeerOps copies within a GPU, and between two where there are.
func TestPeerOps(t *testing.T) {
	needGPU(t)
	n, err := Count()
	if err != nil {
		t.Fatal(err)
	}
	for i := range min(n, 2) {
		conformance.PeerOps(t, func(memory int64) (kernels.Device, error) { return Open(Options{Memory: memory}) },
			func(memory int64) (kernels.Device, error) { return Open(Options{Memory: memory, Ordinal: i}) })
	}
}

func onGPU(t *testing.T, suite func(*testing.T, func(int64) (kernels.Device, error))) {
	needGPU(t)
	suite(t, func(memory int64) (kernels.Device, error) { return Open(Options{Memory: memory}) })
}
