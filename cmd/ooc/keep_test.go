package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// TestKeepFactors solves a graph into factors and into rows, asks both the same, and then turns the one into the other.
func TestKeepFactors(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	graph := rome(t)
	ooc(t, dir, "solve", graph, "--keep", "factors", "--out", "f.ooc").want(t, 0, "factors of")
	ooc(t, dir, "solve", graph, "--out", "r.ooc").want(t, 0, "solved")
	if _, err := os.Stat(filepath.Join(dir, "f.ooc", "dist.npy")); err == nil {
		t.Error("a store of factors has a matrix")
	}
	writeFile(t, dir, "some.txt", "5\n900\n77\n")
	for _, ask := range [][]string{
		{"query", "", "1", "100", "3353"}, {"query", "", "--row", "20"}, {"query", "", "--col", "20"},
		{"query", "", "7", "--k-nearest", "5"},
		{"query", "", "--rows", "@some.txt,1..3", "--cols", "@some.txt,40"}, {"query", "", "--cols", "3,2", "--json"},
		{"path", "", "1", "2500"}, {"export", "", "-", "--rows", "1..20"},
		{"export", "", "-", "--cols", "9,1", "--format", "mtx"},
		{"export", "", "-", "--predecessors", "--rows", "8"},
	} {
		answers := map[string]string{}
		for _, store := range []string{"f.ooc", "r.ooc"} {
			ask[1] = store
			answers[store] = ooc(t, dir, ask...).want(t, 0).stdout
		}
		if answers["f.ooc"] != answers["r.ooc"] || answers["f.ooc"] == "" {
			t.Errorf("%v: other answers than from rows", ask)
		}
	}
	ooc(t, dir, "verify", "f.ooc").want(t, 0, "agree with Dijkstra")
	ooc(t, dir, "verify", "f.ooc", "--full").want(t, 0, "are proved")
	ooc(t, dir, "status", "f.ooc").want(t, 0, "factors   f.ooc", "solved")
	ooc(t, dir, "solve", "f.ooc").want(t, 0, "already solved")
	ooc(t, dir, "solve", "r.ooc", "--keep", "factors").want(t, class.Input, "was made with --keep rows")
	ooc(t, dir, "solve", "f.ooc", "--keep", "rows", "--sources", "5,6").want(t, 0, "2 rows")
	ooc(t, dir, "query", "f.ooc", "7", "1").want(t, class.Input, "chosen sources")
	if _, err := os.Stat(filepath.Join(dir, "f.ooc", "factors")); err == nil {
		t.Error("a store of rows has factors")
	}
	for _, flag := range [][]string{{"--sources", "1"}, {"--predecessors"}, {"--layout", "square"}, {"--tile", "64"},
		{"--algorithm", "blocked"}} {
		ooc(t, dir, append([]string{"solve", graph, "--keep", "factors", "--out", "new.ooc"}, flag...)...).want(t,
			class.Usage, flag[0], "--keep factors")
	}
	if _, err := os.Stat(filepath.Join(dir, "new.ooc")); err == nil {
		t.Error("what was refused has made a store")
	}
}

// TestKeepFactorsOfMany gives the algorithm of a store without a matrix to a batch, and to what only looks ahead:
// that is refused before anything is made.
func TestKeepFactorsOfMany(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "a.csv", small)
	writeFile(t, dir, "b.csv", small)
	for _, args := range [][]string{{"a.csv", "b.csv"}, {"a.csv", "--dry-run"}} {
		ooc(t, dir, append([]string{"solve", "--algorithm", "factors"}, args...)...).want(t, class.Usage,
			"--algorithm factors")
	}
	// So are lines of a file of jobs, and what only processes that share a solve take.
	writeFile(t, dir, "jobs", "")
	for _, flags := range []string{"--algorithm factors", "--keep factors", "--cluster mpi", "--part-dir parts",
		"--grid 1x2"} {
		writeFile(t, dir, "jobs", "a.csv\nb.csv "+flags+"\n")
		name, _, _ := strings.Cut(flags, " ")
		ooc(t, dir, "solve", "--jobs", "jobs").want(t, class.Usage, name)
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) != 3 {
		t.Errorf("what was refused has left %v: %v", there, err)
	}
}

// TestKeepFactorsOfADenseGraph refuses a graph of which no factors fit the memory, and that searches cannot answer for,
// and follows what the refusal says.
func TestKeepFactorsOfADenseGraph(t *testing.T) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.csv", "-n", "1500", "-m", "6000").want(t, 0)
	writeFile(t, dir, "g.csv", string(readFile(t, dir, "g.csv"))+"1500,0,-1\n")
	args := []string{"solve", "g.csv", "--keep", "factors", "--host-memory", "1MiB"}
	r := ooc(t, dir, args...).want(t, 1, "too dense for factors", "more than there is room for; ooc query GRAPH",
		"ooc solve --keep rows")
	if strings.Contains(r.stderr, "continue with") {
		t.Errorf("it says to do the same again:\n%s", r.stderr)
	}
	without := ooc(t, dir, "query", "g.csv", "1500", "7").want(t, 0)
	args[3] = "rows"
	ooc(t, dir, args...).want(t, 0, "solved g.ooc")
	ooc(t, dir, "verify", "g.ooc", "--full").want(t, 0)
	if r := ooc(t, dir, "query", "g.ooc", "1500", "7").want(t, 0); r.stdout != without.stdout {
		t.Errorf("the graph answers %q, the store %q", without.stdout, r.stdout)
	}
}
