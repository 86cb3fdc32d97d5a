//go:build amd64 || arm64

package mpi

import (
	"syscall"
	"unsafe"
)

// action is the kernel's struct sigaction.
type action struct{ handler, flags, restorer, mask uintptr }

func sigaction(sig int, set, old *action) {
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(old)), 8, 0, 0)
}

// actions are what happens at each signal. Go's runtime must keep its own: a fault in a mapping becomes an error by
// them. MPI libraries and UCX install others, some without SA_ONSTACK, on which Go gives up.
type actions [65]action

func savedActions() (a actions) {
	for sig := 1; sig < len(a); sig++ {
		sigaction(sig, nil, &a[sig])
	}
	return a
}

// restore puts back what has changed since.
func (a *actions) restore() {
	for sig := 1; sig < len(a); sig++ {
		var now action
		if sigaction(sig, nil, &now); now != a[sig] {
			sigaction(sig, &a[sig], nil)
		}
	}
}
