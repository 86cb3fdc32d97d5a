//go:build unix

package newfile

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPipes writes to a named pipe that is read, and does not wait where it is not.
func TestPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if err := (File{Path: path}).Write(fill("x", nil)); !errors.Is(err, unix.ENXIO) ||
		!strings.Contains(err.Error(), path+": nobody reads") {
		t.Fatal(err)
	}
	text, got := strings.Repeat("more than a pipe holds", 1<<14), make(chan string)
	go func() {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		got <- string(b)
	}()
	err := (File{Path: path}).Write(fill(text, nil))
	for errors.Is(err, unix.ENXIO) { // until it is being read
		err = (File{Path: path}).Write(fill(text, nil))
	}
	if read := <-got; err != nil || read != text {
		t.Errorf("%d bytes read, %v", len(read), err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if unix.Geteuid() != 0 {
		if err := (File{Path: path}).Check(); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("one that may not be written passes: %v", err)
		}
	}
}

func TestSocketsAreRefused(t *testing.T) {
	t.Chdir(t.TempDir()) // names of sockets are short
	l, err := net.Listen("unix", "s")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	if err := (File{Path: "s", Overwrite: true}).Check(); !errors.Is(err, errKept) {
		t.Error(err)
	}
}

// TestLongNames writes and replaces a file whose name is as long as names can be.
func TestLongNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+strings.Repeat("é", 125)+".txt")
	for _, text := range []string{"one", "two"} {
		if err := (File{Path: path, Overwrite: true}).Write(fill(text, nil)); err != nil {
			t.Fatal(err)
		}
		want(t, path, text)
	}
}
