package newfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func fill(text string, err error) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, werr := io.WriteString(w, text); werr != nil {
			return werr
		}
		return err
	}
}

// want demands that the folder of path holds path with a text, or nothing where text is "".
func want(t *testing.T, path, text string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if text == "" {
		if len(entries) != 0 {
			t.Fatalf("left behind: %v", entries)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text || len(entries) != 1 {
		t.Fatalf("%q, %v beside %v", got, err, entries)
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	broken := errors.New("broken")
	if err := Write(path, false, fill("half", broken)); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	want(t, path, "")
	if err := Write(path, false, fill("one", nil)); err != nil {
		t.Fatal(err)
	}
	want(t, path, "one")
	if err := Write(path, false, fill("two", nil)); !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	if err := Write(path, true, fill("half", broken)); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	want(t, path, "one")
	if err := Write(path, true, fill("two", nil)); err != nil {
		t.Fatal(err)
	}
	want(t, path, "two")
}

func TestWriteSeesWhatAppears(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	err := Write(path, false, func(io.Writer) error { return os.WriteFile(path, []byte("theirs"), 0o600) })
	if !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	want(t, path, "theirs")
}

func TestWriteKeepsFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, true, fill("x", nil)); err == nil {
		t.Fatal("a folder was replaced")
	}
	if err := Write(filepath.Join(dir, "no", "x"), false, fill("x", nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}
