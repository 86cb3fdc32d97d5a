package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ooc/tiles/crashtest"
)

// small is a graph with text ids, a zero weight, a parallel arc, a self-loop and an unreachable vertex.
const small = "# a comment\nparis,lyon,4\nlyon,nice,3\nparis,nice,9\nparis,nice,8\nnice,nice,1\nnice,paris,0\nisle,paris,1\n"

func TestSolveAndAsk(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	ooc(t, dir, "solve", "towns.csv").want(t, 0, "4 vertices, 5 arcs", "1 self-loop dropped", "1 parallel arc merged",
		"solved towns.ooc")
	ooc(t, dir, "solve", "towns.csv").want(t, 0, "already solved")
	ooc(t, dir, "solve", "towns.ooc").want(t, 0, "already solved")
	ooc(t, dir, "solve", "towns.csv", "--restart").want(t, 0, "solved towns.ooc: rounds")
	for _, q := range []struct {
		args []string
		out  string
	}{
		{[]string{"paris", "nice", "lyon", "isle", "paris"},
			"paris\tnice\t7\nparis\tlyon\t4\nparis\tisle\tunreachable\nparis\tparis\t0\n"},
		{[]string{"--row", "isle"}, "isle\tparis\t1\nisle\tlyon\t5\nisle\tnice\t8\nisle\tisle\t0\n"},
		{[]string{"--col", "lyon"}, "paris\tlyon\t4\nlyon\tlyon\t0\nnice\tlyon\t4\nisle\tlyon\t5\n"},
		{[]string{"--pairs", writeFile(t, dir, "pairs", "# pairs\nlyon paris\n\nisle nice\n")},
			"lyon\tparis\t3\nisle\tnice\t8\n"},
	} {
		if r := ooc(t, dir, append([]string{"query", "towns.ooc"}, q.args...)...).want(t, 0); r.stdout != q.out {
			t.Errorf("query %v printed\n%swant\n%s", q.args, r.stdout, q.out)
		}
	}
	ooc(t, dir, "status", "towns.ooc").want(t, 0, "solved", "next      ooc query towns.ooc U V", "directed")
	ooc(t, dir, "verify", "towns.ooc", "--rows", "9").want(t, 0,
		"1 tile checksum matches; 4 of 4 rows (16 distances) agree with Dijkstra")
	ooc(t, dir, "plan", "towns.csv").want(t, 0, "rounds", "traffic", "time")
	ooc(t, dir, "devices").want(t, 0, "cpu")
}

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "good.gr", "p sp 2 1\na 1 2 5\n")
	writeFile(t, dir, "text.gr", "p sp 2 1\na 1 x 5\n")
	writeFile(t, dir, "range.gr", "p sp 2 1\na 1 3 5\n")
	writeFile(t, dir, "negative.csv", "a,b,4\nb,c,-3\nc,a,-2\n")
	writeFile(t, dir, "empty.gr", "")
	writeFile(t, dir, "rubbish.gr", "\x00\x01\x02\xff\xfe rubbish \x00")
	writeFile(t, dir, "far.gr", "p sp 3 2\na 1 2 1000000000\na 2 3 1000000000\n")
	ooc(t, dir, "solve", "good.gr").want(t, 0)
	for _, c := range []struct {
		code  int
		text  string
		words string
	}{
		{2, "unknown flag", "solve good.gr --frobnicate"},
		{2, "accepts 1 arg", "solve"},
		{2, "want a size", "solve good.gr --device-memory lots"},
		{2, "multiple of 64", "solve good.gr --tile 100"},
		{2, "needs at least", "solve good.gr --out tiny.ooc --algorithm blocked --device-memory 1KiB"},
		{2, "--algorithm", "solve good.gr --algorithm magic"},
		{2, "unknown command", "frobnicate"},
		{3, "no such file", "solve missing.gr"},
		{3, "text.gr:2", "solve text.gr"},
		{3, "range.gr:2", "solve range.gr"},
		{3, "empty.gr", "solve empty.gr"},
		{3, "rubbish.gr", "solve rubbish.gr"},
		{3, "--kind f64", "solve far.gr"},
		{3, `no vertex "7"`, "query good.ooc 1 7"},
		{3, "not an ooc store", "query . 1 2"},
		{3, "good.gr has no vertex", "query good.gr 1 99"},
		{3, "it is a file", "status good.gr"},
		{3, "it is a file", "watch good.gr"},
		{3, "nothing.ooc: file does not exist; ooc solve GRAPH makes a store", "status nothing.ooc"},
		{3, "make the folder nowhere first", "solve good.gr --out nowhere/good.ooc"},
		{4, "negative cycle of length -1", "solve negative.csv"},
		{8, "corrupt", "status torn.ooc"},
	} {
		if strings.Contains(c.words, "torn.ooc") {
			tear(t, dir)
		}
		t.Run(c.words, func(t *testing.T) { ooc(t, dir, strings.Fields(c.words)...).want(t, c.code, c.text) })
	}
	// What failed left nothing behind.
	left, err := filepath.Glob(filepath.Join(dir, "*.ooc"))
	if err != nil || len(left) != 2 {
		t.Errorf("stores left: %v, %v", left, err)
	}
}

// tear makes torn.ooc: a solved store whose matrix lost its end.
func tear(t *testing.T, dir string) {
	ooc(t, dir, "solve", "good.gr", "--out", "torn.ooc").want(t, 0)
	if err := os.Truncate(filepath.Join(dir, "torn.ooc", "dist.npy"), 5000); err != nil {
		t.Fatal(err)
	}
}

// TestChangedInputIsRefused: a store stays what it was made of, until --restart takes the new input.
func TestChangedInputIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := writeFile(t, dir, "g.gr", "p sp 2 1\na 1 2 5\n")
	ooc(t, dir, "solve", "g.gr").want(t, 0)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "solve", "g.gr").want(t, 0, "already solved") // touched, but the same
	writeFile(t, dir, "g.gr", "p sp 2 1\na 1 2 7\n")
	ooc(t, dir, "solve", "g.gr").want(t, 3, "another file", "--restart")
	if r := ooc(t, dir, "query", "g.ooc", "1", "2").want(t, 0); r.stdout != "1\t2\t5\n" {
		t.Errorf("after the refusal: %q", r.stdout)
	}
	ooc(t, dir, "solve", "g.gr", "--kind", "f32").want(t, 3, "--kind i32")
	ooc(t, dir, "solve", "g.gr", "--restart").want(t, 0)
	if r := ooc(t, dir, "query", "g.ooc", "1", "2").want(t, 0); r.stdout != "1\t2\t7\n" {
		t.Errorf("after the restart: %q", r.stdout)
	}
}

// TestEqualSizeAndTimePass changes an input so that nothing shows it but its content, and does what docs/promises.md
// names as the way out.
func TestEqualSizeAndTimePass(t *testing.T) {
	dir := t.TempDir()
	path := writeFile(t, dir, "g.gr", "p sp 2 1\na 1 2 5\n")
	then := time.Now().Add(-time.Hour)
	put := func(weight string, at time.Time) {
		writeFile(t, dir, "g.gr", "p sp 2 1\na 1 2 "+weight+"\n")
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	put("5", then)
	ooc(t, dir, "solve", "g.gr").want(t, 0)
	put("7", then)
	ooc(t, dir, "solve", "g.gr").want(t, 0, "already solved")
	put("7", time.Now())
	ooc(t, dir, "solve", "g.gr").want(t, 3, "another file", "--restart")
	put("7", then)
	ooc(t, dir, "solve", "g.gr", "--restart").want(t, 0)
	if r := ooc(t, dir, "query", "g.ooc", "1", "2").want(t, 0); r.stdout != "1\t2\t7\n" {
		t.Errorf("after the restart: %q", r.stdout)
	}
}

// TestEqualSizeAndTimeElsewhere solves another file of the same name, size and time, as archives unpack them, and
// then the same file from where it has been moved to.
func TestEqualSizeAndTimeElsewhere(t *testing.T) {
	dir := t.TempDir()
	then := time.Now().Add(-time.Hour)
	for sub, weight := range map[string]string{"a": "5", "b": "7"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
		path := writeFile(t, filepath.Join(dir, sub), "g.gr", "p sp 2 1\na 1 2 "+weight+"\n")
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	ooc(t, dir, "solve", filepath.Join("a", "g.gr")).want(t, 0)
	ooc(t, dir, "solve", filepath.Join("b", "g.gr")).want(t, 3, "another file", "--restart")
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "solve", filepath.Join("c", "g.gr")).want(t, 0, "already solved")
}

// TestRestartKeepsWhatItCannotReplace gives restarts that cannot begin, and demands the old answers.
func TestRestartKeepsWhatItCannotReplace(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.gr", "p sp 2 1\na 1 2 5\n")
	ooc(t, dir, "solve", "g.gr", "--tile", "128").want(t, 0)
	ooc(t, dir, "solve", "g.gr", "--restart", "--kind", "f16").want(t, 2)
	ooc(t, dir, "solve", "g.gr", "--restart", "--tile", "128", "--round", "192").want(t, 2, "multiple of --tile 128")
	ooc(t, dir, "solve", "g.ooc", "--restart", "--tile", "64").want(t, 3, "--tile 128")
	writeFile(t, dir, "g.gr", "p sp 2 1\na 1 2 rubbish\n")
	ooc(t, dir, "solve", "g.gr", "--restart").want(t, 3, "g.gr:2")
	writeFile(t, dir, "g.gr", "p sp 2 2\na 1 2 5\na 2 1 -7\n")
	ooc(t, dir, "solve", "g.gr", "--restart").want(t, 4)
	if r := ooc(t, dir, "query", "g.ooc", "1", "2").want(t, 0); r.stdout != "1\t2\t5\n" {
		t.Errorf("after the refusals: %q", r.stdout)
	}
}

// TestRestartForgets begins again with none of what flags said of the store that was there.
func TestRestartForgets(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.gr", "p sp 3 2\na 1 2 5\na 2 3 1\n")
	ooc(t, dir, "solve", "g.gr", "--tile", "128", "--kind", "f32", "--predecessors").want(t, 0)
	ooc(t, dir, "solve", "g.gr", "--restart", "--sources", "2", "--dry-run").want(t, 0, "new")
	ooc(t, dir, "solve", "g.gr", "--restart", "--sources", "2").want(t, 0)
	ooc(t, dir, "solve", "g.gr", "--kind", "f32", "--dry-run").want(t, 7, "--kind i32")
	ooc(t, dir, "solve", "g.gr", "--restart", "--algorithm", "squaring").want(t, 0)
	ooc(t, dir, "status", "g.ooc").want(t, 0, "i32", "1×1 tiles of 64×64", "squaring")
	if r := ooc(t, dir, "query", "g.ooc", "1", "3").want(t, 0); r.stdout != "1\t3\t6\n" {
		t.Errorf("%q", r.stdout)
	}
	ooc(t, dir, "sssp", "g.ooc", "--source", "1", "--undirected").want(t, 2, "a store knows")
	ooc(t, dir, "plan", dir).want(t, 3)
}

// TestOtherColumnsAreRefused solves one file read in two ways.
func TestOtherColumnsAreRefused(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "c.txt", "1 2 5 7\n")
	ooc(t, dir, "solve", "c.txt", "--columns", "from,to,weight,x").want(t, 0)
	ooc(t, dir, "solve", "c.txt", "--columns", "from,to,weight,x").want(t, 0, "already solved")
	ooc(t, dir, "solve", "c.txt", "--columns", "from,to,x,weight").want(t, 3, "--columns", "--restart")
	ooc(t, dir, "solve", "c.txt", "--columns", "from,to,x,weight", "--restart").want(t, 0)
	if r := ooc(t, dir, "query", "c.ooc", "1", "2").want(t, 0); r.stdout != "1\t2\t7\n" {
		t.Errorf("after the restart: %q", r.stdout)
	}
}

// TestGuessedWeightsAreSaid solves edge lists of which the names of columns do not say what the weights are.
func TestGuessedWeightsAreSaid(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "c.csv", "from,to,wieght\n1,2,5\n")
	ooc(t, dir, "solve", "c.csv").want(t, 0, `column "wieght" is taken for the weight`)
	for _, line := range []string{"sssp c.csv --source 1", "mst c.csv --undirected", "plan c.csv"} {
		ooc(t, dir, strings.Fields(line)...).want(t, 0, `column "wieght" is taken for the weight`)
	}
	ooc(t, dir, "solve", "c.csv", "--columns", "from,to,wieght", "--out", "one.ooc").want(t, 0, "weights 1…1",
		"named weight, or w, length", "every arc has weight 1")
	for _, columns := range []string{"from,to", "from,to,weight"} {
		r := ooc(t, dir, "solve", "c.csv", "--columns", columns, "--restart").want(t, 0)
		if strings.Contains(r.stderr, "named weight") || strings.Contains(r.stderr, "taken for") {
			t.Errorf("--columns %s: %s", columns, r.stderr)
		}
	}
}

// TestScaledDistancesAreExact asks for a distance with more digits than a float32 has.
func TestScaledDistancesAreExact(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "s.csv", "a,b,1060.123457\n")
	ooc(t, dir, "solve", "s.csv", "--scale", "1000000").want(t, 0)
	if r := ooc(t, dir, "query", "s.ooc", "a", "b").want(t, 0); r.stdout != "a\tb\t1060.123457\n" {
		t.Errorf("%q", r.stdout)
	}
}

// TestStandardInput solves the graph from a pipe; the store continues it.
func TestStandardInput(t *testing.T) {
	dir := t.TempDir()
	cmd := command(t, dir, "solve", "-", "--out", "in.ooc")
	cmd.Stdin = strings.NewReader("p sp 2 1\na 1 2 5\n")
	finish(t, cmd).want(t, 0, "solved in.ooc")
	cmd = command(t, dir, "solve", "-", "--out", "in.ooc")
	cmd.Stdin = strings.NewReader("p sp 2 1\na 1 2 5\n")
	finish(t, cmd).want(t, 3, "continue it with ooc solve in.ooc")
	ooc(t, dir, "solve", "in.ooc").want(t, 0, "already solved")
}

// running starts a solve that takes a while, and waits until it reports progress.
func running(t *testing.T, dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	ooc(t, dir, "gen", "random", "long.gr", "-n", "4000", "-m", "20000").want(t, 0)
	cmd := command(t, dir, append([]string{"solve", "long.gr", "--json", "--tile", "256", "--round", "256",
		"--device-memory", "32MiB"}, args...)...)
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1") // many cores would be done before anybody looked
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := out.Read(first); err != nil {
		t.Fatalf("no status: %v\n%s", err, stderr.String())
	}
	go func() { // a pipe that nobody reads would stop the solve
		buf := make([]byte, 1<<16)
		for {
			if _, err := out.Read(buf); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, &stderr
}

func TestTruncatedUnderSolve(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	cmd, stderr := running(t, dir)
	if err := os.Truncate(filepath.Join(dir, "long.ooc", "dist.npy"), 1<<20); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 8 || !strings.Contains(stderr.String(), "tile (") ||
		strings.Contains(stderr.String(), "goroutine ") {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
}

// TestNoSpace solves on a tmpfs that the matrix does not fit.
func TestNoSpace(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", dir).CombinedOutput(); err != nil {
		if os.Getenv("OOC_REQUIRE_MOUNT") == "1" {
			t.Fatalf("mount: %v: %s", err, out)
		}
		t.Skipf("cannot mount a tmpfs: %v: %s", err, out)
	}
	defer exec.Command("umount", dir).Run()
	began := time.Now()
	ooc(t, dir, "solve", rome(t)).want(t, 5, "no space")
	t.Logf("refused after %v", time.Since(began))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// jsonLines parses what --json printed.
func jsonLines(t testing.TB, text string) (out []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%q is no JSON object: %v", line, err)
		}
		out = append(out, v)
	}
	return out
}

func TestJSON(t *testing.T) {
	dir := t.TempDir()
	r := ooc(t, dir, "solve", rome(t), "--json").want(t, 0)
	objects := jsonLines(t, r.stdout)
	last := objects[len(objects)-1]
	if last["type"] != "summary" || last["vertices"] != 3353.0 {
		t.Errorf("last object: %v", last)
	}
	st := objects[len(objects)-2]
	for _, field := range []string{"round", "rounds", "progress", "restore_point", "relaxations_per_second",
		"elapsed_seconds", "eta_seconds"} {
		if _, ok := st[field].(float64); !ok {
			t.Errorf("status lacks %s: %v", field, st)
		}
	}
	if st["type"] != "status" || st["progress"] != 1.0 || st["restore_point"] != 1.0 {
		t.Errorf("last status: %v", st)
	}
	if st := jsonLines(t, ooc(t, dir, "status", "rome99.ooc", "--json").want(t, 0).stdout); len(st) != 1 ||
		st[0]["state"] != "solved" {
		t.Errorf("status --json: %v", st)
	}
	e := jsonLines(t, ooc(t, dir, "solve", "missing.gr", "--json").want(t, 3).stdout)
	if len(e) != 1 || e[0]["type"] != "error" || e[0]["exit_code"] != 3.0 {
		t.Errorf("error object: %v", e)
	}
}

// TestJSONNames wants names of one style in every object, however deep.
func TestJSONNames(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	style := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	var check func(where string, v any)
	check = func(where string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inside := range v {
				if !style.MatchString(name) {
					t.Errorf("%s: a field %q", where, name)
				}
				check(where+"."+name, inside)
			}
		case []any:
			for i, inside := range v {
				check(fmt.Sprintf("%s[%d]", where, i), inside)
			}
		}
	}
	for _, args := range [][]string{
		{"plan", rome(t), "--json"}, {"plan", rome(t), "--algorithm", "eliminate", "--json"},
		{"solve", rome(t), "--dry-run", "--json"},
		{"solve", rome(t), "--json"}, {"status", "rome99.ooc", "--json"}, {"verify", "rome99.ooc", "--json"},
		{"stats", "rome99.ooc", "--json"},
	} {
		objects := jsonLines(t, ooc(t, dir, args...).want(t, 0).stdout)
		if len(objects) == 0 {
			t.Errorf("%v printed no object", args)
		}
		for _, o := range objects {
			check(args[0], o)
		}
	}
}

// TestNothingGarbled demands that redirected output has no control characters.
func TestNothingGarbled(t *testing.T) {
	dir := t.TempDir()
	r := ooc(t, dir, "solve", rome(t)).want(t, 0, "progress 100.0 %")
	for _, text := range []string{r.stdout, r.stderr} {
		if strings.ContainsAny(text, "\x1b\r") {
			t.Errorf("control characters in redirected output: %q", text)
		}
	}
	if r := ooc(t, dir, "solve", rome(t), "--restart", "--progress", "never").want(t, 0,
		"imported "); strings.Count(r.stderr, "\n") != 3 || !strings.Contains(r.stderr, "\n  directed by default") {
		t.Errorf("--progress never printed more than what was read, and how: %q", r.stderr)
	}
}

// TestExport compares the exported array with the store's answers.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	for _, c := range []struct {
		kind  string
		flags []string
		size  int
		entry func([]byte) float64
	}{
		{"i4", nil, 4, func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }},
		{"i4", []string{"--kind", "u16"}, 4,
			func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }},
		{"f4", []string{"--kind", "f32"}, 4,
			func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
		{"f8", []string{"--kind", "f64"}, 8,
			func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }},
		{"f8", []string{"--scale", "10"}, 8,
			func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }},
	} {
		ooc(t, dir, append([]string{"solve", "towns.csv", "--restart"}, c.flags...)...).want(t, 0)
		ooc(t, dir, "export", "towns.ooc", "d.npy", "--overwrite").want(t, 0)
		b := readFile(t, dir, "d.npy")
		if !bytes.Contains(b[:128], []byte("{'descr': '<"+c.kind+"', 'fortran_order': False, 'shape': (4, 4), }")) {
			t.Fatalf("header %q", b[:128])
		}
		data := b[len(b)-16*c.size:]
		inf := math.Inf(1)
		if c.kind == "i4" {
			inf = math.MaxInt32
		}
		for i, want := range []float64{0, 4, 7, inf, 3, 0, 3, inf, 0, 4, 0, inf, 1, 5, 8, 0} {
			if got := c.entry(data[i*c.size:]); got != want {
				t.Errorf("%s: entry %d is %v, want %v", c.kind, i, got, want)
			}
		}
	}
	ooc(t, dir, "export", "towns.ooc", "d.npy").want(t, 1, "--overwrite")
	ooc(t, dir, "export", "towns.ooc", "d.xyz").want(t, 2, ".xyz")
	if left, _ := filepath.Glob(filepath.Join(dir, ".d*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestOneLineAboutTheDevice: a machine without a GPU is no mishap, and only who asks for one, or for the list, is
// told why there is none.
func TestOneLineAboutTheDevice(t *testing.T) {
	dir := t.TempDir()
	r := ooc(t, dir, "solve", rome(t)).want(t, 0)
	if first, rest, _ := strings.Cut(r.stderr, "\n"); !strings.HasPrefix(first, "device ") ||
		strings.Contains(first, " (") ||
		!strings.HasPrefix(rest, "imported") {
		t.Errorf("a solve begins with\n%s", r.stderr)
	}
	if !hasGPU(t) {
		ooc(t, dir, "devices").want(t, 0, "not usable: cuda: no CUDA device")
		ooc(t, dir, "solve", rome(t), "--device", "cuda").want(t, 1, "no CUDA device")
		ooc(t, dir, "stats", rome(t), "--device", "cuda", "--out", "s.stats").want(t, 1, "no CUDA device",
			"--device auto takes one that works")
		if files, _ := filepath.Glob(filepath.Join(dir, "s.stats*")); len(files) > 0 {
			t.Errorf("statistics without their device leave %v", files)
		}
	}
}
