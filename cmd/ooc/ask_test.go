package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestAskGraph asks graphs what it asks stores of them: every answer is the same to the byte, in text and in JSON.
// Paths may be others, but of the same lengths.
func TestAskGraph(t *testing.T) {
	r := seeded(t)
	dir := t.TempDir()
	for round, flags := range []string{
		"", "--undirected", "--unweighted", "--undirected --unweighted", "--kind u16", "--kind f64", "--scale 10",
		"--directed --kind f32",
	} {
		const n = 40
		var b strings.Builder
		b.WriteString("from,to,weight\n")
		for v := range n / 2 { // of the others most have no arc
			fmt.Fprintf(&b, "v%d,v%d,%d\n", v, (v+1)%(n/2), r.IntN(4))
		}
		for range n {
			fmt.Fprintf(&b, "v%d,v%d,%d\n", r.IntN(n/2), r.IntN(n), r.IntN(9))
		}
		name, store := fmt.Sprintf("g%d.csv", round), fmt.Sprintf("g%d.ooc", round)
		writeFile(t, dir, name, b.String())
		ooc(t, dir, append([]string{"solve", name, "--out", store}, strings.Fields(flags)...)...).want(t, 0, "solved")
		known := ooc(t, dir, "query", store, "--row", "v0").want(t, 0).stdout
		var pairs strings.Builder
		for line := range strings.Lines(known) {
			v := strings.Split(line, "\t")[1]
			fmt.Fprintf(&pairs, "%s v0\nv1 %s\n", v, v)
		}
		writeFile(t, dir, "pairs", pairs.String())
		for _, question := range []string{
			"query v0 v5 v0", "query --row v3", "query --col v3", "query v2 --k-nearest 5",
			"query --col v2 --within 7.5", "query --pairs pairs",
			"query --rows v3,v1 --cols v0..v2,v1", "query --rows v2",
		} {
			for _, json := range []bool{false, true} {
				words := strings.Fields(question)
				ask := func(of string, more ...string) result {
					line := append([]string{words[0], of}, words[1:]...)
					if json {
						line = append(line, "--json")
					}
					return ooc(t, dir, append(line, more...)...)
				}
				want := ask(store).want(t, 0).stdout
				if got := ask(name, strings.Fields(flags)...).want(t, 0).stdout; got != want {
					t.Errorf("%s of %s %s:\n%s\nthe store says\n%s", question, name, flags, got, want)
				}
			}
		}
		heads := func(of string, more ...string) string {
			line := append([]string{"path", of, "--pairs", "pairs"}, more...)
			return pathHeads(ooc(t, dir, line...).want(t, 0).stdout)
		}
		if got, want := heads(name, strings.Fields(flags)...), heads(store); got != want {
			t.Errorf("paths of %s %s:\n%s\nthe store says\n%s", name, flags, got, want)
		}
	}
}

// pathHeads are the ends and lengths of paths.
func pathHeads(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); cells[0] != "" {
			fmt.Fprintln(&b, strings.Join(cells[:3], "\t"))
		}
	}
	return b.String()
}

// TestAskGraphOtherwise asks a graph on standard input, a matrix, one with negative arcs, and what cannot be asked.
func TestAskGraphOtherwise(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", "a,b,3\nb,c,-1\na,c,5\nd,d,1\n")
	writeFile(t, dir, "round.csv", "a,b,3\nb,a,-4\n")
	writeFile(t, dir, "rubbish.csv", "a,b,c,d,e\n")
	writeFile(t, dir, "m.npy", string(matrix(3, func(u, v int) int32 { return int32(1 + u + 2*v) })))
	writeFile(t, dir, "pairs", "a c\n")
	ooc(t, dir, "path", "g.csv", "a", "c").want(t, 0, "a\tc\t2\t2\n\ta\tb\t3\n\tb\tc\t-1\n")
	ooc(t, dir, "path", "g.csv", "a", "c", "--unweighted").want(t, 0, "a\tc\t1\t1\n\ta\tc\t1\n")
	ooc(t, dir, "path", "g.csv", "--pairs", "pairs", "--json").want(t, 0, `"length":2,"vertices":["a","b","c"]`)
	ooc(t, dir, "path", "g.csv", "c", "a").want(t, 0, "c\ta\tunreachable\n")
	ooc(t, dir, "query", "g.csv", "a", "d", "--json").want(t, 0, `"distance":null`)
	ooc(t, dir, "query", "g.csv", "d", "d").want(t, 0, "d\td\t0\n")
	ooc(t, dir, "query", "m.npy", "0", "2").want(t, 0, "0\t2\t5\n")
	ooc(t, dir, "query", "m.npy", "0", "2", "--unweighted", "--kind", "f32").want(t, 0, "0\t2\t1\n")
	ooc(t, dir, "query", "round.csv", "a", "b").want(t, 4, "negative cycle")
	ooc(t, dir, "query", "round.csv", "a", "b", "--unweighted").want(t, 0, "a\tb\t1\n")
	ooc(t, dir, "query", "g.csv", "a", "x").want(t, 3, `g.csv has no vertex "x"`)
	ooc(t, dir, "path", "rubbish.csv", "a", "x").want(t, 3, "rubbish.csv")
	ooc(t, dir, "query", "missing.csv", "a", "x").want(t, 3, "missing.csv")
	ooc(t, dir, "query", "g.csv", "--cols", "a").want(t, 2, "solve the graph (ooc solve g.csv)")
	ooc(t, dir, "query", "g.csv", "--cols", "a", "--kind", "f64").want(t, 2,
		"solve the graph (ooc solve --kind=f64 g.csv)")
	ooc(t, dir, "solve", "g.csv").want(t, 0)
	ooc(t, dir, "query", "g.ooc", "--cols", "a").want(t, 0, "\ta\n")
	ooc(t, dir, "query", "-", "--pairs", "-").want(t, 2, "cannot both be standard input")
	ooc(t, dir, "solve", "m.npy", "--unweighted").want(t, 0, "solved m.ooc")
	ooc(t, dir, "query", "m.ooc", "a", "c", "--unweighted").want(t, 2, "--unweighted is for graphs")
	ooc(t, dir, "query", "m.ooc", "--row", "1").want(t, 0, "1\t0\t1\n1\t1\t0\n1\t2\t1\n")
	ooc(t, dir, "verify", "m.ooc").want(t, 0)
	cmd := command(t, dir, "query", "-", "a", "c")
	cmd.Stdin = strings.NewReader("a,b,3\nb,c,4\n")
	finish(t, cmd).want(t, 0, "a\tc\t7\n")
}

// TestUnweighted counts arcs where weights are fractions, zero and below, and too large for any integer kind.
func TestUnweighted(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", "a,b,0.5\nb,c,-2\nc,d,0\na,c,inf\nc,a,99999999999\na,a,3\na,b,7\n")
	for flags, want := range map[string]string{
		"": "i32", "--kind u16": "u16", "--kind f32": "f32", "--kind f64": "f64",
	} {
		words := append(strings.Fields(flags), "--unweighted")
		solved := ooc(t, dir, append([]string{"solve", "g.csv", "--restart"}, words...)...)
		solved.want(t, 0, "4 vertices, 4 arcs, weights 1…1, "+want)
		const row = "a\ta\t0\na\tb\t1\na\tc\t2\na\td\t3\n"
		ooc(t, dir, "query", "g.ooc", "--row", "a").want(t, 0, row)
		ooc(t, dir, append([]string{"query", "g.csv", "--row", "a"}, words...)...).want(t, 0, row)
	}
	ooc(t, dir, "near", "g.csv", "n.csv", "--within", "1", "--unweighted").want(t, 0, "4 pairs")
	ooc(t, dir, "sssp", "g.csv", "--source", "a", "--unweighted").want(t, 0, "d\t3\tc\n")
	ooc(t, dir, "mst", "g.csv", "--undirected", "--unweighted").want(t, 0, "total\t3\n")
	ooc(t, dir, "plan", "g.csv", "--unweighted").want(t, 0, "4 vertices, 4 arcs, i32")
	writeFile(t, dir, "week.jobs", "g.csv --unweighted --out batch.ooc\n")
	ooc(t, dir, "solve", "--jobs", "week.jobs").want(t, 0)
	ooc(t, dir, "solve", "g.csv", "--unweighted", "--out", "batch.ooc").want(t, 0, "already solved")
	again := []string{"solve", "g.csv", "--out", "batch.ooc"}
	ooc(t, dir, again...).want(t, 0, "already solved", "as it was made, with --unweighted")
	ooc(t, dir, append(again, "--strict")...).want(t, 3, "this asks for the default, the weights of the input")
}

// TestEnron gathers hop counts from some addresses of the bundled network.
func TestEnron(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	enron, err := filepath.Abs("../../engine/graph/testdata/email-Enron.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := ooc(t, dir, "stats", enron, "--unweighted", "--undirected", "--sources", "random:200")
	r.want(t, 0, "36,692 vertices", "mean         3.975750397746965")
	ooc(t, dir, "path", enron, "5", "36000", "--unweighted").want(t, 0, "5\t36000\t4\t4\n")
}
