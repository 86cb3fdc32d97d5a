package lock

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ooc/tiles/disk"
)

// children are the parts that another process can play; see child.
var children = map[string]func(dir string) error{"hold": childHold}

// TestMain lets the test binary play the other process: OOC_LOCK_CHILD names
// the part, OOC_LOCK_DIR the folder.
func TestMain(m *testing.M) {
	if part := os.Getenv("OOC_LOCK_CHILD"); part != "" {
		if err := children[part](os.Getenv("OOC_LOCK_DIR")); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// childHold takes a lock and keeps it until it is killed.
func childHold(dir string) error {
	if _, err := Take(dir); err != nil {
		return err
	}
	fmt.Println("ready")
	for { // a bare select would be a deadlock, which ends the process
		time.Sleep(time.Hour)
	}
}

// child starts another process that plays a part, and returns its first line.
func child(t *testing.T, part, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "OOC_LOCK_CHILD="+part, "OOC_LOCK_DIR="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "ready") {
		t.Fatalf("the child says %q", lines.Text())
	}
	return cmd, lines.Text()
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLockThatCannotBeWritten: a full volume leaves it empty, not full of zeros.
func TestLockThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	for _, text := range []string{"", magic[:3], magic + "\n", magic + "\npid 7\nhost here\n"} {
		must(t, os.WriteFile(path, []byte(text), 0o666))
		f, err := disk.OpenRegular(path, os.O_RDWR)
		must(t, err)
		must(t, (&Lock{file: f}).Release())
		if after, err := os.ReadFile(path); err != nil || string(after) != text[:min(len(text), len(magic)+1)] {
			t.Errorf("%q is given back as %q, %v", text, after, err)
		}
	}
}

// TestLockIsNeverHeldTwice: also while holders remove the file that they hold.
func TestLockIsNeverHeldTwice(t *testing.T) {
	dir := t.TempDir()
	var holders, taken atomic.Int32
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			for range 200 {
				l, err := Take(dir)
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				taken.Add(1)
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				runtime.Gosched()
				holders.Add(-1)
				if k%2 == 0 {
					l.Remove()
				} else {
					l.Release()
				}
			}
		})
	}
	wg.Wait()
	t.Logf("taken %d times", taken.Load())
}

func TestHolderOfNothing(t *testing.T) {
	dir := t.TempDir()
	if h, err := HolderOf(dir); h != (holder{}) || err != nil {
		t.Errorf("an empty folder is held by %+v, %v", h, err)
	}
	for _, text := range []string{"", "ooc lock\npid x\nhost h\n", "ooc lock\n", "pid 7\n\n\n\n",
		"ooc lock\npid -3\nhost h\n"} {
		must(t, os.WriteFile(filepath.Join(dir, Name), []byte(text), 0o666))
		if h, err := HolderOf(dir); h.PID != 0 || h.Running || err != nil {
			t.Errorf("%q: %+v, %v", text, h, err)
		}
	}
}

// TestFlippedBit: a lock of which one bit differs is ours, and is mended. One of which two do is not.
func TestFlippedBit(t *testing.T) {
	dir := t.TempDir()
	path, first := filepath.Join(dir, Name), []byte(magic+"\n")
	for bit := range 8 * len(first) {
		b := slices.Clone(first)
		b[bit/8] ^= 1 << (bit % 8)
		must(t, os.WriteFile(path, b, 0o666))
		l, err := Take(dir)
		if err != nil {
			t.Fatalf("bit %d: %v", bit, err)
		}
		must(t, l.Release())
		if after, err := os.ReadFile(path); err != nil || !slices.Equal(after, first) {
			t.Errorf("bit %d: it is %q, %v", bit, after, err)
		}
		b[(bit/8+1)%len(b)] ^= 3
		must(t, os.WriteFile(path, b, 0o666))
		if _, err := Take(dir); !errors.Is(err, ErrNotStore) {
			t.Errorf("bit %d and two more: %v", bit, err)
		}
	}
}

// TestRemoveFolder removes a folder with its lock, and leaves one in which something else is.
func TestRemoveFolder(t *testing.T) {
	for _, other := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "a")
		must(t, os.Mkdir(dir, 0o777))
		l, err := Take(dir)
		must(t, err)
		if other {
			must(t, os.WriteFile(filepath.Join(dir, "mine"), nil, 0o666))
		}
		must(t, l.RemoveFolder())
		left, err := os.ReadDir(dir)
		if other && (err != nil || len(left) != 1) || !other && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("something else %v: left %v, %v", other, left, err)
		}
	}
}
