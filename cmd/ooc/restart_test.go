//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ooc/tiles/class"
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
)

// bare is tree without the times of change.
func bare(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := tree(t, dir)
	for path := range all {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		all[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			all[path] += string(readFile(t, path))
		}
	}
	return all
}

// TestRestartRefusesFirst begins solved stores again that hold something else: what is refused leaves all of it as it
// was.
func TestRestartRefusesFirst(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	store, outside := filepath.Join(dir, "towns.ooc"), filepath.Join(dir, "outside")
	in := func(words ...string) string { return filepath.Join(append([]string{store}, words...)...) }
	for name, c := range map[string]struct {
		add  func() error
		keep int // the exit code of --restart of the store itself
	}{
		"a file more": {func() error { return os.WriteFile(in("notes.txt"), []byte("x"), 0o666) }, 0},
		"a folder":    {func() error { return os.Mkdir(in("photos"), 0o777) }, 0},
		"a file in the core": {func() error {
			return errors.Join(os.Mkdir(in("core"), 0o777), os.WriteFile(in("core", "notes.txt"), []byte("x"), 0o666))
		}, class.Input},
		"a link in the core": {func() error {
			return errors.Join(os.Mkdir(in("core"), 0o777), os.Symlink(outside, in("core", "dist.npy")))
		}, class.Input},
		"another store as the core": {func() error {
			other := filepath.Join(dir, "other")
			return errors.Join(os.CopyFS(other, os.DirFS(store)), os.Rename(other, in("core")))
		}, class.Corrupt},
		"live is a link": {func() error {
			return errors.Join(os.Remove(in("live")),
				os.Symlink(outside, in("live")))
		}, class.Corrupt},
		"sums is a link": {func() error {
			return errors.Join(os.Remove(in("sums")),
				os.Symlink(outside, in("sums")))
		}, class.Corrupt},
		"sums.tmp is a folder": {func() error { return os.Mkdir(in("sums.tmp"), 0o777) }, class.Corrupt},
		"state is a hard link": {func() error { return os.Link(in("state"), filepath.Join(dir, "other")) },
			class.Corrupt},
		"lock is a hard link": {func() error { return os.Link(in("lock"), filepath.Join(dir, "other")) },
			class.Corrupt},
	} {
		writeFile(t, dir, "towns.csv", small)
		writeFile(t, dir, "outside", "theirs")
		ooc(t, dir, "solve", "towns.csv").want(t, 0)
		if err := c.add(); err != nil {
			t.Fatal(err)
		}
		before := bare(t, dir)
		if r := ooc(t, dir, "solve", "towns.csv", "--restart"); r.code != class.Input && r.code != class.Corrupt {
			t.Errorf("%s: exit code %d: %s", name, r.code, r.stderr)
		}
		if c.keep != 0 {
			if r := ooc(t, dir, "solve", "towns.ooc", "--restart"); r.code != c.keep {
				t.Errorf("%s: of the store: exit code %d: %s", name, r.code, r.stderr)
			}
		}
		if after := bare(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: it was\n%v\nand is\n%v", name, before, after)
		}
		if name == "sums is a link" { // without its checksums, nothing is answered
			ooc(t, dir, "query", "towns.ooc", "paris", "nice").want(t, class.Corrupt, "towns.ooc/sums")
		} else {
			ooc(t, dir, "query", "towns.ooc", "paris", "nice").want(t, 0, "7")
		}
		if c.keep == 0 {
			ooc(t, dir, "solve", "towns.ooc", "--restart").want(t, 0)
		}
		if err := errors.Join(os.RemoveAll(store), os.RemoveAll(filepath.Join(dir, "other"))); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHalfACoreGoesOn gives solved stores what a removal of a core may leave that was stopped, by this version or one
// before: the same command removes it, and --restart does.
func TestHalfACoreGoesOn(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	left := map[string]map[string]string{
		"no lock":        {"core/dist.npy": "x", "core/state": "x"},
		"a torn lock":    {"core/lock": "\x00\x00\x00\x00\x00\x00\x00\x00\x00"},
		"half a lock":    {"core/lock": "ooc lo", "core/live": ""},
		"only a matrix":  {"core/dist.npy": "x"},
		"renamed":        {"core.gone/dist.npy": "x", "core.gone/store.json": "{"},
		"renamed, a new": {"core.gone/dist.npy": "x", "core/lock": ""},
	}
	for _, words := range [][]string{{"solve", "towns.csv"}, {"solve", "towns.ooc"},
		{"solve", "towns.csv", "--restart"}, {"solve", "towns.ooc", "--restart"}} {
		for _, name := range crashtest.Some(r, 2, slices.Sorted(maps.Keys(left))) {
			files := left[name]
			ooc(t, dir, "solve", "towns.csv").want(t, 0)
			for path, text := range files {
				path = filepath.Join(dir, "towns.ooc", path)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777),
					os.WriteFile(path, []byte(text), 0o666)); err != nil {
					t.Fatal(err)
				}
			}
			ooc(t, dir, "status", "towns.ooc").want(t, 0, "solved")
			ooc(t, dir, "query", "towns.ooc", "paris", "nice").want(t, 0, "7")
			if r := ooc(t, dir, words...); r.code != 0 {
				t.Errorf("%s: %v: exit code %d: %s", name, words, r.code, r.stderr)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "towns.ooc", "core*")); len(left) != 0 {
				t.Errorf("%s: %v: left: %v", name, words, left)
			}
			ooc(t, dir, "query", "towns.ooc", "paris", "nice").want(t, 0, "7")
		}
	}
}

// TestRestartOfADamagedStore makes stores anew that cannot be opened any more, and leaves them as they are where it
// cannot.
func TestRestartOfADamagedStore(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	for name, spoil := range map[string]func(path string) error{
		"cut":     func(path string) error { return os.Truncate(path, 100) },
		"missing": os.Remove,
	} {
		for _, file := range []string{"dist.npy", "graph.csr", "ids", "state"} {
			ooc(t, dir, "solve", "towns.csv", "--restart").want(t, 0)
			if err := spoil(filepath.Join(dir, "towns.ooc", file)); err != nil {
				t.Fatal(err)
			}
			before := bare(t, dir)
			ooc(t, dir, "solve", "towns.csv").want(t, class.Corrupt, file)
			ooc(t, dir, "solve", "towns.csv", "--restart", "--columns", "from").want(t, class.Usage)
			writeFile(t, dir, "towns.csv", "paris,lyon,rubbish\n")
			ooc(t, dir, "solve", "towns.csv", "--restart").want(t, class.Input)
			writeFile(t, dir, "towns.csv", small)
			if after := bare(t, dir); !maps.Equal(before, after) {
				t.Errorf("%s, %s: it was\n%v\nand is\n%v", file, name, before, after)
			}
			ooc(t, dir, "solve", "towns.csv", "--restart").want(t, 0)
			ooc(t, dir, "query", "towns.ooc", "paris", "nice").want(t, 0, "7")
		}
	}
	// A description that cannot be read. The rest has to show whose the folder is.
	in := func(name string) string { return filepath.Join(dir, "towns.ooc", name) }
	for name, c := range map[string]struct {
		spoil func() error
		code  int
		says  string
	}{
		"nothing else":        {func() error { return nil }, 0, ""},
		"another description": {func() error { return os.WriteFile(in("store.json"), []byte("{}"), 0o666) }, 0, ""},
		"no restore point":    {func() error { return os.WriteFile(in("state"), make([]byte, 3*4096), 0o666) }, 0, ""},
		"no state":            {func() error { return os.Remove(in("state")) }, 0, ""},
		"no state, no graph": {func() error { return errors.Join(os.Remove(in("state")), os.Remove(in("graph.csr"))) },
			0, ""},
		"nothing whole": {func() error {
			return errors.Join(os.Truncate(in("state"), 50), os.Truncate(in("graph.csr"), 50),
				os.Truncate(in("ids"), 50))
		}, class.Corrupt,
			"store.json: store is corrupt: it is damaged, and no other file beside it shows that ooc made this folder; " +
				"name another folder with --out, or remove towns.ooc"},
		"no lock": {func() error { return os.Remove(in("lock")) }, class.Corrupt, "remove towns.ooc"},
		"another's lock": {func() error { return os.WriteFile(in("lock"), []byte("mine"), 0o666) }, class.Input,
			"lock"},
		"a file more": {func() error { return os.WriteFile(in("notes.txt"), []byte("x"), 0o666) }, class.Input,
			"notes.txt"},
	} {
		if err := os.RemoveAll(in("")); err != nil {
			t.Fatal(err)
		}
		ooc(t, dir, "solve", "towns.csv").want(t, 0)
		if err := errors.Join(os.Truncate(in("store.json"), 100), c.spoil()); err != nil {
			t.Fatal(err)
		}
		before := bare(t, dir)
		ooc(t, dir, "solve", "towns.csv").want(t, class.Corrupt, "store.json")
		if c.code != 0 {
			ooc(t, dir, "solve", "towns.csv", "--restart").want(t, c.code, c.says)
			if after := bare(t, dir); !maps.Equal(before, after) {
				t.Errorf("%s: it was\n%v\nand is\n%v", name, before, after)
			}
			continue
		}
		ooc(t, dir, "solve", "towns.csv", "--restart").want(t, 0)
		ooc(t, dir, "query", "towns.ooc", "paris", "nice").want(t, 0, "7")
	}
	if err := os.RemoveAll(in("")); err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "solve", "towns.csv").want(t, 0)
	// One of a later version is not for this program to replace.
	store := filepath.Join(dir, "towns.ooc", "store.json")
	later := bytes.Replace(readFile(t, store), []byte(`"version": `), []byte(`"version": 9`), 1)
	if err := os.WriteFile(store, sealed(t, later), 0o666); err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "solve", "towns.csv", "--restart").want(t, class.Corrupt, "version 9")
	// Without its checksum, that is damage.
	if err := os.WriteFile(store, later, 0o666); err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "solve", "towns.csv").want(t, class.Corrupt, "checksum")
	ooc(t, dir, "solve", "towns.csv", "--restart").want(t, 0)
	ooc(t, dir, "query", "towns.ooc", "paris", "nice").want(t, 0, "7")
}

// sealed gives a store.json the checksum of what it says.
func sealed(t *testing.T, text []byte) []byte {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		t.Fatal(err)
	}
	rest, ok := bytes.CutPrefix(compact.Bytes(), []byte(`{"format":"ooc store",`))
	at := bytes.LastIndex(rest, []byte(`,"checksum":`))
	if !ok || at < 0 {
		t.Fatalf("%s is no store.json", text)
	}
	sum := disk.Checksum(fmt.Appendf(nil, "{%s}", rest[:at]))
	return fmt.Appendf(nil, `{"format":"ooc store",%s,"checksum":"crc32c:%08x"}`, rest[:at], sum)
}
