package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"

	"ooc/engine/graph"
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
	g, _, err := graph.ReadFile(file, graph.Options{})
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
