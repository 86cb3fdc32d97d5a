package opencl

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMayHaveGPU wants the file of any GPU to be found, by its pattern.
func TestMayHaveGPU(t *testing.T) {
	were := gpuFiles
	defer func() { gpuFiles = were }()
	dir := t.TempDir()
	gpuFiles = []string{filepath.Join(dir, "one"), filepath.Join(dir, "render*")}
	for _, name := range []string{"one", "render128"} {
		if MayHaveGPU() {
			t.Error("a GPU was found where there is no file")
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if !MayHaveGPU() {
			t.Errorf("%s was not found", name)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
