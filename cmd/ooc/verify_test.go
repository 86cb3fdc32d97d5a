package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// flip changes a bit of the matrix of a store.
func flip(t *testing.T, dir, store string, at int64) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, store, "dist.npy"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
}

func TestVerifyFull(t *testing.T) {
	dir := towns(t)
	ooc(t, dir, "verify", "towns.ooc", "--full").want(t, 0, "all 16 distances are proved")
	if r := jsonLines(t, ooc(t, dir, "verify", "towns.ooc", "--full", "--json").want(t, 0).stdout); len(r) != 1 ||
		r[0]["entries"] != 16.0 {
		t.Errorf("%v", r)
	}
	for _, device := range []string{"auto", "cpu", "cpu,cpu"} {
		ooc(t, dir, "verify", "towns.ooc", "--full", "--device", device).want(t, 0, "all 16 distances are proved")
	}
	ooc(t, dir, "export", "towns.ooc", "d.npy").want(t, 0)
	ooc(t, dir, "verify", "towns.csv", "--matrix", "d.npy", "--full").want(t, 0, "d.npy: all 16 distances are proved")
	writeFile(t, dir, "other.csv", "paris,lyon,4\nlyon,nice,3\nnice,paris,1\nisle,paris,1\n")
	ooc(t, dir, "verify", "other.csv", "--matrix", "d.npy", "--full").want(t, 8, "from lyon to paris",
		"it holds 3, the distance is 4")
	writeFile(t, dir, "short.csv", "paris,lyon,4\n")
	ooc(t, dir, "verify", "short.csv", "--matrix", "d.npy", "--full").want(t, 3, "the graph has 2 vertices")
	ooc(t, dir, "verify", "towns.csv", "--matrix", "none.npy", "--full").want(t, 3, "none.npy")
	ooc(t, dir, "verify", "towns.csv", "--matrix", ".", "--full").want(t, 3,
		". is a folder: --matrix takes a .npy file")
	ooc(t, dir, "verify", "towns.csv", "--matrix", "towns.csv", "--full").want(t, 3, "not a NumPy array")
	for _, words := range []string{"towns.csv --matrix d.npy", "towns.ooc --device cpu", "towns.ooc --full --rows 3",
		"towns.ooc --full --scale 10"} {
		ooc(t, dir, append([]string{"verify"}, strings.Fields(words)...)...).want(t, 2)
	}
	flip(t, dir, "towns.ooc", 4096+4*(64+2)) // lyon to nice
	ooc(t, dir, "verify", "towns.ooc", "--full").want(t, 8, "tile (0,0), from lyon to nice", "2 stored, 3 by search")
}

// TestSciPyIsProved proves matrices that SciPy has written, of both kinds and in both orders.
func TestSciPyIsProved(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "scipy")
	r := seeded(t)
	for _, flags := range [][]string{nil, {"--kind", "f32"}} {
		dir, n := t.TempDir(), 100+r.IntN(200)
		var b strings.Builder
		fmt.Fprintf(&b, "p sp %d %d\n", n, 3*n)
		for range 3 * n {
			fmt.Fprintf(&b, "a %d %d %d\n", 1+r.IntN(n), 1+r.IntN(n), 1+r.IntN(1000))
		}
		writeFile(t, dir, "g.gr", b.String())
		scipy(t, dir, "distances.py", "g.gr", "c.npy", "f.npy", "wrong.npy")
		for _, file := range []string{"c.npy", "f.npy"} {
			ooc(t, dir, append([]string{"verify", "g.gr", "--matrix", file, "--full"}, flags...)...).want(t, 0,
				"are proved")
		}
		ooc(t, dir, append([]string{"verify", "g.gr", "--matrix", "wrong.npy", "--full"}, flags...)...).want(t, 8,
			"entry [7, 11], from 8 to 12")
	}
}

// TestAnswersAreChecked flips a bit of a solved matrix: what is asked of the 64 rows of a tile that it is in is
// refused, and the rest is answered.
func TestAnswersAreChecked(t *testing.T) {
	dir := t.TempDir()
	var arcs strings.Builder
	for v := range 199 {
		fmt.Fprintf(&arcs, "%d %d 3\n", v, v+1)
	}
	writeFile(t, dir, "g.txt", arcs.String())
	ooc(t, dir, "solve", "g.txt", "--tile", "128", "--predecessors").want(t, 0)
	flip(t, dir, "g.ooc", 4096+8*(70*128+100)) // the distance from 70 to 100
	for _, words := range []string{"query g.ooc 70 100", "query g.ooc 127 3", "query g.ooc --row 90",
		"query g.ooc --col 100", "path g.ooc 70 100", "stats g.ooc", "export g.ooc g.npy"} {
		ooc(t, dir, strings.Fields(words)...).want(t, class.Corrupt, "g.ooc/dist.npy", "tile (0,0), rows 64 to 127",
			"ooc scrub", "--restart")
	}
	ooc(t, dir, "query", "g.ooc", "63", "100").want(t, 0, "111")
	ooc(t, dir, "query", "g.ooc", "70", "130").want(t, 0, "180")
	ooc(t, dir, "query", "g.ooc", "--row", "130").want(t, 0)
	ooc(t, dir, "scrub", "g.ooc").want(t, class.Corrupt, "tile (0,0), rows 64 to 127")
}
