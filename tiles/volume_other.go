//go:build !linux

package tiles

func networkVolume(string) string { return "" }
