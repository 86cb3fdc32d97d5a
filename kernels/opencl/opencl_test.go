package opencl

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"testing"

	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/tiles/crashtest"
)

// testedDevice is the device that tests open: the one whose index is in OOC_OPENCL, or the first that CUDA has not.
// Where there is none they are skipped; OOC_REQUIRE_OPENCL=1 makes that a failure.
func testedDevice(t testing.TB) int {
	t.Helper()
	all, err := List()
	if err != nil && !errors.Is(err, ErrNoDevice) {
		t.Fatal(err)
	}
	index := slices.IndexFunc(all, func(f Found) bool { return !f.NVIDIA() })
	if name := os.Getenv("OOC_OPENCL"); name != "" {
		if index, err = strconv.Atoi(name); err != nil {
			t.Fatal(err)
		}
	}
	if index < 0 && os.Getenv("OOC_REQUIRE_OPENCL") == "1" {
		t.Fatalf("no OpenCL device to test: %v", err)
	} else if index < 0 {
		t.Skipf("no OpenCL device to test: %v", err)
	}
	return index
}

func TestConformance(t *testing.T) { onDevice(t, conformance.Run, Options{}) }
func TestLarge(t *testing.T)       { onDevice(t, conformance.Large, Options{}) }
func TestTileOps(t *testing.T)     { onDevice(t, conformance.Group[kernels.TileOps], Options{}) }
func TestLaneOps(t *testing.T)     { onDevice(t, conformance.Group[kernels.LaneOps], Options{}) }

// TestPieces has buffers of many pieces, so that tiles lie across two.
func TestPieces(t *testing.T) {
	onDevice(t, conformance.Run, Options{piece: 70 << 10})
	onDevice(t, conformance.Group[kernels.TileOps], Options{piece: 170 << 10})
	if os.Getenv("OOC_CAMPAIGN") != "" { // compiling them takes seconds
		onDevice(t, conformance.Group[kernels.LaneOps], Options{piece: 384 << 10})
	}
}

// TestGPUKernels has a processor run the kernels of GPUs, in each of their shapes. Compiling them takes a minute, so
// it is done in campaigns.
func TestGPUKernels(t *testing.T) {
	if os.Getenv("OOC_CAMPAIGN") == "" {
		t.Skip("runs with OOC_CAMPAIGN=short")
	}
	large := gpus[0]
	large.block = 128
	for name, o := range map[string]Options{"any": {asGPU: "any"}, "NVIDIA": {asGPU: "NVIDIA"},
		"large blocks": {asGPU: "any", tunables: &large}} {
		t.Run(name, func(t *testing.T) {
			onDevice(t, conformance.Run, o)
			if o.tunables == nil {
				onDevice(t, conformance.Group[kernels.TileOps], o)
				onDevice(t, conformance.Group[kernels.LaneOps], o)
			}
		})
		if !crashtest.Long() { // a short campaign tries one, another in each run
			return
		}
	}
}

func onDevice(t *testing.T, suite func(*testing.T, func(int64) (kernels.Device, error)), o Options) {
	o.Index = testedDevice(t)
	suite(t, func(memory int64) (kernels.Device, error) {
		o.Memory = memory
		return Open(o)
	})
}

// TestOffered wants a device without numbers of 64 bits to have all but the operations that need them.
func TestOffered(t *testing.T) {
	for _, doubles := range []bool{false, true} {
		d := (&device{found: Found{doubles: doubles}}).Offered()
		_, lanes := kernels.As[kernels.LaneOps](d)
		_, tiles := kernels.As[kernels.TileOps](d)
		_, named := d.(interface{ Driver() string })
		if lanes != doubles || !tiles || !named {
			t.Errorf("doubles %t: lanes %t, tiles %t, a driver's name %t", doubles, lanes, tiles, named)
		}
	}
}

// TestList wants every device to be told from others.
func TestList(t *testing.T) {
	testedDevice(t)
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range all {
		t.Logf("%d: %+v", i, f)
		if f.Name == "" || f.Platform == "" {
			t.Errorf("device %d: name %q, platform %q", i, f.Name, f.Platform)
		}
	}
	if _, err := Open(Options{Index: len(all)}); !errors.Is(err, ErrNoDevice) {
		t.Errorf("a device more than there are: %v", err)
	}
}
