package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ooc/engine/graph/gen"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// TestU16 solves graphs whose distances fit 16 bits, and wants those refused of which that is not certain.
func TestU16(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "fits.csv", "a,b,16319\nb,c,16319\na,d,40000\nb,d,1\n")
	writeFile(t, dir, "long.csv", "a,b,16319\nb,c,16320\n")
	writeFile(t, dir, "below.csv", "a,b,3\nb,c,-1\n")
	ooc(t, dir, "solve", "fits.csv", "--undirected", "--kind", "u16").want(t, 0, "u16", "one half")
	if r := ooc(t, dir, "query", "fits.ooc", "--row", "a").want(t, 0); r.stdout != "a\ta\t0\na\tb\t16319\na\tc\t32638\na\td\t16320\n" {
		t.Errorf("%q", r.stdout)
	}
	ooc(t, dir, "path", "fits.ooc", "a", "c").want(t, 0, "16319")
	ooc(t, dir, "stats", "fits.ooc").want(t, 0, "diameter     32638")
	ooc(t, dir, "verify", "fits.ooc").want(t, 0)
	ooc(t, dir, "verify", "fits.ooc", "--full").want(t, 0)
	ooc(t, dir, "scrub", "fits.ooc").want(t, 0)
	ooc(t, dir, "sssp", "fits.ooc", "--source", "c").want(t, 0, "a\t32638")
	ooc(t, dir, "solve", "fits.csv", "--undirected", "--kind", "u16").want(t, 0, "already solved")
	ooc(t, dir, "solve", "fits.csv", "--undirected", "--kind", "i32").want(t, 3, "--kind u16", "--restart")
	ooc(t, dir, "solve", "long.csv", "--kind", "u16").want(t, 3, "32639", "--kind i32")
	ooc(t, dir, "solve", "below.csv", "--kind", "u16").want(t, 3, "negative", "--kind i32")
	ooc(t, dir, "solve", "fits.csv", "--kind", "u16", "--predecessors", "--out", "trees.ooc").want(t, 2, "--kind i32", "ooc path")
	ooc(t, dir, "mst", "fits.csv", "--undirected", "--kind", "u16").want(t, 2, "want one of i32, f32")
}

// TestF64 solves decimals, which it holds as SciPy does.
func TestF64(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "d.csv", "a,b,0.1\nb,c,0.2\nc,a,1e300\na,b,0.10000000000000002\n")
	if r := ooc(t, dir, "solve", "d.csv", "--kind", "f64").want(t, 0, "weights 0.1…1e+300, f64"); strings.Contains(r.stderr, "rounded") {
		t.Errorf("%q", r.stderr)
	}
	if r := ooc(t, dir, "query", "d.ooc", "--row", "a").want(t, 0); r.stdout != "a\ta\t0\na\tb\t0.1\na\tc\t0.30000000000000004\n" {
		t.Errorf("%q", r.stdout)
	}
	ooc(t, dir, "path", "d.ooc", "a", "c").want(t, 0, "0.30000000000000004")
	ooc(t, dir, "stats", "d.ooc").want(t, 0, "diameter     1e+300")
	ooc(t, dir, "export", "d.ooc", "d.mtx").want(t, 0)
	if !strings.Contains(string(readFile(t, dir, "d.mtx")), "0.30000000000000004\n") {
		t.Error("an export has other digits")
	}
	ooc(t, dir, "export", "d.ooc", "p.npy", "--predecessors").want(t, 0)
	ooc(t, dir, "verify", "d.ooc").want(t, 0)
	ooc(t, dir, "verify", "d.ooc", "--full").want(t, 0, "within the rounding of f64")
	ooc(t, dir, "sssp", "d.ooc", "--source", "a").want(t, 3, "i32 or f32")
	writeFile(t, dir, "large.csv", "a,b,1e309\n")
	ooc(t, dir, "solve", "large.csv", "--kind", "f64").want(t, 3, "too large for kind f64")

	// Paths longer than any number, in a graph in which two arcs lead to a vertex; and the way out.
	writeFile(t, dir, "long.csv", strings.ReplaceAll("a,b,w\nb,c,w\nc,d,w\nd,e,w\ne,f,w\nf,a,w\na,c,w\n", "w", "1e308"))
	for _, line := range []string{
		"plan long.csv", "solve long.csv", "stats long.csv", "near long.csv long.npz --within inf", "near long.csv long.npz --k-nearest 1",
	} {
		words := append(strings.Fields(line), "--kind", "f64", "--undirected")
		ooc(t, dir, words...).want(t, 3, "divide the weights by a power of two")
	}
	writeFile(t, dir, "long.csv", strings.ReplaceAll(string(readFile(t, dir, "long.csv")), "1e308", fmt.Sprint(1e308/64)))
	ooc(t, dir, "solve", "long.csv", "--kind", "f64", "--undirected").want(t, 0)
}

// TestF64Predecessors keeps predecessors beside doubles, on the processor and on what is picked by itself: a GPU
// where there is one. Weights are such that no sum is rounded, so the distances are the same bytes.
func TestF64Predecessors(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "d.csv", "a,b,0.1\nb,c,0.2\nc,a,1e300\n")
	ooc(t, dir, "solve", "d.csv", "--kind", "f64", "--predecessors").want(t, 0)
	if b := readFile(t, dir, "d.ooc", "dist.npy"); len(b) != 4096+64*64*16 {
		t.Errorf("dist.npy has %d bytes", len(b))
	}
	if r := ooc(t, dir, "query", "d.ooc", "--row", "a").want(t, 0); r.stdout != "a\ta\t0\na\tb\t0.1\na\tc\t0.30000000000000004\n" {
		t.Errorf("%q", r.stdout)
	}
	ooc(t, dir, "path", "d.ooc", "a", "c").want(t, 0, "0.30000000000000004", "b\tc\t0.2")
	ooc(t, dir, "stats", "d.ooc").want(t, 0, "diameter     1e+300")
	ooc(t, dir, "scrub", "d.ooc").want(t, 0)

	ooc(t, dir, "gen", "random", "g.gr", "-n", "300", "-m", "1200", "--seed", "7").want(t, 0)
	var exports [][]byte
	for _, flags := range []string{"--device cpu", "--device auto", "--device auto --algorithm single-stage"} {
		solve := append([]string{"solve", "g.gr", "--kind", "f64", "--predecessors", "--restart", "--tile", "64"}, strings.Fields(flags)...)
		r := ooc(t, dir, solve...).want(t, 0)
		if strings.Contains(flags, "auto") && strings.Contains(r.stderr, "device cpu") == hasGPU(t) {
			t.Errorf("a GPU: %v: %s", hasGPU(t), r.stderr)
		}
		ooc(t, dir, "verify", "g.ooc", "--full").want(t, 0, "the predecessors of each row lead back")
		ooc(t, dir, "export", "g.ooc", "p.npy", "--predecessors", "--overwrite").want(t, 0)
		ooc(t, dir, "export", "g.ooc", "d.npy", "--overwrite").want(t, 0)
		if exports = append(exports, readFile(t, dir, "d.npy")); !bytes.Equal(exports[0], exports[len(exports)-1]) {
			t.Errorf("%s: other distances", flags)
		}
		for at, entries := 0, readFile(t, dir, "g.ooc", "dist.npy")[4096:]; at < len(entries); at += 16 {
			if rest := entries[at+12 : at+16]; !bytes.Equal(rest, make([]byte, 4)) {
				t.Fatalf("%s: pair %d ends in %v", flags, at/16, rest)
			}
		}
	}
}

// TestHopCounts solves a graph without weights in both kinds of integers and all layouts: the exports are the same
// bytes, and a fourth of them is stored.
func TestHopCounts(t *testing.T) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "road", "-n", "400", "--seed", "7", "roads.txt").want(t, 0)
	var hops strings.Builder
	for line := range strings.Lines(string(readFile(t, dir, "roads.txt"))) {
		if f := strings.Fields(line); len(f) == 3 && f[0] != "#" {
			hops.WriteString(f[0] + " " + f[1] + "\n")
		}
	}
	writeFile(t, dir, "hops.txt", hops.String())
	ooc(t, dir, "gen", "star", "-n", "4200", "--seed", "7", "star.txt").want(t, 0)
	ooc(t, dir, "plan", "star.txt", "--undirected").want(t, 0, "--kind u16 takes 17 MiB for the matrix, i32 34 MiB")
	var exports [][]byte
	var sizes []int64
	for _, flags := range []string{"--kind i32 --layout square", "--kind u16 --layout square", "--kind i32", "--kind u16"} {
		ooc(t, dir, append([]string{"solve", "hops.txt", "--undirected", "--restart", "--tile", "64"}, strings.Fields(flags)...)...).want(t, 0, "weights 1…1")
		ooc(t, dir, "export", "hops.ooc", "d.npy", "--overwrite").want(t, 0)
		exports = append(exports, readFile(t, dir, "d.npy"))
		info, err := os.Stat(tiles.MatrixPath(filepath.Join(dir, "hops.ooc")))
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	for _, e := range exports {
		if !bytes.Equal(e, exports[0]) {
			t.Error("an export differs")
		}
	}
	if float64(sizes[3]) > 0.3*float64(sizes[0]) {
		t.Errorf("%d bytes", sizes)
	}
}

// TestCampaignKindsEqualSciPy compares every shape of graph, in the long campaign in every kind and layout.
func TestCampaignKindsEqualSciPy(t *testing.T) {
	crashtest.Campaign(t)
	t.Parallel()
	dir := t.TempDir()
	for _, shape := range gen.Kinds {
		for _, direction := range []string{"--directed", "--undirected"} {
			args := []string{"gen", shape.Name, "-n", "300", "--overwrite", "all.gr"}
			if direction == "--undirected" {
				args = append(args, direction)
			}
			ooc(t, dir, args...).want(t, 0)
			var short strings.Builder // weights with which the distances of every shape fit
			for line := range strings.Lines(string(readFile(t, dir, "all.gr"))) {
				if f := strings.Fields(line); f[0] == "a" {
					w, err := strconv.Atoi(f[3])
					if err != nil {
						t.Fatal(err)
					}
					line = fmt.Sprintln(f[0], f[1], f[2], 1+w%100)
				}
				short.WriteString(line)
			}
			graph := writeFile(t, dir, "g.gr", short.String())
			for _, kind := range entry.Kinds[crashtest.Times(2, 0):] {
				for _, layout := range []string{"", "--layout=square"}[:crashtest.Times(1, 2)] {
					solve := append([]string{"solve", "g.gr", "--restart", "--tile", "64", "--kind", string(kind)}, strings.Fields(layout)...)
					ooc(t, dir, solve...).want(t, 0)
					if out := scipy(t, dir, "compare.py", "g.ooc", graph); !strings.Contains(out, "agree") {
						t.Errorf("%s %s %s %s: %s", shape.Name, direction, kind, layout, out)
					}
				}
			}
		}
	}
}
