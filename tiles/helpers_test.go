package tiles

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ooc/kernels/entry"
	"ooc/tiles/internal/hook"
)

// TestMain lets the test binary play the other process: OOC_TILES_CHILD names
// the part, the arguments follow in OOC_TILES_ARGS.
func TestMain(m *testing.M) {
	if part := os.Getenv("OOC_TILES_CHILD"); part != "" {
		hook.ByFile = os.Getenv("OOC_TILES_BYFILE") == "1"
		if err := children[part](strings.Split(os.Getenv("OOC_TILES_ARGS"), "\n")); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child prepares another process that plays a part.
func child(t *testing.T, part string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "OOC_TILES_CHILD="+part, "OOC_TILES_ARGS="+strings.Join(args, "\n"))
	if hook.ByFile {
		cmd.Env = append(cmd.Env, "OOC_TILES_BYFILE=1")
	}
	cmd.Stderr = os.Stderr
	return cmd
}

// seeded gives a generator and prints its seed.
func seeded(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// testMeta describes a small dense store.
func testMeta(n, tile int) Meta {
	return Meta{N: n, T: tile, Kind: entry.KindI32, Directed: true,
		Input:   Input{Name: "g.gr", Format: "dimacs", Size: 10, ModTime: time.Unix(1e9, 5), SHA256: "00ff"},
		Command: []string{"ooc", "solve", "g.gr"}, MinWeight: 1, MaxWeight: 7}
}

// newStore creates a dense store of n vertices in a fresh folder.
func newStore(t testing.TB, n, tile int) *Store {
	t.Helper()
	s, err := Create(filepath.Join(t.TempDir(), "a.ooc"), testMeta(n, tile), nil, IDs{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// ring is a graph of n vertices with arcs u → u+1.
func ring(n int) *CSR {
	c := &CSR{Offsets: make([]int64, n+1), Targets: make([]int32, n), Weights: make([]byte, 4*n)}
	for u := range n {
		c.Offsets[u+1] = int64(u + 1)
		c.Targets[u] = int32((u + 1) % n)
		binary.LittleEndian.PutUint32(c.Weights[4*u:], uint32(u+1))
	}
	return c
}

// reopen opens a store for writing and recovers it.
func reopen(t *testing.T, dir string) (*Store, State, bool) {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	st, ok, err := s.Recover()
	if err != nil {
		t.Fatal(err)
	}
	return s, st, ok
}

// randomTile is a tile's worth of random bytes.
func randomTile(g Geometry, rng *rand.Rand) []byte {
	b := make([]byte, g.TileBytes())
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// mountAt mounts a file system on a fresh folder, or skips the test.
func mountAt(t *testing.T, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux mounts")
	}
	out, err := exec.Command("mount", append(args, dir)...).CombinedOutput()
	if err != nil {
		if os.Getenv("OOC_REQUIRE_MOUNT") == "1" {
			t.Fatalf("mount %v: %v: %s", args, err, out)
		}
		t.Skipf("mount %v is not permitted here: %v: %s", args, err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return dir
}

// tmpfs mounts a file system in memory of the given size.
func tmpfs(t *testing.T, size string) string {
	return mountAt(t, "-t", "tmpfs", "-o", "size="+size, "ooc-test")
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// listing is what a folder holds.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// contents is what a folder holds, and what its files and links do, all the way
// down.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			all[path] += " " + string(b)
			return err
		}
		return nil
	}))
	return all
}

// needsNotes skips a test where no note is ever trusted.
func needsNotes(t *testing.T) {
	t.Helper()
	if s := newStore(t, 64, 64); s.here == (incarnation{}) {
		t.Skip("this system does not tell one run of it from another, so no note is ever trusted")
	}
}

// lockMagic is the first line of a lock file.
const lockMagic = "ooc lock"
