package opencl

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// openLibrary finds the library that looks for the drivers that are installed.
func openLibrary() (uintptr, error) {
	runtime.LockOSThread() // the text of an error is kept by thread
	defer runtime.UnlockOSThread()
	return purego.Dlopen("libOpenCL.so.1", purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func findSymbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }

// brokenDrivers says which drivers are installed and are none. The library that looks for them skips these without a
// word.
func brokenDrivers() (broken []string) {
	vendors := cmp.Or(os.Getenv("OCL_ICD_VENDORS"), "/etc/OpenCL/vendors")
	files, _ := filepath.Glob(filepath.Join(vendors, "*.icd")) // it fails for a pattern alone
	if strings.HasSuffix(vendors, ".icd") {
		files = []string{vendors}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			broken = append(broken, err.Error())
			continue
		}
		name, _, _ := strings.Cut(string(text), "\n")
		err = keepingSignals(func() error {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			lib, err := purego.Dlopen(strings.TrimSpace(name), purego.RTLD_NOW|purego.RTLD_LOCAL)
			if err != nil {
				return fmt.Errorf("cannot be loaded: %w", err)
			}
			if _, err := purego.Dlsym(lib, "clGetExtensionFunctionAddress"); err != nil {
				return fmt.Errorf("is none: %w", err)
			}
			return nil
		})
		if err != nil {
			broken = append(broken, fmt.Sprintf("the driver that %s names %v", file, err))
		}
	}
	return broken
}
