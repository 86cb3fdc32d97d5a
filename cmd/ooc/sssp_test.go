package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph/gen"
	"ooc/engine/sssp"
	"ooc/tiles/crashtest"
)

// TestSSSP asks for paths in a small graph with text ids, a zero weight and a vertex that cannot be reached.
func TestSSSP(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	one := "paris\t0\t-\nlyon\t4\tparis\nnice\t7\tlyon\nisle\tunreachable\t-\n"
	two := "nice\tparis\t0\tnice\nnice\tlyon\t4\tparis\nnice\tnice\t0\t-\nnice\tisle\tunreachable\t-\n" +
		"isle\tparis\t1\tisle\nisle\tlyon\t5\tparis\nisle\tnice\t8\tlyon\nisle\tisle\t0\t-\n"
	for _, method := range sssp.Methods.Names() {
		for _, kind := range []string{"i32", "f32"} {
			args := []string{"sssp", "towns.csv", "--method", method, "--kind", kind, "--device", "cpu"}
			if r := ooc(t, dir, append(args, "--source", "paris")...).want(t, 0,
				"sweeps over compressed rows"); r.stdout != one {
				t.Errorf("%s %s printed\n%swant\n%s", method, kind, r.stdout, one)
			}
			if r := ooc(t, dir, append(args, "--source", "nice,isle")...).want(t, 0); r.stdout != two {
				t.Errorf("%s %s printed\n%swant\n%s", method, kind, r.stdout, two)
			}
		}
	}
	if r := ooc(t, dir, "sssp", "towns.csv", "--source", "isle", "--scale", "10").want(t,
		0); !strings.Contains(r.stdout, "nice\t8\tlyon\n") {
		t.Errorf("scaled: %s", r.stdout)
	}
	ooc(t, dir, "solve", "towns.csv").want(t, 0)
	if r := ooc(t, dir, "sssp", "towns.ooc", "--source", "paris").want(t, 0); r.stdout != one {
		t.Errorf("of the store: %s", r.stdout)
	}
	testSSSPOutput(t, dir)
}

// testSSSPOutput writes files and objects.
func testSSSPOutput(t *testing.T, dir string) {
	objects := jsonLines(t, ooc(t, dir, "sssp", "towns.csv", "--source", "paris", "--json").want(t, 0).stdout)
	if len(objects) != 5 || objects[2]["distance"] != 7.0 || objects[2]["predecessor"] != "lyon" ||
		objects[3]["distance"] != nil ||
		objects[4]["type"] != "summary" || objects[4]["method"] == "" || objects[4]["sweeps"] != 3.0 {
		t.Errorf("objects: %v", objects)
	}
	ooc(t, dir, "sssp", "towns.csv", "--source", "paris", "--out", "d.txt").want(t, 0)
	if text := string(readFile(t, dir, "d.txt")); !strings.HasPrefix(text, "paris\t0\t-\n") {
		t.Errorf("d.txt holds %q", text)
	}
	ooc(t, dir, "sssp", "towns.csv", "--source", "lyon", "--out", "d.txt").want(t, 1, "--overwrite")
	ooc(t, dir, "sssp", "towns.csv", "--source", "lyon", "--out", "d.txt", "--overwrite").want(t, 0)
	if text := string(readFile(t, dir, "d.txt")); !strings.HasPrefix(text, "paris\t3\tnice\n") {
		t.Errorf("d.txt holds %q", text)
	}
}

func TestSSSPExitCodes(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "cycle.csv", "a,b,4\nb,c,-3\nc,b,-2\nd,a,1\nc,e,1\n")
	for _, c := range []struct {
		code  int
		text  string
		words string
	}{
		{4, "negative cycle of length -5: b → c → b", "sssp cycle.csv --source d"},
		{4, "negative cycle of length -5: b → c → b", "sssp cycle.csv --source a --kind f32 --method naive"},
		{4, "negative cycle of length -5: b → c → b", "sssp cycle.csv --source e,d --method product"},
		{0, "a\tunreachable", "sssp cycle.csv --source e"},
		{3, `no vertex "z"`, "sssp cycle.csv --source z"},
		{3, "no such file", "sssp missing.gr --source 1"},
		{2, "--source", "sssp cycle.csv"},
		{2, "magic", "sssp cycle.csv --source e --method magic"},
		{2, "power of two", "sssp cycle.csv --source e --group 3"},
		{2, "has no effect", "sssp cycle.csv --source e --group 4 --method naive"},
		{2, "needs at least", "sssp cycle.csv --source e --device cpu --device-memory 1KiB"},
	} {
		t.Run(c.words, func(t *testing.T) { ooc(t, dir, strings.Fields(c.words)...).want(t, c.code, c.text) })
	}
}

// TestSSSPEqualsSciPy compares graphs of every shape, Rome, and California where it is at hand.
func TestSSSPEqualsSciPy(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "scipy")
	r := seeded(t)
	dir := t.TempDir()
	methods := sssp.Methods.Names()
	var args []string
	add := func(file string, flags ...string) {
		out := fmt.Sprintf("d%d.npy", len(args))
		row := append([]string{"sssp", file, "--method", methods[r.IntN(len(methods))], "--out", out}, flags...)
		ooc(t, dir, row...).want(t, 0)
		args = append(args, file, out)
	}
	for _, g := range gen.Kinds {
		file := g.Name + ".gr"
		ooc(t, dir, "gen", g.Name, file, "-n", fmt.Sprint(2+r.IntN(300)), "--seed", fmt.Sprint(r.Uint32())).want(t, 0)
		add(file, "--source", "1", "--kind", []string{"i32", "f32"}[r.IntN(2)])
	}
	add(rome(t), "--source", "1")
	if cal := os.Getenv("OOC_CAL_CEDGE"); cal != "" {
		add(cal, "--source", "0", "--undirected", "--columns", "id,from,to,weight")
	}
	scipy(t, dir, "sssp.py", slices.Concat([]string{"0"}, args)...)
}

// TestSSSPOfMatrix wants of a matrix in a file what its arcs give as an edge list.
func TestSSSPOfMatrix(t *testing.T) {
	r := seeded(t)
	dir := t.TempDir()
	const n = 130
	var lines strings.Builder
	writeFile(t, dir, "m.npy", string(matrix(n, func(u, v int) int32 {
		w := r.Int32N(20)
		if u != v && r.IntN(20) > 0 {
			w = -1
		}
		if u == v {
			fmt.Fprintf(&lines, "%d %d 0\n", u, v) // names the vertex, and is dropped
		} else if w >= 0 {
			fmt.Fprintf(&lines, "%d %d %d\n", u, v, w)
		}
		return w
	})))
	writeFile(t, dir, "m.txt", lines.String())
	want := ooc(t, dir, "sssp", "m.txt", "--source", "1,100..120").want(t, 0, "over compressed rows")
	for _, method := range sssp.Methods.Names() {
		r := ooc(t, dir, "sssp", "m.npy", "--source", "1,100..120", "--no-arc", "-1", "--method", method).want(t, 0,
			"over matrix")
		if r.stdout != want.stdout {
			t.Errorf("%s gives of a matrix what it does not give of a graph", method)
		}
	}
}
