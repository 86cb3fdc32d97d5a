//go:build !linux

package mpi

// Cores returns "", 0, 0: it cannot be told what mpirun has bound a process to.
func Cores() (names string, mine, unbound int) { return "", 0, 0 }
