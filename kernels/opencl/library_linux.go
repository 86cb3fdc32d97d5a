package opencl

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// openLibrary finds the library that looks for the drivers that are installed.
func openLibrary() (uintptr, error) {
	runtime.LockOSThread() // the text of an error is kept by thread
	defer runtime.UnlockOSThread()
	return purego.Dlopen("libOpenCL.so.1", purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func findSymbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }
