//go:build !linux

package opencl

import "errors"

func openLibrary() (uintptr, error) { return 0, errors.New("ooc uses OpenCL on Linux only") }

func findSymbol(uintptr, string) (uintptr, error) { return 0, errors.ErrUnsupported }

// keepingSignals runs f.
func keepingSignals(f func() error) error { return f() }

func brokenDrivers() []string { return nil }
