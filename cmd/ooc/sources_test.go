package main

import (
	"fmt"
	"strings"
	"testing"

	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// TestSources solves for chosen sources, named in every way, and asks what there is and what there is not.
func TestSources(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	var lines strings.Builder
	for v := 10; v < 210; v++ { // a road from a10 to a210, and a town apart
		fmt.Fprintf(&lines, "a%d,a%d,%d\n", v, v+1, 1+v%3)
	}
	lines.WriteString("b,c,5\n")
	writeFile(t, dir, "g.csv", lines.String())
	whole := ooc(t, dir, "solve", "g.csv", "--undirected", "--algorithm", "blocked").want(t, 0)
	if !strings.Contains(whole.stdout, "rounds") {
		t.Errorf("asked for rounds: %s", whole.stdout)
	}
	writeFile(t, dir, "list.txt", "# three\na12\na200\n\na15\n")
	for name, c := range map[string]struct {
		list  string
		count int
	}{
		"ids":    {"a12,a200,a15,a12", 3},
		"range":  {"a12..a20", 9},
		"file":   {"list.txt", 3},
		"random": {"random:7", 7},
		"mixed":  {"b,a12..a13,@list.txt", 5},
	} {
		store := name + ".ooc"
		ooc(t, dir, "solve", "g.csv", "--undirected", "--sources", c.list, "--out", store).want(t, 0)
		ooc(t, dir, "solve", "g.csv", "--undirected", "--sources", c.list, "--out", store).want(t, 0, "already solved")
		ooc(t, dir, "solve", "g.csv", "--undirected", "--sources", "c", "--out", store).want(t, 3,
			"and this asks for --sources c")
		ooc(t, dir, "status", store).want(t, 0, fmt.Sprintf("%d chosen sources", c.count), "eliminate")
		ooc(t, dir, "verify", store).want(t, 0, fmt.Sprintf("%d of %d rows", c.count, c.count))
		if lines := strings.Count(ooc(t, dir, "query", store, "--col", "a15").want(t, 0).stdout,
			"\n"); lines != c.count {
			t.Errorf("%s: a column of %d lines, want %d", name, lines, c.count)
		}
	}
	want := ooc(t, dir, "query", "g.ooc", "a12", "a15", "a210", "c").want(t, 0).stdout
	if got := ooc(t, dir, "query", "ids.ooc", "a12", "a15", "a210", "c").want(t, 0).stdout; got != want {
		t.Errorf("from a source: %q, want %q", got, want)
	}
	ooc(t, dir, "query", "ids.ooc", "a13", "a15").want(t, 3, "a13 is none of them")
	ooc(t, dir, "query", "ids.ooc", "--row", "a13").want(t, 3, "a13 is none of them")
	ooc(t, dir, "export", "ids.ooc", "-", "--rows", "a12,a13").want(t, 3, "a13 is none of them")
	for _, bad := range [][]string{{"--sources", "nowhere"}, {"--sources", "random:0"}, {"--sources", "random:x"},
		{"--sources", "random:999"}} {
		r := ooc(t, dir, append([]string{"solve", "g.csv", "--undirected", "--out", "bad.ooc"}, bad...)...)
		if r.code != 2 && r.code != 3 {
			t.Errorf("%v: exit code %d\n%s", bad, r.code, r.stderr)
		}
	}
	ooc(t, dir, "solve", "g.csv", "--undirected", "--sources", "b", "--algorithm", "blocked", "--out",
		"bad.ooc").want(t, 2, "every row")
	ooc(t, dir, "plan", "ids.ooc", "--sources", "b").want(t, 2, "made with")
	writeFile(t, dir, "pairs.txt", "\ufeffa12 a15\n# none\na12\n")
	ooc(t, dir, "query", "ids.ooc", "--pairs", "pairs.txt").want(t, 3, "pairs.txt:3: want two vertices")
	ooc(t, dir, "path", "ids.ooc", "--pairs", "pairs.txt").want(t, 3, "pairs.txt:3: want two vertices")
	writeFile(t, dir, "pairs.txt", "a12 "+strings.Repeat("x", 2<<20)+"\n")
	ooc(t, dir, "query", "ids.ooc", "--pairs", "pairs.txt").want(t, 3, "pairs.txt:1: a line of over")
	ooc(t, dir, "solve", "g.csv", "--undirected", "--algorithm", "guess", "--out", "bad.ooc").want(t, 2,
		"want one of auto, blocked, searches")
	ooc(t, dir, "solve", "g.csv", "--directed", "--undirected", "--out", "bad.ooc").want(t, 2,
		"--directed and --undirected: give one of them")
	if tiles.IsStore(dir + "/bad.ooc") {
		t.Error("a store was left behind")
	}
	ooc(t, dir, "plan", "g.csv", "--undirected", "--sources", "random:5").want(t, 0, "5 rows", "algorithm eliminate")
}
