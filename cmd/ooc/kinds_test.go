package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ooc/engine/graph/gen"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// TestHelpOfKinds wants each kind explained where the help of --kind sends readers, and its bytes told.
func TestHelpOfKinds(t *testing.T) {
	for _, kind := range append([]entry.Kind{entry.KindU8}, entry.Kinds...) {
		ooc(t, "", "help", "numbers").want(t, 0, "\n  "+string(kind)+" ", fmt.Sprintf(" %d byte", kind.Bytes()))
		ooc(t, "", "help", "memory").want(t, 0, string(kind))
	}
}

// TestU16 solves graphs whose distances fit 16 bits, and wants those refused of which that is not certain.
func TestU16(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "fits.csv", "a,b,16319\nb,c,16319\na,d,40000\nb,d,1\n")
	writeFile(t, dir, "long.csv", "a,b,16319\nb,c,16320\n")
	writeFile(t, dir, "below.csv", "a,b,3\nb,c,-1\n")
	ooc(t, dir, "solve", "fits.csv", "--undirected", "--kind", "u16").want(t, 0, "u16", "one half")
	if r := ooc(t, dir, "query", "fits.ooc", "--row", "a").want(t,
		0); r.stdout != "a\ta\t0\na\tb\t16319\na\tc\t32638\na\td\t16320\n" {
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
	ooc(t, dir, "solve", "fits.csv", "--kind", "u16", "--predecessors", "--out", "trees.ooc").want(t, 2, "--kind i32",
		"ooc path")
	ooc(t, dir, "mst", "fits.csv", "--undirected", "--kind", "u16").want(t, 2, "want one of i32, f32")
}

// TestU8 solves graphs of arcs of one weight, whose answers are those of kind u16, and wants those refused whose
// distances do not fit a byte.
func TestU8(t *testing.T) {
	dir := t.TempDir()
	r := seeded(t)
	refused := 0
	for i, shape := range []string{"powerlaw", "smallworld", "tree", "grid", "ring", "road", "ring"} {
		n := fmt.Sprint(100 + r.IntN(500))
		if i == 6 {
			n = "600" // whose longest path has 300 arcs, or 599
		}
		ooc(t, dir, "gen", shape, "g.gr", "-n", n, "--overwrite", "--seed", fmt.Sprint(r.Uint32())).want(t, 0)
		for _, how := range [][]string{{"--undirected"}, {"--directed"}, {"--undirected", "--layout", "square"},
			{"--directed", "--sources", "random:30"}} {
			solve := slices.Concat([]string{"solve", "g.gr", "--unweighted", "--restart"}, how)
			ooc(t, dir, append(solve, "--kind", "u16", "--out", "two.ooc")...).want(t, 0)
			longest, _ := jsonLines(t,
				ooc(t, dir, "stats", "two.ooc", "--json").want(t, 0).stdout)[0]["longest_distance"].(float64)
			one := append(solve, "--kind", "u8", "--out", "one.ooc")
			if longest > 254 {
				refused++
				ooc(t, dir, one...).want(t, class.Input, fmt.Sprintf("a shortest path has %v arcs", longest),
					"must stay below 255: use --kind u16")
				continue
			}
			ooc(t, dir, one...).want(t, 0, "u8", "rows by searches")
			for _, file := range []string{"npy", "csv", "mtx"} {
				for _, store := range []string{"one", "two"} {
					ooc(t, dir, "export", store+".ooc", store+"."+file, "--overwrite").want(t, 0)
				}
				if !bytes.Equal(readFile(t, dir, "one."+file), readFile(t, dir, "two."+file)) {
					t.Fatalf("%s %v: exports to .%s differ", shape, how, file)
				}
			}
			stats := ooc(t, dir, "stats", "one.ooc", "--csv", "--within", "1,3").want(t, 0).stdout
			if stats != ooc(t, dir, "stats", "two.ooc", "--csv", "--within", "1,3").want(t, 0).stdout {
				t.Fatalf("%s %v: statistics differ", shape, how)
			}
			ooc(t, dir, "verify", "one.ooc").want(t, 0)
			ooc(t, dir, "scrub", "one.ooc").want(t, 0)
			if file := readFile(t, dir, "one.ooc",
				"dist.npy"); 2*(len(file)-4096) != len(readFile(t, dir, "two.ooc", "dist.npy"))-4096 {
				t.Errorf("%s: %d bytes are not half of u16's", shape, len(file))
			}
		}
	}
	if refused == 0 {
		t.Error("no graph had too long a path")
	}
}

// TestU8AtItsEnd solves chains of which the longest path just fits, and does not, and wants refusals of what kind u8 is
// not for.
func TestU8AtItsEnd(t *testing.T) {
	dir := t.TempDir()
	chain := func(name string, arcs int) {
		var lines strings.Builder
		for v := range arcs {
			fmt.Fprintf(&lines, "v%d,v%d\n", v, v+1)
		}
		writeFile(t, dir, name, lines.String())
	}
	chain("fits.csv", 254)
	chain("long.csv", 255)
	for _, direction := range []string{"--directed", "--undirected"} {
		ooc(t, dir, "solve", "fits.csv", "--kind", "u8", direction, "--restart").want(t, 0)
		ooc(t, dir, "verify", "fits.ooc", "--full").want(t, 0)
		if r := ooc(t, dir, "query", "fits.ooc", "v0", "v254").want(t, 0); r.stdout != "v0\tv254\t254\n" {
			t.Errorf("%q", r.stdout)
		}
		ooc(t, dir, "path", "fits.ooc", "v0", "v254").want(t, 0, "v253")
		ooc(t, dir, "sssp", "fits.ooc", "--source", "v0").want(t, 0, "v254\t254")
		for _, command := range []string{"solve", "plan"} {
			ooc(t, dir, command, "long.csv", "--kind", "u8", direction).want(t, class.Input,
				"long.csv: a shortest path has 255 arcs", "--kind u16")
		}
	}
	ooc(t, dir, "solve", "fits.csv", "--kind", "u16", "--undirected").want(t, class.Input, "--kind u8", "--restart")
	ooc(t, dir, "solve", "long.csv", "--kind", "u8", "--directed", "--sources", "v1", "--out", "row.ooc").want(t, 0)
	ooc(t, dir, "solve", "long.csv", "--kind", "u8", "--directed", "--sources", "v0", "--out", "no.ooc").want(t,
		class.Input, "255 arcs")
	writeFile(t, dir, "two.csv", "a,b,1\nb,c,2\n")
	writeFile(t, dir, "zero.csv", "a,b,0\nb,c,0\n")
	writeFile(t, dir, "three.csv", "a,b,3\nb,c,3\n")
	ooc(t, dir, "solve", "two.csv", "--kind", "u8").want(t, class.Input, "these have 1 to 2", "--kind u16",
		"--unweighted")
	ooc(t, dir, "solve", "two.csv", "--kind", "u8", "--unweighted").want(t, 0)
	writeFile(t, dir, "far.csv", "a,b,300\n")
	ooc(t, dir, "solve", "far.csv", "--kind", "u8").want(t, class.Input, "has 1 arc and is as long as 300,")
	ooc(t, dir, "solve", "zero.csv", "--kind", "u8").want(t, class.Input, "one weight above 0")
	ooc(t, dir, "solve", "three.csv", "--kind", "u8").want(t, 0)
	ooc(t, dir, "query", "three.ooc", "a", "c").want(t, 0, "a\tc\t6")
	ooc(t, dir, "solve", "three.csv", "--kind", "u8", "--keep", "factors", "--out", "kept.ooc").want(t, 0)
	ooc(t, dir, "query", "kept.ooc", "a", "c").want(t, 0, "a\tc\t6")
	for _, refused := range [][]string{
		{"--predecessors"}, {"--algorithm", "blocked"}, {"--algorithm", "eliminate"},
		{"--keep", "factors", "--algorithm", "factors"},
	} {
		line := append([]string{"solve", "three.csv", "--kind", "u8", "--out", "not.ooc"}, refused...)
		ooc(t, dir, line...).want(t, class.Usage, "kind u8")
	}
	ooc(t, dir, "plan", "--vertices", "500", "--kind", "u8").want(t, class.Usage, "give a list of arcs")
	ooc(t, dir, "plan", "three.csv", "--kind", "u8", "--for", "stats").want(t, class.Usage, "--kind u8 is for stores")
	ooc(t, dir, "stats", "three.csv", "--kind", "u8").want(t, class.Usage, "want one of i32")
}

// TestF64 solves decimals, which it holds as SciPy does.
func TestF64(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "d.csv", "a,b,0.1\nb,c,0.2\nc,a,1e300\na,b,0.10000000000000002\n")
	if r := ooc(t, dir, "solve", "d.csv", "--kind", "f64").want(t, 0,
		"weights 0.1…1e+300, f64"); strings.Contains(r.stderr, "rounded") {
		t.Errorf("%q", r.stderr)
	}
	if r := ooc(t, dir, "query", "d.ooc", "--row", "a").want(t,
		0); r.stdout != "a\ta\t0\na\tb\t0.1\na\tc\t0.30000000000000004\n" {
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
		"plan long.csv", "solve long.csv", "stats long.csv", "near long.csv long.npz --within inf",
		"near long.csv long.npz --k-nearest 1",
	} {
		words := append(strings.Fields(line), "--kind", "f64", "--undirected")
		ooc(t, dir, words...).want(t, 3, "divide the weights by a power of two")
	}
	writeFile(t, dir, "long.csv",
		strings.ReplaceAll(string(readFile(t, dir, "long.csv")), "1e308", fmt.Sprint(1e308/64)))
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
	if r := ooc(t, dir, "query", "d.ooc", "--row", "a").want(t,
		0); r.stdout != "a\ta\t0\na\tb\t0.1\na\tc\t0.30000000000000004\n" {
		t.Errorf("%q", r.stdout)
	}
	ooc(t, dir, "path", "d.ooc", "a", "c").want(t, 0, "0.30000000000000004", "b\tc\t0.2")
	ooc(t, dir, "stats", "d.ooc").want(t, 0, "diameter     1e+300")
	ooc(t, dir, "scrub", "d.ooc").want(t, 0)

	ooc(t, dir, "gen", "random", "g.gr", "-n", "300", "-m", "1200", "--seed", "7").want(t, 0)
	var exports [][]byte
	for _, flags := range []string{"--device cpu", "--device auto", "--device auto --algorithm single-stage"} {
		solve := append([]string{"solve", "g.gr", "--kind", "f64", "--predecessors", "--restart", "--tile", "64"},
			strings.Fields(flags)...)
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
	ones := []string{"plan", "star.txt", "--undirected", "--unweighted"}
	ooc(t, dir, ones...).want(t, 0, "--kind u8 takes")
	for _, rounds := range []string{"--algorithm=blocked", "--nodes=4 --node-link=50GB/s"} { // u8 has no kernels
		ones := append(slices.Clone(ones), strings.Fields(rounds)...)
		ooc(t, dir, ones...).want(t, 0, "--kind u16 takes")
		ooc(t, dir, append(ones, "--kind", "u8")...).want(t, class.Usage, "use --kind u16")
		ooc(t, dir, append(ones, "--kind", "u16")...).want(t, 0)
	}
	var exports [][]byte
	var sizes []int64
	for _, flags := range []string{"--kind i32 --layout square", "--kind u16 --layout square", "--kind i32",
		"--kind u16"} {
		ooc(t, dir, append([]string{"solve", "hops.txt", "--undirected", "--restart", "--tile", "64"},
			strings.Fields(flags)...)...).want(t, 0, "weights 1…1")
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
	var all []string // stores and their graphs
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
			name := shape.Name + direction
			graph := writeFile(t, dir, name+".gr", short.String())
			for _, kind := range entry.Kinds[crashtest.Times(2, 0):] {
				for _, layout := range []string{"", "--layout=square"}[:crashtest.Times(1, 2)] {
					store := name + string(kind) + layout + ".ooc"
					solve := append([]string{"solve", graph, "--out", store, "--tile", "64", "--kind", string(kind)},
						strings.Fields(layout)...)
					ooc(t, dir, solve...).want(t, 0)
					all = append(all, store, graph)
				}
			}
		}
	}
	if out := scipy(t, dir, "compare.py", all...); strings.Count(out, "agree") != len(all)/2 {
		t.Errorf("of %d stores: %s", len(all)/2, out)
	}
}
