//go:build !linux

package system

// Network and Source know nothing here.
func Network(string) string { return "" }

func Source(string) string { return "" }
