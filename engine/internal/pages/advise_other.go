//go:build !linux

package pages

func advise([]byte) {}

func discard([]byte) {}
