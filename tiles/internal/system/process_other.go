//go:build !linux && !darwin

package system

func self() (birth, ProcessState) { return birth{}, ProcessUnknown }

func lookAt(int) (string, ProcessState) { return "", ProcessUnknown }

// Ending is not known here.
func Ending(int) bool { return false }
