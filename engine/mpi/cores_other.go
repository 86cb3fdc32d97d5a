//go:build !linux

package mpi

// Cores names the cores that this process may run on: "" where that cannot be told.
func Cores() string { return "" }

// Processors returns 0, 0: it cannot be told what mpirun has bound a process to.
func Processors() (mine, unbound int) { return 0, 0 }
