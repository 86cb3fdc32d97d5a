//go:build !linux && !darwin

package system

// Boot is not known here.
func Boot() string { return "" }
