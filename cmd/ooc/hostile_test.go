//go:build unix

package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// npyHead is the head of an array of n×n 4-byte integers, and no array.
func npyHead(n string) string {
	text := "{'descr': '<i4', 'fortran_order': False, 'shape': (" + n + ", " + n + "), }\n"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(text)), 0}) + text
}

// TestCampaignHeaders reads files of a few bytes that claim 2³¹ vertices, or arcs without number.
func TestCampaignHeaders(t *testing.T) {
	dir := t.TempDir()
	const coordinate, array = "%%MatrixMarket matrix coordinate real general\n",
		"%%MatrixMarket matrix array real general\n"
	const n, most = "2147483648", "9223372036854775807"
	for name, text := range map[string]string{
		"n.gr":        "p sp " + n + " 1\na 1 2 3\n",
		"believed.gr": "p sp 2147483647 1\na 1 2 3\n",
		"arcs.gr":     "p sp 2 " + most + "\na 1 2 3\n",
		"n.mtx":       coordinate + n + " " + n + " 1\n1 2 3\n",
		"entries.mtx": coordinate + "2 2 " + most + "\n1 2 3\n",
		"array.mtx":   array + n + " " + n + "\n1\n",
		"n.graph":     n + " 1\n2\n1\n",
		"edges.graph": "2 " + most + "\n2\n1\n",
		"n.npy":       npyHead(n),
		"most.npy":    npyHead(most),
		"short.npy":   npyHead("1000000"),
	} {
		writeFile(t, dir, name, text)
		cmd := command(t, dir, "solve", name)
		finish(t, cmd).want(t, class.Input, name)
		if most, ok := maxRSS(cmd.ProcessState); ok && most > 200<<20 {
			t.Errorf("%s took %d MiB", name, most>>20)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.ooc")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestCampaignForeign uses a store from elsewhere, which names its input by a path that is not there, and each of
// whose files in turn is a link to a file of the user, symbolic or hard: nothing outside the store is written.
func TestCampaignForeign(t *testing.T) {
	crashtest.Campaign(t)
	home, dir := t.TempDir(), t.TempDir()
	writeFile(t, home, "towns.csv", small)
	ooc(t, home, "solve", "towns.csv").want(t, 0)
	made := filepath.Join(home, "towns.ooc")
	if err := os.Remove(filepath.Join(home, "towns.csv")); err != nil {
		t.Fatal(err)
	}
	store, before := filepath.Join(dir, "s.ooc"), tree(t, home)
	for kind, link := range map[string]func(from, to string) error{"a link": os.Symlink, "a hard link": os.Link} {
		for _, name := range []string{"", "core", "core.gone", "dist.npy", "graph.csr", "ids", "live", "lock", "state",
			"store.json", "store.json.tmp", "sums", "sums.tmp"} {
			if err := os.CopyFS(store, os.DirFS(made)); err != nil {
				t.Fatal(err)
			}
			if name != "" { // a link to the original, or to a folder or a name that could be one
				_ = os.Remove(filepath.Join(store, name)) // it may not be there
				to := filepath.Join(made, name)
				if strings.HasPrefix(name, "core") {
					to = made
				}
				if err := link(to, filepath.Join(store, name)); err != nil && kind == "a link" {
					t.Fatal(err)
				}
			}
			for _, words := range []string{"status s.ooc", "query s.ooc paris nice", "verify s.ooc", "scrub s.ooc",
				"solve s.ooc", "solve s.ooc --restart"} {
				r := ooc(t, dir, strings.Fields(words)...) // which fails the test where it crashes
				if r.code < 0 || r.code > class.Corrupt || name == "" && r.code != 0 {
					t.Errorf("%s is %s: %s: exit code %d: %s", name, kind, words, r.code, r.stderr)
				}
			}
			if after := tree(t, home); !maps.Equal(before, after) {
				t.Fatalf("%s is %s: what it leads to was\n%v\nand is\n%v", name, kind, before, after)
			}
			if err := os.RemoveAll(store); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestForeignFolder names folders of another program as stores: nothing in them is written, made or removed.
func TestForeignFolder(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	folder := filepath.Join(dir, "theirs")
	for name, files := range map[string]map[string]string{
		"its store.json alone":  {"store.json": "{}"},
		"its store.json, lock":  {"store.json": `{"format": "pantry"}`, "lock": "yarn 1.0\n"},
		"its store.json, empty": {"store.json": `{"format": "pantry"}`, "lock": ""},
		"its lock":              {"lock": "yarn 1.0\n"},
		"its state":             {"state": "fine"},
		"its lock and state":    {"state": "fine", "lock": "pid 7\n"},
		"ours and more":         {"lock": "", "notes.txt": "x"},
		"a core alone":          {"core/lock": "ooc lock\n"},
		"a removed core alone":  {"core.gone/lock": "ooc lock\n"},
	} {
		for path, text := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, path)), 0o777); err != nil {
				t.Fatal(err)
			}
			writeFile(t, folder, path, text)
		}
		before := tree(t, folder)
		for _, words := range []string{"solve theirs", "solve theirs --restart", "solve towns.csv --out theirs",
			"solve towns.csv --out theirs --restart", "solve towns.csv theirs", "status theirs", "query theirs 1 2",
			"verify theirs", "scrub theirs"} {
			if r := ooc(t, dir, strings.Fields(words)...); r.code == 0 || r.code == class.Failed ||
				r.code == class.Locked || !strings.Contains(r.stdout+r.stderr, "theirs") {
				t.Errorf("%s: %s: exit code %d: %s%s", name, words, r.code, r.stdout, r.stderr)
			}
		}
		if after := tree(t, folder); !maps.Equal(before, after) {
			t.Errorf("%s: it was\n%v\nand is\n%v", name, before, after)
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFilesChangedPlaces puts files of a solved store into one of the same shape that is not: that is not solved
// then, and shows nothing of the other.
func TestFilesChangedPlaces(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "a.csv", small)
	writeFile(t, dir, "b.csv", strings.ReplaceAll(small, "4", "5"))
	for _, name := range []string{"a", "b"} {
		ooc(t, dir, "solve", name+".csv").want(t, 0)
	}
	a, b := filepath.Join(dir, "a.ooc"), filepath.Join(dir, "b.ooc")
	s, err := tiles.Open(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Reset(), s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"state", "graph.csr", "ids", "core"} {
		to := filepath.Join(b, name)
		own, err := os.ReadFile(to)
		if err != nil && name != "core" {
			t.Fatal(err)
		}
		if name == "core" {
			err = os.CopyFS(to, os.DirFS(a))
		} else {
			var other []byte
			if other, err = os.ReadFile(filepath.Join(a, name)); err == nil {
				err = os.WriteFile(to, other, 0o666)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range []string{"solve b.csv", "solve b.ooc"} {
			r := ooc(t, dir, strings.Fields(words)...)
			r.want(t, class.Corrupt, to[len(dir)+1:], "it belongs to another store")
		}
		if r := ooc(t, dir, "status", "b.ooc"); strings.Contains(r.stdout, "solved") {
			t.Errorf("with another's %s: %s", name, r.stdout)
		}
		err = os.RemoveAll(to)
		if own != nil {
			err = errors.Join(err, os.WriteFile(to, own, 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ooc(t, dir, "solve", "b.csv").want(t, 0)
	ooc(t, dir, "query", "b.ooc", "paris", "nice").want(t, 0, "8")
	if err := errors.Join(os.Remove(filepath.Join(b, "sums")),
		os.Rename(filepath.Join(a, "sums"), filepath.Join(b, "sums"))); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"scrub b.ooc", "verify b.ooc", "solve b.ooc"} {
		ooc(t, dir, strings.Fields(words)...).want(t, class.Corrupt, "b.ooc/sums", "it belongs to another store")
	}
}

// TestNoChecksums takes the checksums of a solved store away, as a kill in the last step of a solve leaves it. It wants
// the command that is printed to write them.
func TestNoChecksums(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", "a,b,3\nb,c,5\n")
	ooc(t, dir, "solve", "g.csv").want(t, 0)
	for _, words := range []string{"scrub g.ooc", "verify g.ooc"} {
		if err := os.Remove(filepath.Join(dir, "g.ooc", "sums")); err != nil {
			t.Fatal(err)
		}
		r := ooc(t, dir, strings.Fields(words)...).want(t, class.Failed, "g.ooc has no checksums")
		_, remedy, _ := strings.Cut(r.stderr, "continue with: ooc ")
		ooc(t, dir, strings.Fields(remedy)...).want(t, 0)
		ooc(t, dir, strings.Fields(words)...).want(t, 0)
	}
}
