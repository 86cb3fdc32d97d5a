package enginetest

import (
	"errors"
	"os"
	"slices"
	"testing"

	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/cuda"
	"ooc/kernels/entry"
	"ooc/kernels/opencl"
)

// Devices are what campaigns run on: the processor, a GPU and an OpenCL device where there are. OOC_REQUIRE_GPU=1 and
// OOC_REQUIRE_OPENCL=1 demand them.
func Devices(t *testing.T) map[string]func(memory int64) (kernels.Device, error) {
	t.Helper()
	devices := map[string]func(memory int64) (kernels.Device, error){
		"cpu": func(memory int64) (kernels.Device, error) { return cpu.Open(cpu.Options{Threads: 1, Memory: memory}) },
	}
	_, err := cuda.Count()
	if err == nil {
		devices["cuda"] = func(memory int64) (kernels.Device, error) { return cuda.Open(cuda.Options{Memory: memory}) }
	} else if !errors.Is(err, cuda.ErrNoDevice) || os.Getenv("OOC_REQUIRE_GPU") == "1" {
		t.Fatal(err)
	}
	all, err := opencl.List()
	index := slices.IndexFunc(all, func(f opencl.Found) bool { return !f.NVIDIA() }) // those are tested with CUDA
	if index >= 0 {
		devices["opencl"] = func(memory int64) (kernels.Device, error) {
			return opencl.Open(opencl.Options{Memory: memory, Index: index})
		}
	} else if err != nil && !errors.Is(err, opencl.ErrNoDevice) || os.Getenv("OOC_REQUIRE_OPENCL") == "1" {
		t.Fatal(err)
	}
	return devices
}

// SmallTile is the size of a tile of edge 64.
const SmallTile = 64 * 64 * entry.WordBytes

// CampaignDevice is one device for all the solves of a campaign, since a GPU takes longer to open than they do. It is
// too small to be timed. What is still in use of it when the test ends is an error.
func CampaignDevice(t *testing.T, open func(memory int64) (kernels.Device, error)) *device.Shared {
	t.Helper()
	probe, err := open(0)
	if err != nil {
		t.Fatal(err)
	}
	memory := probe.Info().Scratch + 128*SmallTile
	if err := probe.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := open(memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return device.Share(d)
}

// Few is as much of a device as holds so many tiles of edge 64.
func Few(s *device.Shared, tiles int) kernels.Device {
	return s.Part(s.Part(0).Info().Scratch + int64(tiles)*SmallTile)
}

// WantAll wants all of a device's memory to be free.
func WantAll(s *device.Shared) error {
	d := s.Part(0)
	info := d.Info()
	b, err := d.Alloc(info.Memory - info.Scratch)
	if err != nil {
		return err
	}
	return b.Free()
}
