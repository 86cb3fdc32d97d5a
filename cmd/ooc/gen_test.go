package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine/graph/gen"
	"ooc/tiles/crashtest"
)

// TestGenEqualsSciPy has SciPy read the Matrix Market files of every kind of graph, and compares them with
// the DIMACS files of the same seeds.
func TestGenEqualsSciPy(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "scipy")
	r, dir := seeded(t), t.TempDir()
	var names []string
	for _, g := range gen.Kinds {
		for _, undirected := range []bool{false, true} {
			name := fmt.Sprintf("%s-%v", g.Name, undirected)
			names = append(names, name)
			args := []string{"-n", fmt.Sprint(2 + r.IntN(100)), "--seed", fmt.Sprint(r.Uint64()),
				fmt.Sprintf("--undirected=%v", undirected)}
			for _, ext := range []string{".mtx", ".gr"} {
				ooc(t, dir, append([]string{"gen", g.Name, name + ext}, args...)...).want(t, 0)
			}
		}
	}
	if out := scipy(t, dir, "generated.py", names...); !strings.Contains(out,
		fmt.Sprintf("%d graphs agree", len(names))) {
		t.Error(out)
	}
}

func TestGen(t *testing.T) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "30").want(t, 0)
	if text := string(readFile(t, dir, "g.gr")); !strings.HasPrefix(text, "c random graph, seed 1\np sp 30 300\n") {
		t.Errorf("%.60q", text)
	}
	ooc(t, dir, "gen", "random", "g.gr", "-n", "30").want(t, 1, "--overwrite")
	ooc(t, dir, "gen", "random", "g.gr", "-n", "20", "-m", "0", "--overwrite").want(t, 0)
	ooc(t, dir, "solve", "g.gr").want(t, 0, "20 vertices, 0 arcs")
	ooc(t, dir, "gen", "road", "g.csv.zst", "-n", "100", "--undirected", "--seed", "7").want(t, 0)
	ooc(t, dir, "solve", "g.csv.zst", "--out", "road.ooc").want(t, 0, "solved road.ooc")
	ooc(t, dir, "gen", "powerlaw", "p.gr", "-n", "200", "--undirected", "--unweighted").want(t, 0)
	ooc(t, dir, "solve", "p.gr").want(t, 0, "200 vertices", "weights 1…1,")
	for args, text := range map[string]string{
		"gen random g.gr": "-n N", "gen random g.xyz -n 3": ".xyz", "gen lattice x.gr -n 3": "lattice",
		"gen ring x.gr -n 3 -m 4": "3 vertices make a ring of 3 arcs",
		"gen random x.gr -n -3":   "--vertices -3: want a whole number from 1", "gen random -n 3": "usage",
	} {
		ooc(t, dir, strings.Fields(args)...).want(t, 2, text)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
