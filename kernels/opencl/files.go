package opencl

import "path/filepath"

// gpuFiles are the device files by which drivers of GPUs reach these: of AMD and Intel, AMD's compute driver, NVIDIA,
// Windows beneath Linux, and those of phones and small boards.
var gpuFiles = []string{"/dev/dri/renderD*", "/dev/kfd", "/dev/nvidiactl", "/dev/dxg", "/dev/mali*", "/dev/kgsl*",
	"/dev/pvr*", "/dev/galcore"}

// MayHaveGPU reports whether the machine has a device file of a GPU. To load all drivers, and find that they have
// none, can take longer than a small solve.
func MayHaveGPU() bool {
	for _, pattern := range gpuFiles {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}
