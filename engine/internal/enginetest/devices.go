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

// GPU opens the first GPU, on so much of its memory, until the test ends; 0: most of what is free. It returns nil where
// there is none, which OOC_REQUIRE_GPU=1 makes a failure.
func GPU(t testing.TB, memory int64) kernels.Device {
	t.Helper()
	d, err := cuda.Open(cuda.Options{Memory: memory})
	if errors.Is(err, cuda.ErrNoDevice) && os.Getenv("OOC_REQUIRE_GPU") != "1" {
		return nil
	}
	return untilEnd(t, kernels.Device(d), err)
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
