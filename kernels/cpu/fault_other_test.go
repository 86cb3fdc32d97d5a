//go:build !linux

package cpu

import "testing"

func unreadablePage(t *testing.T) []byte {
	t.Skip("no portable way to a page that faults")
	return nil
}
