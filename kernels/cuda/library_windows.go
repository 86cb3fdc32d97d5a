//go:build !gorgonia

package cuda

import "golang.org/x/sys/windows"

// openLibrary finds the library that the NVIDIA driver installs, in the system's folder alone.
func openLibrary() (uintptr, error) {
	lib, err := windows.LoadLibraryEx("nvcuda.dll", 0, windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	return uintptr(lib), err
}

func findSymbol(lib uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(lib), name)
}
