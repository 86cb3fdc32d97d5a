package newfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
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
	if err := (File{Path: path}).Write(fill("half", broken)); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	want(t, path, "")
	if err := (File{Path: path}).Write(fill("one", nil)); err != nil {
		t.Fatal(err)
	}
	want(t, path, "one")
	if err := (File{Path: path}).Write(fill("two", nil)); !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	if err := (File{Path: path, Overwrite: true}).Write(fill("half", broken)); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	want(t, path, "one")
	if err := (File{Path: path, Overwrite: true}).Write(fill("two", nil)); err != nil {
		t.Fatal(err)
	}
	want(t, path, "two")
}

func TestWriteSeesWhatAppears(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	err := (File{Path: path}).Write(func(io.Writer) error { return os.WriteFile(path, []byte("theirs"), 0o600) })
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
	if err := (File{Path: dir, Overwrite: true}).Write(fill("x", nil)); !errors.Is(err, errKept) {
		t.Fatal("a folder was replaced")
	}
	if err := (File{Path: filepath.Join(dir, "no", "x")}).Write(fill("x", nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// TestReplacedFilesKeepTheirMode demands the mode of the file that was there.
func TestReplacedFilesKeepTheirMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o666} {
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := (File{Path: path, Overwrite: true}).Write(fill("new", nil)); err != nil {
			t.Fatal(err)
		}
		want(t, path, "new")
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%v, %v; want %v", info.Mode(), err, mode)
		}
	}
}

// TestLinks replaces what a link leads to and leaves the link, and makes nothing where it leads nowhere.
func TestLinks(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	path, link := filepath.Join(elsewhere, "a.txt"), filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if err := (File{Path: link}).Write(fill("x", nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	want(t, path, "")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (File{Path: link}).Write(fill("x", nil)); !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	if err := (File{Path: link, Overwrite: true}).Write(fill("new", nil)); err != nil {
		t.Fatal(err)
	}
	want(t, path, "new")
	if to, err := os.Readlink(link); err != nil || to != path {
		t.Fatalf("the link leads to %s, %v", to, err)
	}
}

// TestKeptFilesAreRefused refuses files and folders that are to be kept, by whatever name, and leaves no trace of
// having tried.
func TestKeptFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("input"), []byte("input"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"folder", "folder/below", "other"} {
		if err := os.Mkdir(at(sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	kept := []string{"input", "./input", "other/../input", "later", "folder", "folder/x", "folder/below/x"}
	for name, link := range map[string]func(from, to string) error{"hard": os.Link, "soft": os.Symlink} {
		if err := link(at("input"), at(name)); err == nil {
			kept = append(kept, name)
		}
	}
	if err := os.Symlink(at("folder"), at("way")); err == nil {
		kept = append(kept, "way/x")
	}
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range kept {
		f := File{Path: dir + "/" + name, Overwrite: true,
			Keep: []string{at("input"), at("folder"), at("later"), at("nothing")}}
		if err := f.Check(); !errors.Is(err, errKept) {
			t.Errorf("%s passes: %v", name, err)
		}
		if err := f.Write(func(io.Writer) error { t.Errorf("%s is filled", name); return nil }); !errors.Is(err,
			errKept) {
			t.Errorf("%s is written: %v", name, err)
		}
	}
	if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) {
		t.Errorf("left behind: %v, %v", after, err)
	}
	for _, name := range []string{"folder2", "input2", "other/x"} {
		f := File{Path: at(name), Keep: []string{at("input"), at("folder")}}
		if err := errors.Join(f.Check(), f.Write(fill("x", nil))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStreams writes to devices and pipes, and leaves them what they are.
func TestStreams(t *testing.T) {
	if err := (File{Path: os.DevNull}).Write(fill("x", nil)); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Fatalf("%s is %v now", os.DevNull, info.Mode())
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if err := (File{Path: "/dev/full"}).Write(fill("x", nil)); !errors.Is(err, syscall.ENOSPC) {
			t.Error(err)
		}
	}
	broken := errors.New("broken")
	if err := (File{Path: os.DevNull}).Write(fill("x", broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", w.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	if err := errors.Join((File{Path: path}).Write(fill("piped", nil)), w.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "piped" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestTwoWriters lets two write one file: it is one's or the other's, whole, and nothing else is left.
func TestTwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	texts := []string{strings.Repeat("a", 1<<20), strings.Repeat("b", 1<<19)}
	var both sync.WaitGroup
	for _, text := range texts {
		both.Go(func() {
			if err := (File{Path: path, Overwrite: true}).Write(fill(text, nil)); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != texts[0] && string(got) != texts[1] {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	want(t, path, string(got))
}

// TestAbandon ends a process in the middle of a file that it replaces, and wants the old one, and nothing beside it.
func TestAbandon(t *testing.T) {
	if dir := os.Getenv("OOC_TEST_ABANDON"); dir != "" {
		_, _, err := Folder(dir, ".hidden-*")
		if err == nil {
			err = File{Path: filepath.Join(dir, "a"), Overwrite: true}.Write(func(w io.Writer) error {
				_, err := io.WriteString(w, "half of the n")
				if err == nil {
					Abandon()
					os.Exit(0)
				}
				return err
			})
		}
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run", "^TestAbandon$")
	cmd.Env = append(os.Environ(), "OOC_TEST_ABANDON="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(filepath.Join(dir, "a"))
	if len(left) != 1 || string(old) != "old" || err != nil {
		t.Errorf("left are %v, and of the old file %q, %v", left, old, err)
	}
}
