package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"

	"ooc/engine/graph/read"
)

// peerGraph writes a random graph of n vertices and 10 n arcs.
func peerGraph(b *testing.B, dir string, n int) string {
	b.Helper()
	ooc(b, dir, "gen", "random", "g.gr", "-n", fmt.Sprint(n), "-m", fmt.Sprint(10*n)).want(b, 0)
	return filepath.Join(dir, "g.gr")
}

// oneThread solves with one thread and returns the seconds of its rounds.
func oneThread(b *testing.B, dir string) float64 {
	b.Helper()
	cmd := command(b, dir, "solve", "g.gr", "--kind", "f32", "--algorithm", "blocked", "--restart", "--json")
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	r := finish(b, cmd)
	if r.code != 0 {
		b.Fatal(r.stderr)
	}
	var seconds float64
	for _, v := range jsonLines(b, r.stdout) {
		if v["type"] == "summary" {
			seconds = v["rounds_seconds"].(float64)
		}
	}
	return seconds
}

// compare alternates ours and theirs and reports the median ratio, its spread and both medians.
func compare(b *testing.B, ours, theirs func() float64) {
	b.Helper()
	for b.Loop() {
		var ratios, own, other []float64
		for range 3 {
			o, t := ours(), theirs()
			own, other, ratios = append(own, o), append(other, t), append(ratios, t/o)
		}
		for _, s := range [][]float64{ratios, own, other} {
			slices.Sort(s)
		}
		b.ReportMetric(ratios[1], "times-faster")
		b.ReportMetric(ratios[0], "least")
		b.ReportMetric(ratios[2], "most")
		b.ReportMetric(own[1], "s-ooc")
		b.ReportMetric(other[1], "s-peer")
	}
}

// BenchmarkSciPy sets one thread of ooc, f32, beside SciPy's floyd_warshall, which has one thread, n = 4096.
func BenchmarkSciPy(b *testing.B) {
	dir := b.TempDir()
	file := peerGraph(b, dir, 4096)
	compare(b, func() float64 { return oneThread(b, dir) }, func() float64 {
		out := strings.TrimSpace(scipy(b, dir, "floyd_warshall.py", file))
		seconds, err := strconv.ParseFloat(out, 64)
		if err != nil {
			b.Fatal(err)
		}
		return seconds
	})
}

// BenchmarkGonum sets one thread of ooc, f32, beside gonum's path.FloydWarshall, n = 2048.
func BenchmarkGonum(b *testing.B) {
	dir := b.TempDir()
	file := peerGraph(b, dir, 2048)
	g, _, _, err := read.Open(file, read.Options{})
	if err != nil {
		b.Fatal(err)
	}
	theirs := simple.NewWeightedDirectedGraph(0, math.Inf(1))
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			theirs.SetWeightedEdge(theirs.NewWeightedEdge(simple.Node(u), simple.Node(g.Targets[k]), g.Weight(k)))
		}
	}
	compare(b, func() float64 { return oneThread(b, dir) }, func() float64 {
		began := time.Now()
		if _, ok := path.FloydWarshall(theirs); !ok {
			b.Fatal("a negative cycle")
		}
		return time.Since(began).Seconds()
	})
}

// california returns cal.cedge, which OOC_CAL_CEDGE names.
func california(b *testing.B) string {
	b.Helper()
	file := os.Getenv("OOC_CAL_CEDGE")
	if file == "" {
		b.Skip("OOC_CAL_CEDGE does not name a copy of cal.cedge (F. Li and others, real datasets for spatial databases)")
	}
	return file
}

// wholeSolve runs a solve of cal.cedge, from reading the graph to the synced store, and returns its wall time.
func wholeSolve(b *testing.B, dir, file string) float64 {
	b.Helper()
	if err := os.RemoveAll(filepath.Join(dir, "cal.ooc")); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	ooc(b, dir, "solve", file, "--columns", "id,from,to,weight", "--undirected", "--out", "cal.ooc", "--progress",
		"never").want(b, 0)
	return time.Since(began).Seconds()
}

// BenchmarkCalifornia sets a whole solve of cal.cedge to a synced store beside dd, which writes and syncs as many
// bytes; beside SciPy's Dijkstra from all sources; and beside networkit's APSP on all cores.
func BenchmarkCalifornia(b *testing.B) {
	file := california(b)
	dir := b.TempDir()
	ours := func() float64 { return wholeSolve(b, dir, file) }
	b.Run("dd", func(b *testing.B) {
		compare(b, ours, func() float64 {
			matrix := filepath.Join(dir, "cal.ooc", "dist.npy")
			info, err := os.Stat(matrix)
			if err != nil {
				b.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(dir, "cal.ooc")); err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			out := filepath.Join(dir, "dd.out")
			cmd := exec.Command("dd", "if=/dev/zero", "of="+out, "bs=1M", fmt.Sprint("count=", info.Size()>>20),
				"conv=fsync")
			if text, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, text)
			}
			took := time.Since(began).Seconds()
			if err := os.Remove(out); err != nil {
				b.Fatal(err)
			}
			return took
		})
	})
	for _, peer := range []string{"dijkstra", "networkit"} {
		b.Run(peer, func(b *testing.B) {
			for b.Loop() { // the peer takes long and varies little: once, and ours three times
				var own []float64
				for range 3 {
					own = append(own, ours())
				}
				slices.Sort(own)
				seconds, err := strconv.ParseFloat(strings.TrimSpace(scipy(b, dir, "sparse_peers.py", peer, file)), 64)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(seconds/own[1], "times-faster")
				b.ReportMetric(seconds/own[2], "least")
				b.ReportMetric(seconds/own[0], "most")
				b.ReportMetric(own[1], "s-ooc")
				b.ReportMetric(seconds, "s-peer")
			}
		})
	}
}

// BenchmarkRoadRows expands 4,096 rows of a road network of 100,000 vertices into a file, and counts distances a
// second from the elimination to the sync, ordering apart.
func BenchmarkRoadRows(b *testing.B) {
	dir := b.TempDir()
	ooc(b, dir, "gen", "road", "r.gr", "-n", "100000").want(b, 0)
	for b.Loop() {
		r := ooc(b, dir, "solve", "r.gr", "--sources", "random:4096", "--restart", "--json").want(b, 0)
		for _, v := range jsonLines(b, r.stdout) {
			if v["type"] == "summary" {
				plan := v["eliminate"].(map[string]any)
				seconds := v["eliminate_seconds"].(float64) + v["core_seconds"].(float64) + v["expand_seconds"].(float64) + v["sync_seconds"].(float64) - plan["order_seconds"].(float64)
				b.ReportMetric(4096*100000/seconds/1e6, "Mdist/s")
				b.ReportMetric(4096*100000/v["expand_seconds"].(float64)/1e6, "Mdist/s-expansion")
			}
		}
	}
}
