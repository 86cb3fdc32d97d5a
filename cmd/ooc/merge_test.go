package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// partsOf solves all K parts of a graph, and returns their stores.
func partsOf(t *testing.T, dir string, k int, input string, flags ...string) (stores []string) {
	t.Helper()
	for i := 1; i <= k; i++ {
		store := fmt.Sprintf("part-%d.ooc", i)
		line := append([]string{"solve", input, "--sources", fmt.Sprintf("part:%d/%d", i, k), "--out", store}, flags...)
		ooc(t, dir, line...).want(t, 0)
		stores = append(stores, store)
	}
	return stores
}

// TestMergeCommand solves a graph in parts, as a job array does, and asks the merged store what it asks that of all
// rows.
func TestMergeCommand(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	var lines strings.Builder
	for v := 10; v < 400; v++ { // a road from a10 to a400, and a town apart
		fmt.Fprintf(&lines, "a%d,a%d,%d.5\n", v, v+1, 1+v%3)
	}
	lines.WriteString("b,c,5\n")
	writeFile(t, dir, "g.csv", lines.String())
	for name, flags := range map[string][]string{
		"upper":  {"--undirected", "--scale", "2"},
		"square": {"--directed", "--scale", "10"},
		"u16":    {"--undirected", "--kind", "u16", "--scale", "2"},
		"f32":    {"--directed", "--tile", "128"},
	} {
		t.Run(name, func(t *testing.T) {
			at := filepath.Join(dir, name)
			if err := os.Mkdir(at, 0o777); err != nil {
				t.Fatal(err)
			}
			flags = append(flags, "--device", "cpu")
			ooc(t, at, append([]string{"solve", "../g.csv", "--out", "whole.ooc", "--algorithm", "eliminate"},
				flags...)...).want(t, 0)
			k := 3
			parts := partsOf(t, at, k, "../g.csv", flags...)
			ooc(t, at, append([]string{"solve", "../g.csv", "--sources", "part:2/3", "--out", parts[1]},
				flags...)...).want(t, 0, "already solved")
			ooc(t, at, append([]string{"solve", "../g.csv", "--sources", "part:1/3", "--out", parts[1]},
				flags...)...).want(t, class.Input, "and this asks for --sources")
			ooc(t, at, append([]string{"merge", "g.ooc"}, parts...)...).want(t, 0,
				"g.ooc: merged from 3 parts: 393 rows")
			ooc(t, at, append([]string{"merge", "g.ooc"}, parts...)...).want(t, 0, "g.ooc: already solved")
			if !bytes.Equal(readFile(t, at, "g.ooc", "dist.npy"), readFile(t, at, "whole.ooc", "dist.npy")) {
				t.Error("its matrix is another than that of a solve of all rows")
			}
			ooc(t, at, "status", "g.ooc").want(t, 0, "solved, progress 100.0 %", "merge g.ooc part-1.ooc")
			ooc(t, at, append([]string{"solve", "../g.csv", "--out", "g.ooc"}, flags...)...).want(t, 0,
				"already solved")
			ooc(t, at, "verify", "g.ooc", "--full").want(t, 0, "all 154,449 distances are proved")
			ooc(t, at, "verify", "g.ooc").want(t, 0)
			ooc(t, at, "scrub", "g.ooc").want(t, 0)
			for _, line := range []string{"query STORE a12 a300 c", "query STORE --row a17", "path STORE a12 a100",
				"stats STORE --csv", "export STORE - --format csv"} {
				line := strings.Fields(line)
				line[1] = "g.ooc"
				got := ooc(t, at, line...).want(t, 0).stdout
				line[1] = "whole.ooc"
				if want := ooc(t, at, line...).want(t, 0).stdout; got != want {
					t.Errorf("ooc %v: %.200q, want %.200q", line, got, want)
				}
			}
		})
	}
}

// TestMergeRefuses merges what cannot be merged, and divides graphs into parts that there are not.
func TestMergeRefuses(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	ooc(t, dir, "gen", "road", "g.gr", "-n", "300").want(t, 0)
	ooc(t, dir, "gen", "road", "h.gr", "-n", "300", "--seed", "9").want(t, 0)
	parts := partsOf(t, dir, 3, "g.gr", "--device", "cpu")
	ooc(t, dir, "solve", "h.gr", "--device", "cpu", "--sources", "part:1/3", "--out", "h.ooc").want(t, 0)
	before := tree(t, dir)
	for line, c := range map[string]struct {
		code int
		says string
	}{
		"merge":                    {class.Usage, "usage: ooc merge"},
		"merge g.ooc":              {class.Usage, "usage: ooc merge"},
		"merge g.ooc P1 P3":        {class.Input, "missing: part:2/3 of "},
		"merge g.ooc P1 P2 P2 P3":  {class.Input, "are the same store"},
		"merge g.ooc h.ooc P2 P3":  {class.Input, "P2 is of another graph than h.ooc"},
		"merge g.ooc P1 P2 no.ooc": {class.Input, "no.ooc"},
		"merge g.ooc P1 P2 g.gr":   {class.Input, "g.gr"},
		"merge P1/in P1 P2 P3": {class.Usage,
			"only ooc itself makes files in a store"},
		"merge . P1 P2 P3":                            {class.Input, "not ours"},
		"merge g.gr P1 P2 P3":                         {class.Input, "g.gr"},
		"merge no/g.ooc P1 P2 P3":                     {class.Input, "make the folder"},
		"merge P1 P2 P3":                              {class.Input, "missing: part:1/3"},
		"merge P1 P1 P2 P3":                           {class.Input, "part of itself"},
		"solve g.gr --sources part:":                  {class.Usage, "part:I/K with I from 1 to K"},
		"solve g.gr --out new.ooc --sources part:0/4": {class.Usage, "part:I/K with I from 1 to K"},
		"solve g.gr --out new.ooc --sources part:5/4": {class.Usage, "part:I/K with I from 1 to K"},
		"solve g.gr --out new.ooc --sources part:1":   {class.Usage, "part:I/K with I from 1 to K"},
		"solve g.gr --out new.ooc --sources part:a/b": {class.Usage, "part:I/K with I from 1 to K"},
		"solve g.gr --out new.ooc --sources part:1/6": {class.Usage,
			"300 rows are only 5 rows of tiles of edge 64"},
		"solve g.gr --out new.ooc --sources part:1/4 --tile 128": {class.Usage,
			"300 rows are only 3 rows of tiles of edge 128"},
		"solve g.gr --out new.ooc --sources part:1/4 --algorithm blocked": {class.Usage, "every row"},
		"solve g.gr --out new.ooc --sources part:1/4 --predecessors":      {class.Usage, "every row"},
		"plan g.gr --sources part:9/8":                                    {class.Usage, "part:I/K with I from 1 to K"},
	} {
		words := strings.Fields(line)
		for i, word := range words {
			if rest, ok := strings.CutPrefix(word, "P"); ok {
				words[i] = "part-" + rest[:1] + ".ooc" + rest[1:]
			}
		}
		says := strings.ReplaceAll(c.says, "P2", parts[1])
		ooc(t, dir, words...).want(t, c.code, says)
	}
	for name, what := range tree(t, dir) {
		if before[name] != what {
			t.Errorf("%s was changed or made", name)
		}
	}
	ooc(t, dir, "plan", "g.gr", "--sources", "part:2/3").want(t, 0, "128 rows")
	ooc(t, dir, "solve", "g.gr", "--device", "cpu", "--sources", "part:1/1", "--out", "all.ooc").want(t, 0)
	ooc(t, dir, "merge", "one.ooc", "all.ooc").want(t, 0, "merged from 1 part")
	ooc(t, dir, "verify", "one.ooc", "--full").want(t, 0)
}

// TestMergeStopped wants remedies that can be pasted, and a status that names the merge, of stores with blanks in
// their names.
func TestMergeStopped(t *testing.T) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "road", "g.gr", "-n", "1500", "--seed", "5").want(t, 0)
	for _, i := range []string{"1", "2"} {
		ooc(t, dir, "solve", "g.gr", "--sources", "part:"+i+"/2", "--out", "p "+i+".ooc", "--device", "cpu").want(t, 0)
	}
	matrix := filepath.Join(dir, "p 2.ooc", "dist.npy")
	data := readFile(t, dir, "p 2.ooc", "dist.npy")
	data[len(data)/2] ^= 0x10
	if err := os.WriteFile(matrix, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r := ooc(t, dir, "merge", "all of it.ooc", "p 1.ooc", "p 2.ooc").want(t, class.Corrupt)
	if want := "ooc solve 'p 2.ooc' --restart"; !strings.Contains(r.stderr, want) {
		t.Errorf("no %q in %s", want, r.stderr)
	}
	r = ooc(t, dir, "status", "all of it.ooc").want(t, 0)
	if want := "next      ooc merge 'all of it.ooc' 'p 1.ooc' 'p 2.ooc'\n"; !strings.HasSuffix(r.stdout, want) {
		t.Errorf("no %q in %s", want, r.stdout)
	}
}
