package opencl

import (
	"sync"
	"syscall"
	"unsafe"
)

// action is the kernel's struct sigaction on amd64 and arm64.
type action struct{ handler, flags, restorer, mask uintptr }

// lastSignal is the highest number of a signal.
const lastSignal = 64

func sigaction(signal int, set, old *action) {
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(old)), 8, 0, 0)
}

// keeping is held while handlers may be foreign, so that nobody takes these for Go's.
var keeping sync.Mutex

// keepingSignals runs f, and then puts back the handlers of signals that it replaced.
func keepingSignals(f func() error) error {
	keeping.Lock()
	defer keeping.Unlock()
	var before [lastSignal + 1]action
	for signal := 1; signal <= lastSignal; signal++ {
		sigaction(signal, nil, &before[signal])
	}
	err := f()
	for signal := 1; signal <= lastSignal; signal++ {
		var now action
		if sigaction(signal, nil, &now); now != before[signal] {
			sigaction(signal, &before[signal], nil)
		}
	}
	return err
}
