package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// TestStatsEqualPython compares every number with networkx's and igraph's, on random graphs, connected and not. Of
// the largest, networkx computes a few.
func TestStatsEqualPython(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "networkx, igraph, scipy")
	r := seeded(t)
	dir := t.TempDir()
	n := 60 + r.IntN(60)
	var args []string
	for _, c := range []struct{ name, file, flags string }{
		{"large", writeFile(t, dir, "large.gr", randomArcs(r, "a ", 700, 3500, 200, 1)), ""},
		{"scattered", writeFile(t, dir, "scattered.gr", randomArcs(r, "a ", n, n, 200, 1)), ""},
		{"tight", writeFile(t, dir, "tight.gr", randomArcs(r, "a ", n, 8*n, 200, 1)), ""},
		{"islands", writeFile(t, dir, "islands.txt", randomArcs(r, "", n, n/2, 200, 1)), "--undirected"},
		{"edges", writeFile(t, dir, "edges.txt", randomArcs(r, "", n, 8*n, 200, 1)), "--undirected"},
		{"unit", writeFile(t, dir, "unit.txt", randomArcs(r, "", n, 8*n, 1, 1)), "--undirected"},
		{"floats", writeFile(t, dir, "floats.txt", randomArcs(r, "", n, 2*n, 800, 0.25)), "--undirected --kind f32"},
		{"scaled", writeFile(t, dir, "scaled.txt", randomArcs(r, "", n, 2*n, 800, 0.25)), "--undirected --scale 100"},
	} {
		args = append(args, c.file, statsOf(t, dir, c.name, c.file, c.flags))
	}
	if out := scipy(t, dir, "stats.py", args...); strings.Count(out, "numbers") != len(args)/2 {
		t.Errorf("%d graphs, and %s", len(args)/2, out)
	}
}

// TestCampaignStatsOfRome compares all of them on the road network of Rome, for which networkx and igraph take half a
// minute.
func TestCampaignStatsOfRome(t *testing.T) {
	crashtest.Campaign(t)
	if crashtest.Times(0, 10) == 0 {
		t.Skip("it takes a minute, and a short campaign has TestStatsEqualPython: OOC_CAMPAIGN=medium runs it")
	}
	t.Parallel() // Python has one thread
	needPython(t, "networkx, igraph, scipy")
	dir := t.TempDir()
	scipy(t, dir, "stats.py", "all", rome(t), statsOf(t, dir, "rome", rome(t), ""))
}

// statsOf solves a graph and writes its statistics to a file.
func statsOf(t *testing.T, dir, name, file, flags string) string {
	t.Helper()
	ooc(t, dir, append([]string{"solve", file, "--out", name + ".ooc"}, strings.Fields(flags)...)...).want(t, 0)
	got := ooc(t, dir, "stats", name+".ooc", "--json", "--bins", "0,10,100,1000,30000,90000", "--k-nearest", "3",
		"--within", "100,500.5").want(t, 0)
	return writeFile(t, dir, name+".json", got.stdout)
}

// randomArcs writes arcs of n vertices with weights of 1…most units, with a DIMACS head if lines start with a.
func randomArcs(r *rand.Rand, start string, n, arcs, most int, unit float64) string {
	var b strings.Builder
	if start != "" {
		fmt.Fprintf(&b, "p sp %d %d\n", n, arcs)
	}
	for range arcs {
		u := r.IntN(n)
		fmt.Fprintf(&b, "%s%d %d %v\n", start, 1+u, 1+(u+1+r.IntN(n-1))%n, float64(1+r.IntN(most))*unit)
	}
	return b.String()
}

func TestStatsOfTowns(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	ooc(t, dir, "solve", "towns.csv").want(t, 0)
	ooc(t, dir, "stats", "towns.ooc", "--bins", "0,5,10", "--within", "4").want(t, 0,
		"4 vertices, directed, not strongly connected", "9 of 12 pairs", "infinite: paris does not reach isle",
		"8, from isle to nice", "radius       8, from isle to nice", "center       isle", "periphery    none",
		"within 4     1.5 others on average, at most 2 at lyon", "5 … 10")
	r := ooc(t, dir, "stats", "towns.ooc", "--csv", "--k-nearest", "1", "--within", "4").want(t, 0, "read ")
	if want := "vertex,eccentricity,longest_distance,farthest,descendants,ancestors,distance_sum,distance_sum_in," +
		"closeness_centrality,closeness_centrality_out,harmonic_centrality,harmonic_centrality_out,within_4,nearest_1,nearest_1_distance\n" +
		"paris,inf,7,nice,2,3,11,4,"; !strings.HasPrefix(r.stdout, want) {
		t.Errorf("%s\nwant\n%s", r.stdout, want)
	}
	v := jsonLines(t, ooc(t, dir, "stats", "towns.ooc", "--json").want(t, 0).stdout)
	if len(v) != 1 || v[0]["type"] != "summary" || v[0]["diameter"] != nil || v[0]["longest_distance"] != 8.0 {
		t.Errorf("%v", v)
	}
	writeFile(t, dir, "one.csv", "a,b,1.5\nb,a,1.5\n")
	ooc(t, dir, "solve", "one.csv", "--scale", "10").want(t, 0)
	ooc(t, dir, "stats", "one.ooc").want(t, 0, "diameter     1.5, from a to b", "efficiency   0.66666666",
		"barycenter   a b")
}

func TestQueryNear(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	ooc(t, dir, "solve", "towns.csv").want(t, 0)
	for _, c := range []struct{ args, out string }{
		{"isle --k-nearest 2", "isle\tparis\t1\nisle\tlyon\t5\n"},
		{"--row isle --k-nearest 9", "isle\tparis\t1\nisle\tlyon\t5\nisle\tnice\t8\n"},
		{"--col lyon --k-nearest 2", "paris\tlyon\t4\nnice\tlyon\t4\n"},
		{"--row isle --within 5", "isle\tparis\t1\nisle\tlyon\t5\n"},
		{"--col isle --within 5", ""},
		{"--row isle --within 5 --k-nearest 1", "isle\tparis\t1\n"},
	} {
		if r := ooc(t, dir, append([]string{"query", "towns.ooc"}, strings.Fields(c.args)...)...).want(t,
			0); r.stdout != c.out {
			t.Errorf("%s printed\n%swant\n%s", c.args, r.stdout, c.out)
		}
	}
	for _, args := range []string{"isle nice --k-nearest 1", "isle --row nice --within 1", "--row isle --k-nearest 0",
		"--row isle --within far", "--within 3", "--pairs x --within 3"} {
		ooc(t, dir, append([]string{"query", "towns.ooc"}, strings.Fields(args)...)...).want(t, 2)
	}
	ooc(t, dir, "query", "towns.ooc", "rome", "--within", "3").want(t, 3, `no vertex "rome"`)

	ooc(t, dir, "solve", "towns.csv", "--sources", "nice,isle", "--out", "some.ooc").want(t, 0)
	if r := ooc(t, dir, "query", "some.ooc", "--col", "lyon", "--k-nearest", "9").want(t,
		0); r.stdout != "nice\tlyon\t4\nisle\tlyon\t5\n" {
		t.Errorf("of chosen sources: %s", r.stdout)
	}
	ooc(t, dir, "query", "some.ooc", "lyon", "--k-nearest", "9").want(t, 3, "chosen sources")
	ooc(t, dir, "stats", "some.ooc").want(t, 0, "sources      2 vertices", "5 of 6 pairs")
}

func TestStatsPlot(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	ooc(t, dir, "solve", rome(t)).want(t, 0)
	ooc(t, dir, "stats", "rome99.ooc", "--plot", "h.png").want(t, 0, "distances, by pairs")
	picture, err := png.Decode(bytes.NewReader(readFile(t, dir, "h.png")))
	if err != nil || picture.Bounds().Dx() < 500 {
		t.Fatalf("%v", err)
	}
	colors := map[any]bool{}
	for x := range picture.Bounds().Dx() {
		for y := range picture.Bounds().Dy() {
			colors[picture.At(x, y)] = true
		}
	}
	if len(colors) < 10 {
		t.Errorf("the picture has %d colors", len(colors))
	}
	ooc(t, dir, "stats", "rome99.ooc", "--plot", "h.svg", "--csv").want(t, 0, "vertex,")
	d := xml.NewDecoder(bytes.NewReader(readFile(t, dir, "h.svg")))
	elements := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if _, start := token.(xml.StartElement); start {
			elements++
		}
	}
	if elements < 50 {
		t.Errorf("the drawing has %d elements", elements)
	}
	old := readFile(t, dir, "h.svg")
	ooc(t, dir, "stats", "rome99.ooc", "--plot", "h.svg").want(t, 1, "--overwrite")
	if !bytes.Equal(readFile(t, dir, "h.svg"), old) {
		t.Error("a file was replaced")
	}
	ooc(t, dir, "stats", "rome99.ooc", "--plot", "h.svg", "--overwrite").want(t, 0)
	ooc(t, dir, "stats", "rome99.ooc", "--plot", "no/h.svg").want(t, 3)
}

func TestStatsRefusals(t *testing.T) {
	dir := t.TempDir()
	g, err := graph.New(3).Add(0, 1, 2).Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Create(t.Context(), filepath.Join(dir, "new.ooc"), g, engine.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "stats", "new.ooc").want(t, 1, "not solved yet", "ooc solve new.ooc")
	ooc(t, dir, "stats", "new.ooc", "--plot", "h.png").want(t, 1, "not solved yet", "ooc solve new.ooc")
	ooc(t, dir, "stats", "missing.ooc").want(t, 3)
	ooc(t, dir, "solve", "new.ooc").want(t, 0)
	for _, args := range []string{
		"--json --csv", "--k-nearest 3", "--k-nearest -1 --csv", "--bins 1", "--bins 0", "--bins 1001", "--bins 5,4",
		"--bins x,1", "--bins 1,inf",
		"--within x", "--within nan", "--within 5,5.0", "--plot h.pdf", "--bins 1,,2",
	} {
		ooc(t, dir, append([]string{"stats", "new.ooc"}, strings.Fields(args)...)...).want(t, 2)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*h.*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.Truncate(filepath.Join(dir, "new.ooc", "dist.npy"), 5000); err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "stats", "new.ooc").want(t, 8, "corrupt")
}

// TestStatsInterrupted stops the pass over a large matrix, in the middle of a picture's making and without one.
func TestStatsInterrupted(t *testing.T) {
	dir := t.TempDir()
	const n = 14_000
	s, err := tiles.Create(filepath.Join(dir, "zeros.ooc"),
		tiles.Meta{N: n, Kind: entry.KindI32, T: 256, Directed: true}, &tiles.CSR{Offsets: make([]int64, n+1)},
		tiles.IDs{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Checkpoint(tiles.State{Done: n}), s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--plot", "h.png", "--csv"}, {"--csv"}} {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		cmd := command(t, dir, append([]string{"stats", "zeros.ooc"}, args...)...)
		cmd.Stdout = io.Discard
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); ctx.Err() == nil; time.Sleep(time.Millisecond) {
			if begun, _ := filepath.Glob(filepath.Join(dir, ".h.png*")); len(begun) > 0 || args[0] == "--csv" &&
				time.Since(began) > 300*time.Millisecond {
				break
			}
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code == 0 {
			tooFast(t, "the pass")
		} else if code != 130 { // a table may have begun: what goes to standard output is not taken back
			t.Errorf("%v: exit code %d", args, code)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "*h.png*")); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}
