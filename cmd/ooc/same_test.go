//go:build unix

package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// questions are the aspects of what a store is asked to be: two commands that ask for something else in one of them.
var questions = []struct {
	aspect     string
	input      string
	made       string // flags, "" for none
	asked      string // likewise
	says, wish string // how both are named
	alike      bool   // the default answers as made does
}{
	{"direction", "r.csv", "--undirected", "--directed", "--undirected", "--directed", false},
	{"direction of a symmetric file", "s.mtx", "--directed", "--undirected", "--directed", "--undirected", true},
	{"sources", "r.csv", "--sources 0", "--sources 1,2", "--sources 0", "--sources 1,2", false},
	{"kind", "r.csv", "--kind f64", "--kind u16", "--kind f64", "--kind u16", false},
	{"kind of integers", "r.csv", "--kind f32", "--kind i32", "--kind f32", "--kind i32", false},
	{"scale", "r.csv", "--scale 10", "--scale 100", "--scale 10", "--scale 100", false},
	{"columns", "c.csv", "--columns from=a,to=b,weight=km", "--columns from=a,to=b,weight=h", "weight=km", "weight=h",
		false},
	{"no arc", "m.npy", "--no-arc 0", "--no-arc 7", "--no-arc 0", "--no-arc 7", false},
	{"unweighted", "r.csv", "", "--unweighted", "no --unweighted", "--unweighted", true},
	{"base", "g.gr", "--base 1", "--base 0", "--base 1", "--base 0", false},
	{"format", "k.txt", "--format metis", "--format edgelist", "--format metis", "--format edgelist", false},
	{"predecessors", "r.csv", "", "--predecessors", "no --predecessors", "--predecessors", true},
	{"what is kept", "r.csv", "--keep factors --kind f64", "--keep factors --kind i32", "--kind f64", "--kind i32",
		false},
	{"tile", "r.csv", "--tile 64", "--tile 128", "--tile 64", "--tile 128", true},
	{"layout", "s.mtx", "--layout square", "--layout upper", "--layout square", "--layout upper", true},
}

func questionFiles(t *testing.T, dir string) {
	t.Helper()
	writeFile(t, dir, "r.csv", "0,1,2\n1,2,3\n2,0,4\n")
	writeFile(t, dir, "c.csv", "a,b,km,h\nx,y,2,9\ny,z,3,1\n")
	writeFile(t, dir, "g.gr", "p sp 3 2\na 1 2 5\na 2 1 7\n")
	writeFile(t, dir, "s.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 5\n3 2 7\n")
	writeFile(t, dir, "k.txt", "3 3\n2 3\n1 3\n1 2\n")
	writeFile(t, dir, "m.npy", string(matrix(3, func(u, v int) int32 { return int32(u + 2*v) })))
}

// unfinished takes the restore points of a store away, as --restart does before it begins.
func unfinished(t *testing.T, dir, store string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, store, "state"), make([]byte, 3*4096), 0o666); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(dir, store, "sums"))
	if r := ooc(t, dir, "status", store).want(t, 0); strings.Contains(r.stdout, "solved") {
		t.Fatal(r.stdout)
	}
}

// TestOneQuestion asks stores, solved and unfinished, for something else in each aspect: it is refused, names both,
// and changes nothing. Then it does what the message advises.
func TestOneQuestion(t *testing.T) {
	crashtest.Slow(t)
	for _, q := range questions {
		for _, state := range []string{"solved", "unfinished"} {
			t.Run(q.aspect+" "+state, func(t *testing.T) {
				dir := t.TempDir()
				questionFiles(t, dir)
				solve := func(flags string, more ...string) result {
					return ooc(t, dir, slices.Concat([]string{"solve", q.input, "--out", "S"}, strings.Fields(flags),
						more)...)
				}
				solve(q.made).want(t, 0)
				if state == "unfinished" && !strings.Contains(q.made, "factors") { // whose state says nothing
					unfinished(t, dir, "S")
				}
				before := bare(t, dir)
				refused := func(code int, r result, texts ...string) {
					t.Helper()
					r.want(t, code, append(texts, "S was made with")...)
					if after := bare(t, dir); !maps.Equal(before, after) {
						t.Errorf("it was\n%v\nand is\n%v", before, after)
					}
				}
				r := solve(q.asked)
				refused(class.Input, r, q.says, q.wish)
				refused(class.Input, solve(q.asked, "--strict"), q.says, q.wish)
				if !strings.Contains(q.asked, "factors") { // which go with no dry run
					refused(class.SomeFailed, solve(q.asked, "--dry-run"))
				}
				if !q.alike {
					refused(class.Input, solve("", "--strict"), q.says)
				}
				// The flags of the store itself are no other question, and with none at all the line says what is
				// left out.
				line := solve("").want(t, 0)
				if state == "solved" {
					line.want(t, 0, "already solved")
				}
				if got := strings.Contains(line.stdout, " as it was made, with "); got == q.alike {
					t.Errorf("without flags: %s", line.stdout)
				}
				if !q.alike {
					line.want(t, 0, q.says)
				}
				if r := solve(q.made, "--strict").want(t, 0, "already solved"); strings.Contains(r.stdout,
					"as it was made") {
					t.Errorf("with the same flags: %s", r.stdout)
				}

				// Another store comes first among the remedies, for the other one destroys.
				out, restart := strings.Index(r.stderr, "--out"), strings.Index(r.stderr, "--restart")
				if out < 0 || restart < out {
					t.Errorf("%q", r.stderr)
				}
				ooc(t, dir, slices.Concat([]string{"solve", q.input, "--out", "T"}, strings.Fields(q.asked))...).want(t,
					0, "T")
				solve(q.asked, "--restart").want(t, 0, "solved S")
				solve(q.asked, "--strict").want(t, 0, "already solved")
			})
		}
	}
}

// TestAStoreIsTakenAsItIs gives a store in the place of a graph: nothing is left to a default then.
func TestAStoreIsTakenAsItIs(t *testing.T) {
	dir := t.TempDir()
	questionFiles(t, dir)
	ooc(t, dir, "solve", "r.csv", "--out", "S", "--undirected", "--sources", "0", "--kind", "f64").want(t, 0)
	if r := ooc(t, dir, "solve", "S", "--strict").want(t, 0, "already solved"); strings.Contains(r.stdout,
		"as it was made") {
		t.Error(r.stdout)
	}
	ooc(t, dir, "solve", "S", "--kind", "f32").want(t, class.Input, "--kind f64", "--kind f32", "r.csv", "--out")
}

// TestOldStoresOfOneQuestion takes the note of what was asked for out of stores, as those of earlier versions have
// none: nothing is taken for a default then that may not have been.
func TestOldStoresOfOneQuestion(t *testing.T) {
	for _, c := range []struct {
		flags string // that the store is made with, and continued
		says  string // without them; "" if it goes on
	}{
		{"", ""}, {"--kind i32", ""}, {"--directed", ""}, {"--kind f32", "--kind f32"},
		{"--undirected", "--undirected"}, {"--kind u16", "--kind u16"},
	} {
		dir := t.TempDir()
		questionFiles(t, dir)
		solve := func(flags string) result {
			return ooc(t, dir, append([]string{"solve", "r.csv", "--out", "S", "--strict"},
				strings.Fields(flags)...)...)
		}
		solve(c.flags).want(t, 0)
		remade(t, filepath.Join(dir, "S"), func(o *engine.CreateOptions) { o.Input.Asked = nil })
		if c.says != "" {
			solve("").want(t, class.Input, c.says)
			solve(c.flags).want(t, 0, "solved S")
		} else {
			solve("").want(t, 0, "solved S")
		}
	}
}

// remade replaces a store by one of the same graph with something else in its description, which is not solved.
func remade(t *testing.T, dir string, change func(o *engine.CreateOptions)) {
	t.Helper()
	p, err := engine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.Graph()
	if err != nil {
		t.Fatal(err)
	}
	o := engine.CreateOptions{Input: p.Meta().Input, Sources: p.Meta().Sources, Command: p.Meta().Command}
	change(&o)
	if p, err = p.Replace(t.Context(), g, o); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestStatsOfOneQuestion begins statistics by way of a store, and asks for other ones: what is left to a default is
// no leave to count another graph's distances, and to remove them.
func TestStatsOfOneQuestion(t *testing.T) {
	for _, c := range []struct{ made, asked, says, wish string }{
		{"--undirected", "", "--undirected", "directed"},
		{"", "--undirected", "--directed", "--undirected"},
		{"--sources 0", "", "--sources 0", "all vertices"},
		{"--sources 0", "--sources 1", "--sources 0", "--sources 1"},
		{"--kind f32", "", "--kind f32", "i32 or f32"},
		{"--scale 10", "", "--scale 10", "the default, 1"},
	} {
		dir := t.TempDir()
		questionFiles(t, dir)
		ooc(t, dir, append([]string{"solve", "r.csv", "--out", "S"}, strings.Fields(c.made)...)...).want(t, 0)
		remade(t, filepath.Join(dir, "S"), func(o *engine.CreateOptions) { o.Command = []string{"ooc", "stats"} })
		stats := func(store, flags string) result {
			return ooc(t, dir, append([]string{"stats", "r.csv", "--store", store}, strings.Fields(flags)...)...)
		}
		before := bare(t, dir)
		stats("S", c.asked).want(t, class.Input, c.says, c.wish,
			"name another folder with --store, or remove this one")
		if after := bare(t, dir); !maps.Equal(before, after) {
			t.Errorf("%v: it was\n%v\nand is\n%v", c, before, after)
		}
		stats("T", c.asked).want(t, 0)
		stats("S", c.made).want(t, 0)
		if tiles.IsStore(filepath.Join(dir, "S")) {
			t.Errorf("%v: the store is still there", c)
		}
	}
}

// TestBatchesOfOneQuestion solves two graphs, and then asks for something else: the table says what the stores were
// made with, and a job that asks otherwise fails, with a remedy that goes with batches.
func TestBatchesOfOneQuestion(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	questionFiles(t, dir)
	ooc(t, dir, "solve", "r.csv", "g.gr", "--undirected").want(t, 0)
	if r := ooc(t, dir, "solve", "r.csv", "g.gr", "--undirected").want(t, 0); strings.Contains(r.stdout,
		"as it was made") {
		t.Error(r.stdout)
	}
	for range 2 { // also when it is known to have been solved
		r := ooc(t, dir, "solve", "r.csv", "g.gr").want(t, 0)
		if strings.Count(r.stdout, "already solved as it was made, with --undirected") != 2 {
			t.Error(r.stdout)
		}
	}
	before := bare(t, filepath.Join(dir, "r.ooc"))
	r := ooc(t, dir, "solve", "r.csv", "g.gr", "--directed").want(t, class.SomeFailed, "--undirected", "--directed")
	ooc(t, dir, "solve", "r.csv", "g.gr", "--strict").want(t, class.SomeFailed, "--undirected", "directed")
	if after := bare(t, filepath.Join(dir, "r.ooc")); !maps.Equal(before, after) {
		t.Errorf("it was\n%v\nand is\n%v", before, after)
	}
	status := ooc(t, dir, "status", regexp.MustCompile(`r-\w+\.batch`).FindString(r.stderr), "--json").want(t, 0,
		"--out-dir", "--restart")
	if strings.Index(status.stdout, "--out-dir") > strings.Index(status.stdout, "begin again") {
		t.Error(status.stdout)
	}
	ooc(t, dir, "solve", "r.csv", "g.gr", "--directed", "--out-dir", "other").want(t, 0)
	ooc(t, dir, "solve", "r.csv", "g.gr", "--directed", "--restart").want(t, 0)
}
