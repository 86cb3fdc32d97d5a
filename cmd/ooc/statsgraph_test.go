package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/graph/read"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
	"ooc/tiles/lock"
)

// TestStatsOfValues adds up values from files of every form, of a graph and of its store.
func TestStatsOfValues(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", "from,to,km\nParis,Lyon,4\nLyon,Nice,5\nNice,Lyon,5\nLyon,\"Le Mans\",0\n")
	ooc(t, dir, "solve", "g.csv").want(t, 0)
	writeFile(t, dir, "jobs.csv", ",town,name,jobs\n0,x,Nice,10\n1,y,Lyon,1.5\n2,z,Le Mans,100\n")
	writeFile(t, dir, "plain.txt", "# pairs\nNice 10\n\"Le Mans\" 100\nLyon 1.5\n")
	writeFile(t, dir, "tabs.tsv", "Node\tjobs\nNice\t10\nLe Mans\t100\nLyon\t1.5\n")
	writeFile(t, dir, "a:b.npy", string(npyOf(">f8", "(4,)", []uint64{0, bits.ReverseBytes64(math.Float64bits(1.5)),
		bits.ReverseBytes64(math.Float64bits(10)), bits.ReverseBytes64(math.Float64bits(100))})))
	writeFile(t, dir, "ints.npy", string(npyOf("<u2", "(4,)", []uint16{0, 3, 20, 200})))
	const want = "vertex,within_4,within_5,sum_within_4,sum_within_5\nParis,2,2,101.5,101.5\nLyon,1,2,101.5,111.5\n" +
		"Nice,0,2,10,111.5\n\"Le Mans\",0,0,100,100\n"
	for _, from := range []string{"jobs.csv:jobs", "jobs.csv:4", "plain.txt", "plain.txt:2", "tabs.tsv", "a:b.npy"} {
		for _, of := range []string{"g.csv", "g.ooc"} {
			r := ooc(t, dir, "stats", of, "--values", from, "--within", "4,5", "--csv").want(t, 0)
			if r.stdout != want {
				t.Errorf("%s of %s: %s", from, of, r.stdout)
			}
			const missing = " has no value of 1 vertex: there it is 0"
			if strings.Contains(r.stderr, missing) != (from != "a:b.npy") {
				t.Errorf("%s: %s", from, r.stderr)
			}
		}
	}
	for decay, want := range map[string]float64{"linear:10": 203*0.6 + 20*0.1,
		"exp:0.5": 203*math.Exp(-2) + 20*math.Exp(-4.5), "gaussian:2": 203*math.Exp(-2) + 20*math.Exp(-81.0/8)} {
		r := ooc(t, dir, "stats", "g.csv", "--values", "ints.npy", "--decay", decay, "--sources", "Paris", "--csv")
		r.want(t, 0)
		var got float64
		_, err := fmt.Sscan(strings.TrimPrefix(strings.Split(r.stdout, "\n")[1], "Paris,"), &got)
		if err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v: %v", decay, got, want, err)
		}
	}
}

// TestStatsRefusesValues names file, line and what is wrong of values that cannot be added up.
func TestStatsRefusesValues(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", "from,to,km\na,b,4\nb,c,5\n")
	writeFile(t, dir, "w.npy", string(npyOf("<f8", "(3,)", []float64{0, math.NaN(), 1})))
	writeFile(t, dir, "short.npy", string(npyOf("<f8", "(2,)", []float64{0, 1})))
	writeFile(t, dir, "cut.npy", string(npyOf("<f8", "(3,)", []float64{0, 1})))
	writeFile(t, dir, "long.npy", string(npyOf("<f8", "(3,)", []float64{0, 1, 2, 3})))
	writeFile(t, dir, "half.npy", string(npyOf("<f2", "(3,)", []uint16{0, 1, 2})))
	for text, says := range map[string]string{
		"id,x\na,1\nd,2\n": `v.csv:3: the input has no vertex "d"`,
		"id,x\na,1\na,2\n": `v.csv:3: vertex "a" has a value`,
		"id,x\na,nan\n":    `v.csv:2: "nan" is no number`, "id,x\na,\n": `v.csv:2: "" is no number`,
		"id,x\na,inf\n": `v.csv:2: "inf"`, "id,x\na,1,5\n": "v.csv:2: want 2 columns", "": "v.csv: it has no line",
		"id,x,y\na,1,5\n": "v.csv:1: say which column", "q,x\na,1\n": `v.csv:1: the input has no vertex "q"; if this is a header`,
		"d,1\na,1\n":    `v.csv:1: the input has no vertex "d"`,
		"id,x\n\"a,1\n": "v.csv:2: a quote",
	} {
		writeFile(t, dir, "v.csv", text)
		ooc(t, dir, "stats", "g.csv", "--within", "3", "--values", "v.csv").want(t, class.Input, says)
	}
	writeFile(t, dir, "v.csv", "q,x\na,1\n") // and so it can be read
	ooc(t, dir, "stats", "g.csv", "--within", "3", "--values", "v.csv:x").want(t, 0)
	writeFile(t, dir, "v.csv", "d,1\na,1\n") // but 1 is a number, and no name of a column
	ooc(t, dir, "stats", "g.csv", "--within", "3", "--values", "v.csv:1").want(t, class.Input, `no vertex "d"`)
	writeFile(t, dir, "v.csv", "id,x\na,1\n")
	for values, says := range map[string]string{"v.csv:y": `v.csv:1: there is no column "y"`,
		"v.csv:3": `no column "3"`,
		"v.csv:":  "v.csv:: no such file", "no.csv": "no.csv: no such file", "w.npy": "w.npy: number 2 of it is NaN",
		"short.npy": "short.npy: an array of shape [2]: want one number of each of 3 vertices", "cut.npy": "it was cut",
		"long.npy": "something follows", "half.npy": "want integers, float32 or float64"} {
		ooc(t, dir, "stats", "g.csv", "--within", "3", "--values", values).want(t, class.Input, says)
	}
	for line, says := range map[string]string{
		"--values v.csv":                                "say how far, with --within or --decay",
		"--decay exp:1":                                 "give them with --values",
		"--values v.csv --within 1 --bins 5":            "another run",
		"--values v.csv --within 1 --betweenness edges": "another run",
		"--values v.csv --within 1 --decay exp:-1":      "want one of exp:BETA, linear:R, gaussian:S",
		"--values w.npy:1 --within 1":                   "an array has no columns",
	} {
		ooc(t, dir, append([]string{"stats", "g.csv"}, strings.Fields(line)...)...).want(t, class.Usage, says)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.stats")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestStatsOfGraph wants of a graph what its store says.
func TestStatsOfGraph(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	ooc(t, dir, "solve", "towns.csv").want(t, 0)
	for _, more := range []string{"--csv --k-nearest 2 --within 4,5.5", "--json --bins 5",
		"--json --bins 0,5,10 --within 4", ""} {
		of := func(input string) string {
			got := ooc(t, dir, append([]string{"stats", input}, strings.Fields(more)...)...).want(t, 0)
			return strings.ReplaceAll(got.stdout, "towns.ooc", "towns.csv")
		}
		if want, got := of("towns.ooc"), of("towns.csv"); got != want {
			t.Errorf("%s: of the graph\n%sof the store\n%s", more, got, want)
		}
	}
	ooc(t, dir, "stats", "towns.csv", "--plot", "h.svg").want(t, 0, "computed 4 rows")
	ooc(t, dir, "stats", "towns.csv", "--sources", "isle,nice", "--csv").want(t, 0, "isle,8,8,nice,3,0,",
		"paris,,,,,2,,1,")
	ooc(t, dir, "solve", "towns.csv", "--sources", "isle,nice", "--out", "some.ooc").want(t, 0)
	if got, want := ooc(t, dir, "stats", "towns.csv", "--sources", "isle,nice", "--json").stdout,
		ooc(t, dir, "stats", "some.ooc", "--json").stdout; got != want {
		t.Errorf("of chosen sources\n%s\nof their store\n%s", got, want)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.stats")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestConnections: a GPU opens with few connections where no rounds follow, and only there.
func TestConnections(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	t.Setenv("OOC_TEST_CONNECTIONS", "1")
	t.Setenv("CUDA_DEVICE_MAX_CONNECTIONS", "")
	ooc(t, dir, "stats", "towns.csv").want(t, 0, "connections: 2\n")
	ooc(t, dir, "stats", "towns.csv", "--store", "t.ooc").want(t, 0, "connections: \n")
	ooc(t, dir, "solve", "towns.csv").want(t, 0, "connections: \n")
	ooc(t, dir, "stats", "towns.ooc").want(t, 0, "connections: \n")
	t.Setenv("CUDA_DEVICE_MAX_CONNECTIONS", "9")
	ooc(t, dir, "stats", "towns.csv").want(t, 0, "connections: 9\n")
}

func TestStatsOfGraphRefusals(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	writeFile(t, dir, "cycle.gr", "p sp 2 2\na 1 2 -5\na 2 1 3\n")
	writeFile(t, dir, "mine.stats", "a,b,1\n")
	writeFile(t, dir, "m.npy",
		fmt.Sprintf("\x93NUMPY\x01\x00\x76\x00%-117s\n%16s",
			"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", ""))
	ooc(t, dir, "solve", "towns.csv").want(t, 0)
	before := tree(t, dir)
	for line, want := range map[string]struct {
		code int
		says string
	}{
		"towns.ooc --sources paris":    {class.Usage, "--sources is for graphs"},
		"towns.ooc --kind f32":         {class.Usage, "--kind is for graphs"},
		"towns.csv --out mine.stats":   {class.Input, "no file that ooc stats has begun"},
		"towns.csv --out towns.csv":    {class.Usage, "the command itself uses"},
		"towns.csv --out towns.ooc/x":  {class.Usage, "name another file"},
		"towns.csv --out no/x":         {class.Input, "make that first"},
		"towns.csv --sources rome":     {class.Input, `no vertex "rome"`},
		"towns.csv --k-nearest 1":      {class.Usage, "--csv or --json"},
		"missing.gr":                   {class.Input, "no such file"},
		"cycle.gr":                     {class.NegativeCycle, "negative cycle"},
		"m.npy":                        {class.Input, "ooc solve m.npy"},
		"- --kind i32":                 {class.Usage, "give --out"},
		"m.npy --store new --bins 5,3": {class.Usage, "the edges of bins are"},
		"towns.csv --device cpu,":      {class.Usage, "--device"},
		"towns.csv --k-nearest 900000000 --json --out a.stats": {0, ""},
	} {
		r := ooc(t, dir, append([]string{"stats"}, strings.Fields(line)...)...)
		if want.code == 0 {
			r.want(t, 0)
			continue
		}
		r.want(t, want.code, want.says)
	}
	if after := tree(t, dir); len(after) != len(before) {
		t.Errorf("left behind: %v, before %v", after, before)
	}
	held, _, err := lock.OpenFile(filepath.Join(dir, "towns.stats"))
	if err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "stats", "towns.csv").want(t, class.Locked, "towns.stats", "locked")
	held.Close()
	ooc(t, dir, "stats", "towns.csv").want(t, 0)
}

// TestStatsOfGraphGoesOn kills, or stops, statistics again and again, and wants what one run says.
func TestStatsOfGraphGoesOn(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	dir := t.TempDir()
	ooc(t, dir, "gen", "road", "road.gr", "-n", "12000", "--seed", "7").want(t, 0)
	args := []string{"stats", "road.gr", "--undirected", "--checkpoint", "1ms", "--csv", "--within", "1000,50000"}
	began := time.Now()
	want := ooc(t, dir, append(args, "--out", "once.stats")...).want(t, 0).stdout
	took := time.Since(began)
	stopped := 0
	for try := 0; ; try++ {
		cmd := command(t, dir, args...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		how := []os.Signal{os.Interrupt, syscall.SIGTERM, os.Kill}[try%3]
		timer := time.AfterFunc(took/4+time.Duration(r.Int64N(int64(took/2))), func() { _ = cmd.Process.Signal(how) })
		_ = cmd.Wait()
		timer.Stop()
		if cmd.ProcessState.ExitCode() == 0 {
			if got := stdout.String(); got != want {
				t.Errorf("stopped %d times, it printed another table", stopped)
			}
			if stopped > 0 || try > 20 {
				break
			}
			continue // it was done before, and begins anew
		}
		stopped++
		if how != os.Kill && (cmd.ProcessState.ExitCode() != class.Interrupted ||
			!strings.Contains(stderr.String(), "continue with:\n  ooc stats road.gr")) {
			t.Fatalf("%v\n%s", cmd.ProcessState, stderr.String())
		}
		if try > 500 {
			t.Fatalf("it never ends:\n%s", stderr.String())
		}
	}
	if stopped == 0 {
		tooFast(t, "the pass")
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.stats")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestStatsByStore gathers statistics of graphs that have no small core, and of a matrix, from a store that is there
// only meanwhile, also after a stop, and removes nothing else.
func TestStatsByStore(t *testing.T) {
	dir := t.TempDir()
	same := func(a, b map[string]string) bool { // but for when the folder itself was changed
		delete(a, dir)
		delete(b, dir)
		return maps.Equal(a, b)
	}
	ooc(t, dir, "gen", "random", "g.gr", "-n", "900", "-m", "60000", "--seed", "4").want(t, 0)
	// An arc of negative weight from one vertex more, which has none to it: searches are not for that.
	text, err := os.ReadFile(filepath.Join(dir, "g.gr"))
	if err != nil {
		t.Fatal(err)
	}
	negative := strings.Replace(string(text), "p sp 900 60000\n", "p sp 901 60001\na 901 1 -5\n", 1)
	writeFile(t, dir, "g.gr", negative)
	ooc(t, dir, "solve", "g.gr", "--device", "cpu").want(t, 0)
	want := ooc(t, dir, "stats", "g.ooc", "--json").want(t, 0).stdout
	line := []string{"stats", "g.gr", "--json", "--host-memory", "1MiB"}
	ooc(t, dir, line...).want(t, class.Usage, "too dense for factors", "--store DIR makes one")
	line = append(line, "--store", "t.ooc")
	before := tree(t, dir)
	if got := ooc(t, dir, line...).want(t, 0).stdout; got != want {
		t.Errorf("by way of a store\n%s\nof a store\n%s", got, want)
	}
	if after := tree(t, dir); !same(after, before) {
		t.Errorf("left behind: %v", after)
	}
	ooc(t, dir, "export", "g.ooc", "m.npy").want(t, 0)
	ooc(t, dir, "stats", "m.npy", "--store", "t.ooc", "--no-arc", "2147483647").want(t, 0, "diameter")
	for _, name := range []string{"g.ooc", "full"} { // a store of somebody else, and a folder
		if name == "full" {
			if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, name), "mine", "x")
		}
		before := tree(t, dir)
		r := ooc(t, dir, "stats", "g.gr", "--host-memory", "1MiB", "--store", name)
		if r.code == 0 {
			t.Errorf("%s was taken: %s", name, r.stderr)
		}
		if after := tree(t, dir); !same(after, before) {
			t.Errorf("%s: %v, before %v", name, after, before)
		}
	}
	cmd := command(t, dir, append(line, "--checkpoint", "10ms")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		if tiles.IsStore(filepath.Join(dir, "t.ooc")) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it may have been done before
	if tiles.IsStore(filepath.Join(dir, "t.ooc")) {
		ooc(t, dir, "status", "t.ooc").want(t, 0, "next      ooc "+strings.Join(line, " ")+" --checkpoint 10ms\n")
	}
	if got := ooc(t, dir, line...).want(t, 0).stdout; got != want {
		t.Errorf("after a kill\n%s\nof a store\n%s", got, want)
	}
	if _, err := os.Lstat(filepath.Join(dir, "t.ooc")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the store is still there: %v", err)
	}

	// What a kill while the store is removed may leave.
	before = tree(t, dir)
	for _, left := range [][]string{{}, {"lock"}, {"lock", "state", "store.json.tmp"}} {
		if err := os.Mkdir(filepath.Join(dir, "t.ooc"), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, name := range left {
			writeFile(t, filepath.Join(dir, "t.ooc"), name, "ooc lock\n")
		}
		if got := ooc(t, dir, line...).want(t, 0).stdout; got != want {
			t.Errorf("with %q left\n%s\nof a store\n%s", left, got, want)
		}
		if after := tree(t, dir); !same(after, before) {
			t.Errorf("with %q left, left behind: %v", left, after)
		}
	}
}

// TestStatsByDamagedStore damages the store of an earlier run. The command says how to begin again, as stats can.
func TestStatsByDamagedStore(t *testing.T) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "150", "-m", "900", "--seed", "4").want(t, 0)
	line := []string{"stats", "g.gr", "--json", "--store", "t.ooc"}
	want := ooc(t, dir, "stats", "g.gr", "--json").want(t, 0).stdout
	store := filepath.Join(dir, "t.ooc")
	cut := func(path string) error { return os.Truncate(path, 100) }
	for name, damage := range map[string]func(path string) error{
		"state": os.Remove, "dist.npy": cut, "graph.csr": os.Remove, "store.json": cut,
	} {
		g, _, src, err := read.Open(filepath.Join(dir, "g.gr"), read.Options{Sum: true})
		if err != nil {
			t.Fatal(err)
		}
		in := tiles.Input{Name: src.Name, Format: src.Format, Size: src.Size, ModTime: src.ModTime, SHA256: src.SHA256}
		p, err := engine.Create(t.Context(), store, g,
			engine.CreateOptions{Input: in, Command: []string{"ooc", "stats"}})
		if err == nil {
			err = p.Close()
		}
		if err == nil {
			err = damage(filepath.Join(store, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		r := ooc(t, dir, line...).want(t, class.Corrupt, "t.ooc/"+name, "remove it, rm -r t.ooc, and")
		if strings.Contains(r.stderr, "--restart") {
			t.Errorf("%s: stats has no --restart:\n%s", name, r.stderr)
		}
		if err := os.RemoveAll(store); err != nil { // as it says
			t.Fatal(err)
		}
		if got := ooc(t, dir, line...).want(t, 0).stdout; got != want {
			t.Errorf("%s: another answer\n%s", name, got)
		}
	}
}

// TestStoppingIsTrue stops commands in a stage, and compares what they promise with what they leave.
func TestStoppingIsTrue(t *testing.T) {
	crashtest.Slow(t)
	const eliminating, lost = "eliminating vertices", "the elimination and its core are in memory alone"
	dir := t.TempDir()
	// The core of this graph takes longest.
	ooc(t, dir, "gen", "random", "core.gr", "-n", "12000", "-m", "26000", "--undirected").want(t, 0)
	writeFile(t, dir, "roads.gr", string(readFile(t, rome(t))))
	for _, c := range []struct {
		line, in string // what to run, and the line that says that it is in the stage
		says     string
		left     string // a line to run after it, which says what was kept
		kept     string
	}{
		{"stats core.gr", eliminating, lost, "stats core.gr --csv", "computed 12,000 rows in"},
		{"solve core.gr --algorithm eliminate --sources 1..9", eliminating, lost, "status core.ooc", "0.0 %"},
		{"solve core.gr --keep factors --algorithm factors --out f.ooc", eliminating, lost, "status f.ooc", "0.0 %"},
		{"solve roads.gr --algorithm blocked --round 128 --tile 128", "round 1 of",
			"finishes what is in flight, then takes", "status roads.ooc", "next      ooc solve"},
	} {
		t.Run(c.line, func(t *testing.T) {
			cmd := command(t, dir, append(strings.Fields(c.line), "--device", "cpu")...)
			out, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said, stopped := "", false
			for lines := bufio.NewScanner(out); lines.Scan(); {
				said += lines.Text() + "\n"
				if !stopped && strings.Contains(lines.Text(), c.in) {
					stopped = cmd.Process.Signal(os.Interrupt) == nil
				}
			}
			_ = cmd.Wait() // the state says how it ended
			if code := cmd.ProcessState.ExitCode(); code == 0 {
				tooFast(t, c.line)
			} else if code != class.Interrupted || !strings.Contains(said, "stopping: "+c.says) {
				t.Errorf("ooc %s: exit code %d\n%s", c.line, code, said)
			}
			if r := ooc(t, dir, strings.Fields(c.left)...).want(t, 0, c.kept); strings.Contains(r.stderr,
				"of an earlier run") {
				t.Errorf("ooc %s kept more than it said:\n%s", c.line, r.stderr)
			}
		})
	}
}
