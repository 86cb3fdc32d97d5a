//go:build unix

package tiles

import (
	"testing"

	"golang.org/x/sys/unix"
)

func mkfifo(t *testing.T, path string) bool {
	must(t, unix.Mkfifo(path, 0o666))
	return true
}
