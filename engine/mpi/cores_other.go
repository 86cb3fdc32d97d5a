//go:build !linux

package mpi

// Cores names the cores that this process may run on: "" where that cannot be told.
func Cores() string { return "" }
