package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph/gen"
	"ooc/engine/mst"
	"ooc/tiles/crashtest"
)

// mstTowns is a graph with text ids, a parallel edge, a negative weight and a component of its own.
const mstTowns = "paris,lyon,4\nlyon,nice,3\nparis,nice,9\nnice,lyon,-2.5\nisle,reef,0\n"

func TestMST(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", mstTowns)
	for _, method := range mst.Methods.Names() {
		r := ooc(t, dir, "mst", "towns.csv", "--undirected", "--method", method).want(t, 0,
			"2 components: a forest of 3 edges")
		if want := "paris\tlyon\t4\nlyon\tnice\t-2.5\nisle\treef\t0\ntotal\t1.5\n"; r.stdout != want {
			t.Errorf("%s printed\n%swant\n%s", method, r.stdout, want)
		}
		objects := jsonLines(t, ooc(t, dir, "mst", "towns.csv", "--undirected", "--method", method, "--json", "--scale",
			"10").want(t, 0).stdout)
		if len(objects) != 4 || objects[1]["weight"] != -2.5 || objects[3]["total"] != 1.5 ||
			objects[3]["components"] != 2.0 {
			t.Errorf("%s: objects %v", method, objects)
		}
	}
	ooc(t, dir, "mst", "towns.csv").want(t, 3, "directed", "--undirected")
	ooc(t, dir, "mst", "towns.csv", "--undirected", "--method", "magic").want(t, 2, "magic")
	ooc(t, dir, "mst", "missing.csv").want(t, 3)
	ooc(t, dir, "mst", "towns.csv", "--undirected", "--device", "cpu", "--device-memory", "1KiB").want(t, 2, "need")
}

// TestMSTOfMatrix wants of a matrix in a file what its edges give.
func TestMSTOfMatrix(t *testing.T) {
	r := seeded(t)
	dir := t.TempDir()
	const n = 150
	var weights [n][n]int32
	var lines strings.Builder
	for u := range n {
		for v := range u {
			weights[u][v], weights[v][u] = -1, -1
			if w := r.Int32N(1000); w < 100 {
				weights[u][v], weights[v][u] = w, w
				fmt.Fprintf(&lines, "%d %d %d\n", u, v, w)
			}
		}
		fmt.Fprintf(&lines, "%d %d 0\n", u, u)
	}
	writeFile(t, dir, "m.npy", string(matrix(n, func(u, v int) int32 { return weights[u][v] })))
	writeFile(t, dir, "m.txt", lines.String())
	for _, method := range mst.Methods.Names() {
		want := ooc(t, dir, "mst", "m.txt", "--undirected", "--method", method).want(t, 0)
		got := ooc(t, dir, "mst", "m.npy", "--undirected", "--no-arc", "-1", "--method", method).want(t, 0)
		if got.stdout != want.stdout {
			t.Errorf("%s gives of a matrix what it does not give of edges", method)
		}
	}
}

// TestMSTEqualsSciPy compares graphs of every shape, and California where it is at hand.
func TestMSTEqualsSciPy(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "scipy")
	r := seeded(t)
	dir := t.TempDir()
	var args []string
	add := func(file string, flags ...string) {
		for _, method := range mst.Methods.Names() {
			out := ooc(t, dir, append([]string{"mst", file, "--undirected", "--method", method}, flags...)...).want(t,
				0)
			args = append(args, file, writeFile(t, dir, fmt.Sprintf("%d.out", len(args)), out.stdout))
		}
	}
	for _, g := range gen.Kinds {
		file := g.Name + ".edges"
		ooc(t, dir, "gen", g.Name, file, "-n", fmt.Sprint(30+r.IntN(300)), "--undirected", "--seed",
			fmt.Sprint(r.Uint32())).want(t, 0)
		add(file, "--kind", []string{"i32", "f32"}[r.IntN(2)])
	}
	if cal := os.Getenv("OOC_CAL_CEDGE"); cal != "" {
		add(cal, "--columns", "id,from,to,weight")
	}
	scipy(t, dir, "mst.py", slices.Clone(args)...)
}
