package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ooc/cmd/ooc/exit"
	"ooc/engine/batch"
	"ooc/engine/task"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// theQueue reads the one queue in a folder.
func theQueue(t testing.TB, dir string) *batch.Queue {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.batch"))
	if err != nil || len(found) != 1 {
		t.Fatalf("queues: %v, %v", found, err)
	}
	q, err := batch.Read(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// outcomes are the states and attempts of a queue's jobs.
func outcomes(q *batch.Queue) string {
	var words []string
	for _, j := range q.Jobs {
		words = append(words, fmt.Sprintf("%s/%d", j.State, j.Attempt))
	}
	return strings.Join(words, " ")
}

func wantOutcomes(t testing.TB, dir, want string) {
	t.Helper()
	if got := outcomes(theQueue(t, dir)); got != want {
		t.Fatalf("jobs are %s, want %s", got, want)
	}
}

// mixed makes a folder of graphs, one of them with a negative cycle.
func mixed(t testing.TB) string {
	dir := t.TempDir()
	writeFile(t, dir, "a.gr", "p sp 2 1\na 1 2 5\n")
	writeFile(t, dir, "b.csv", "a,b,4\nb,c,-3\nc,a,-2\n")
	writeFile(t, dir, "c.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 7\n")
	writeFile(t, dir, "towns.csv", small)
	writeFile(t, dir, "README.md", "not a graph\n")
	return dir
}

func TestBatch(t *testing.T) {
	crashtest.Slow(t)
	dir := mixed(t)
	r := ooc(t, dir, "solve", ".").want(t, 7, "README.md", "b.csv: failed, exit code 4", "3 of 4 jobs solved, 1 failed",
		"ooc solve .")
	table := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if len(table) != 5 || !strings.HasPrefix(table[0], "JOB") ||
		!strings.Contains(table[2], "exit code 4: negative cycle") || !strings.Contains(table[4], "towns.ooc") {
		t.Errorf("table:\n%s", r.stdout)
	}
	wantOutcomes(t, dir, "solved/1 failed/1 solved/1 solved/1")
	ooc(t, dir, "query", "towns.ooc", "paris", "nice").want(t, 0, "paris\tnice\t7")

	// The same again tries what failed, and nothing else; once that is mended, all is well.
	ooc(t, dir, "solve", "./").want(t, 7)
	wantOutcomes(t, dir, "solved/1 failed/2 solved/1 solved/1")
	writeFile(t, dir, "b.csv", "a,b,4\n")
	ooc(t, dir, "solve", ".").want(t, 0)
	ooc(t, dir, "solve", ".").want(t, 0, "4 of them solved")
	wantOutcomes(t, dir, "solved/1 solved/3 solved/1 solved/1")

	// A changed input is refused as it is alone, a store that is gone is made again.
	writeFile(t, dir, "a.gr", "p sp 2 1\na 1 2 6\n")
	if err := os.RemoveAll(filepath.Join(dir, "c.ooc")); err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "solve", ".").want(t, 7, "a.gr: failed, exit code 3", "another file")
	wantOutcomes(t, dir, "failed/2 solved/3 solved/2 solved/1")
	ooc(t, dir, "solve", ".", "--restart").want(t, 0)
	ooc(t, dir, "query", "a.ooc", "1", "2").want(t, 0, "1\t2\t6")
	wantOutcomes(t, dir, "solved/3 solved/4 solved/3 solved/2")
}

// TestBatchSays reads what a batch prints for programs, and what ooc status says of it.
func TestBatchSays(t *testing.T) {
	dir := mixed(t)
	objects := jsonLines(t, ooc(t, dir, "solve", "*.csv", "a.gr", "--json").want(t, 7).stdout)
	last := map[float64]map[string]any{}
	for _, o := range objects {
		if o["type"] == "job" {
			last[o["job"].(float64)] = o
		}
	}
	if len(last) != 3 || last[1]["state"] != "failed" || last[1]["exit_code"] != 4.0 || last[3]["store"] != "a.ooc" ||
		last[3]["attempt"] != 1.0 {
		t.Errorf("jobs: %v", last)
	}
	if sum, ok := last[2]["summary"].(map[string]any); !ok || sum["vertices"] != 4.0 {
		t.Errorf("summary: %v", last[2])
	}
	end := objects[len(objects)-2]
	if counts, ok := end["counts"].(map[string]any); end["type"] != "batch" || !ok || counts["solved"] != 2.0 ||
		counts["failed"] != 1.0 || end["exit_code"] != 7.0 {
		t.Errorf("the end: %v", end)
	}
	q := theQueue(t, dir)
	ooc(t, dir, "status", filepath.Base(q.Dir)).want(t, 0, "2 solved, 1 failed", "towns.ooc", "negative cycle",
		"next      ooc solve '*.csv' a.gr --json")
	st := jsonLines(t, ooc(t, dir, "status", filepath.Base(q.Dir), "--json").want(t, 0).stdout)
	if list, ok := st[0]["list"].([]any); len(st) != 1 || st[0]["type"] != "batch" || !ok || len(list) != 3 {
		t.Errorf("status: %v", st)
	}
	r := ooc(t, dir, "solve", "*.csv", "a.gr", "--progress", "always").want(t, 7)
	if !strings.Contains(r.stderr, "2 of 3 solved, 1 failed") && !strings.Contains(r.stderr, "failed, exit code 4") {
		t.Errorf("%s", r.stderr)
	}
}

func TestBatchStopsOnError(t *testing.T) {
	dir := mixed(t)
	ooc(t, dir, "solve", "missing.gr", "a.gr", "--stop-on-error").want(t, 7, "will fail", "1 not begun")
	wantOutcomes(t, dir, "failed/1 queued/0")
}

// TestBatchDryRun wants predictions, and nothing written.
func TestBatchDryRun(t *testing.T) {
	dir := mixed(t)
	ooc(t, dir, "solve", "a.gr").want(t, 0)
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "solve", ".", "--dry-run").want(t, 7, "c.ooc", "blocked", "exit code 4", "jobs would fail: 1 of 4")
	objects := jsonLines(t, ooc(t, dir, "solve", "a.gr", "c.mtx", "--dry-run", "--json").want(t, 0).stdout)
	if len(objects) != 2 || objects[0]["state"] != "solved" || objects[1]["state"] != "new" ||
		objects[1]["bytes"].(float64) < 64*64*4 {
		t.Errorf("%v", objects)
	}
	ooc(t, dir, "solve", "c.mtx", "--out", "mine.ooc", "--dry-run").want(t, 0, "mine.ooc")
	half := t.TempDir()
	writeFile(t, half, "s.npy", string(matrix(200, func(u, v int) int32 { return int32(1 + (u+v)%7) })))
	size := func(flags ...string) float64 {
		return jsonLines(t, ooc(t, half, append([]string{"solve", "s.npy", "--dry-run", "--json"}, flags...)...).want(t,
			0).stdout)[0]["bytes"].(float64)
	}
	if upper, square := size("--layout", "upper"), size("--layout", "square"); size() != upper || upper > 0.7*square {
		t.Errorf("a symmetric matrix: %v bytes for one half, %v for all, %v for what is chosen", upper, square, size())
	}
	ooc(t, half, "solve", "s.npy").want(t, 0)
	if again, square := size("--restart"), size("--layout", "square", "--out", "other.ooc"); again > 0.7*square {
		t.Errorf("one half again: %v bytes, and %v for all", again, square)
	}
	ooc(t, half, "solve", "s.npy", "--kind", "u16", "--out", "u.ooc").want(t, 0)
	small := ooc(t, half, "solve", "u.ooc", "--restart", "--dry-run", "--json").want(t, 0).stdout
	if again, i32 := jsonLines(t, small)[0]["bytes"].(float64), size("--out", "other.ooc"); again > 0.7*i32 {
		t.Errorf("2 bytes an entry again: %v bytes, and %v of 4", again, i32)
	}
	after, err := os.ReadDir(dir)
	if err != nil || len(after) != len(before) {
		t.Errorf("%v, %v; there were %v", after, err, before)
	}
}

// TestBatchKinds wants the room that a batch looks for to be that of its kind.
func TestBatchKinds(t *testing.T) {
	for kind, size := range map[string]string{"u16": "4.", "i32": "8.", "f64": "16 "} {
		dir := t.TempDir()
		for _, name := range []string{"a.gr", "b.gr"} {
			writeFile(t, dir, name, "p sp 1024 1\na 1 2 5\n")
		}
		ooc(t, dir, "solve", ".", "--kind", kind).want(t, 0, "the others' stores take "+size)
	}
}

// TestBatchUsage gives batches that cannot be, and demands that nothing begins.
func TestBatchUsage(t *testing.T) {
	dir := mixed(t)
	writeFile(t, dir, "a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 7\n")
	jobs := func(text string) string { return writeFile(t, t.TempDir(), "week.jobs", text) }
	for _, c := range []struct {
		code int
		want []string
		args []string
	}{
		{2, []string{"a.gr", "a.mtx", "a.ooc", "--out"}, []string{"a.gr", "c.mtx", "a.mtx"}},
		{2, []string{"a.gr is there twice"}, []string{"a.gr", "./a.gr"}},
		{2, []string{"-", "alone"}, []string{"a.gr", "-"}},
		{2, []string{"--out is for one graph"}, []string{"a.gr", "c.mtx", "--out", "x.ooc"}},
		{2, []string{"nothing matches"}, []string{"*.graph"}},
		{2, []string{"--jobs"}, []string{"a.gr", "--jobs", jobs("c.mtx\n")}},
		{2, []string{"--max-hours"}, []string{"a.gr", "--max-hours", "-1"}},
		{2, []string{"week.jobs:2: unknown flag: --knid"}, []string{"--jobs", jobs("c.mtx\na.gr --knid f32\n")}},
		{2, []string{"week.jobs:3", "--kind f16"}, []string{"--jobs", jobs("# x\n\na.gr --kind f16\n")}},
		{2, []string{"week.jobs:1", "2 graphs"}, []string{"--jobs", jobs("a.gr c.mtx\n")}},
		{2, []string{"week.jobs:1", "0 graphs"}, []string{"--jobs", jobs("--kind f32\n")}},
		{2, []string{"week.jobs:1", "--device", "whole batch"}, []string{"--jobs", jobs("a.gr --device cpu\n")}},
		{2, []string{"week.jobs:1", "one graph in a file"}, []string{"--jobs", jobs("*.gr\n")}},
		{2, []string{"week.jobs:2", "a quote"}, []string{"--jobs", jobs("a.gr\nb.gr 'x\n")}},
		{2, []string{"week.jobs:1", "week.jobs:3", "a.ooc"}, []string{"--jobs", jobs("a.gr\nc.mtx\na.mtx\n")}},
		{3, []string{"no such file"}, []string{"--jobs", "none.jobs"}},
		{2, []string{"-a.gr is there twice"}, []string{"--dry-run", "--", "-a.gr", "./-a.gr"}},
		{2, []string{"--directed is there twice"}, []string{"--undirected", "--", "--directed", "./--directed"}},
	} {
		ooc(t, dir, append([]string{"solve"}, c.args...)...).want(t, c.code, c.want...)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.ooc")); len(left) != 0 {
		t.Errorf("begun: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.batch")); len(left) != 0 {
		t.Errorf("queues: %v", left)
	}
}

// TestBatchJobsFile gives each job flags of its own, over those of the command.
func TestBatchJobsFile(t *testing.T) {
	dir := mixed(t)
	if err := os.Mkdir(filepath.Join(dir, "deep"), 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "deep"), "a.gr", "p sp 2 1\na 1 2 9\n")
	writeFile(t, dir, "week.jobs",
		"# two of a name\na.gr --undirected\ndeep/a.gr --out 'deep/b c.ooc' --kind=i32 # here\nc.mtx\n")
	ooc(t, dir, "solve", "--jobs", "week.jobs", "--kind", "f32", "--directed").want(t, 0)
	for _, q := range []struct{ store, u, v, kind, want string }{
		{"a.ooc", "2", "1", "f32", "2\t1\t5"}, {"deep/b c.ooc", "1", "2", "i32", "1\t2\t9"},
		{"c.ooc", "2", "1", "f32", "unreachable"},
	} {
		ooc(t, dir, "query", q.store, q.u, q.v).want(t, 0, q.want)
		ooc(t, dir, "status", q.store).want(t, 0, q.kind)
	}
	if q := theQueue(t, dir); !strings.HasPrefix(filepath.Base(q.Dir), "week-") ||
		!slices.Contains(q.Jobs[1].Flags, "--kind=i32") {
		t.Errorf("%s: %+v", q.Dir, q.Jobs)
	}
}

// TestBatchTakesStores continues a store beside a graph.
func TestBatchTakesStores(t *testing.T) {
	dir := mixed(t)
	ooc(t, dir, "solve", "a.gr", "--out", "mine.ooc").want(t, 0)
	ooc(t, dir, "solve", "mine.ooc", "c.mtx").want(t, 0, "already solved", "solved c.ooc")
	wantOutcomes(t, dir, "solved/1 solved/1")
}

// TestBatchNoSpace has room for each of two stores, and not for both.
func TestBatchNoSpace(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", dir).CombinedOutput(); err != nil {
		if os.Getenv("OOC_REQUIRE_MOUNT") == "1" {
			t.Fatalf("mount: %v: %s", err, out)
		}
		t.Skipf("cannot mount a tmpfs: %v: %s", err, out)
	}
	defer exec.Command("umount", dir).Run()
	writeFile(t, dir, "one.gr", "p sp 1024 1\na 1 2 5\n")
	writeFile(t, dir, "two.gr", "p sp 1024 1\na 1 2 5\n")
	ooc(t, dir, "solve", ".").want(t, 5, "one.ooc (1,024 vertices)", "two.ooc", "free some")
	ooc(t, dir, "solve", ".", "--dry-run").want(t, 5, "one.ooc (1,024 vertices)")
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	ooc(t, dir, "solve", "one.gr", "two.gr", "--sources", "1").want(t, 0)

	// Halves of symmetric matrices fit, where whole ones would not.
	folder := t.TempDir()
	symmetric := string(matrix(1024, func(u, v int) int32 { return int32(1 + (u+v)%7) }))
	writeFile(t, folder, "a.npy", symmetric)
	writeFile(t, folder, "b.npy", symmetric)
	ooc(t, folder, "solve", "a.npy", "b.npy", "--out-dir", dir, "--dry-run").want(t, 0)
	ooc(t, folder, "solve", "a.npy", "b.npy", "--out-dir", dir).want(t, 0)
}

// TestMaxHours allows no time at all: the command ends in time, and continues without the limit.
func TestMaxHours(t *testing.T) {
	dir := mixed(t)
	ooc(t, dir, "solve", rome(t), "--max-hours", "1e-12").want(t, 130, "--max-hours", "continue with")
	ooc(t, dir, "solve", "a.gr", "c.mtx", "--max-hours", "1e-12").want(t, 130, "--max-hours", "continue with")
	ooc(t, dir, "solve", rome(t), "--max-hours", "100").want(t, 0)
	ooc(t, dir, "solve", "a.gr", "c.mtx", "--max-hours", "100").want(t, 0)
}

// TestMaxHoursEndsSolves lets the time pass while there is something to take a checkpoint of.
func TestMaxHoursEndsSolves(t *testing.T) {
	exit.Graceful.Store(true)
	defer exit.Graceful.Store(false)
	f := batchFlags{maxHours: 1e-9}
	ctx, stop := f.limited(t.Context())
	defer stop()
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, task.ErrInterrupted) || f.maxHoursOver(ctx) == "" {
		t.Errorf("%v, %q", cause, f.maxHoursOver(ctx))
	}
	for hours, want := range map[float64]time.Duration{0.1: 342 * time.Second, 24: 24*time.Hour - 10*time.Minute} {
		if got := timeFor(hours); got != want {
			t.Errorf("of %v hours %v are for work, want %v", hours, got, want)
		}
	}
}

// TestBatchRestarts plans, and then makes, stores anew that are of another size than those that are there.
func TestBatchRestarts(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "a.gr", "p sp 2 1\na 1 2 5\n")
	writeFile(t, dir, "b.gr", "p sp 2 1\na 1 2 6\n")
	ooc(t, dir, "solve", "a.gr", "b.gr").want(t, 0)
	writeFile(t, dir, "a.gr", "p sp 900 1\na 1 2 7\n")
	r := ooc(t, dir, "solve", "a.gr", "b.gr", "--restart", "--dry-run").want(t, 0, "900")
	if strings.Contains(r.stdout, "solved ") || strings.Contains(r.stdout, "take 0 B") {
		t.Errorf("a plan of what is there:\n%s", r.stdout)
	}
	ooc(t, dir, "solve", "a.gr", "b.gr", "--restart").want(t, 0)
	for store, want := range map[string]string{"a.ooc": "1\t2\t7\n", "b.ooc": "1\t2\t6\n"} {
		if r := ooc(t, dir, "query", store, "1", "2").want(t, 0); r.stdout != want {
			t.Errorf("%s: %q", store, r.stdout)
		}
	}
}

// TestTornQueueIsSaid asks for the status of a batch whose last record a crash cut off, and continues it.
func TestTornQueueIsSaid(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "a.csv", "1,2,5\n")
	writeFile(t, dir, "b.csv", "1,2,7\n")
	ooc(t, dir, "solve", "a.csv", "b.csv").want(t, 0)
	name := filepath.Base(theQueue(t, dir).Dir)
	if r := ooc(t, dir, "status", name).want(t, 0); strings.Contains(r.stdout, "cut off") {
		t.Errorf("a whole queue: %s", r.stdout)
	}
	whole := readFile(t, dir, name, "queue")
	writeFile(t, dir, filepath.Join(name, "queue"), string(whole[:len(whole)-5]))
	ooc(t, dir, "status", name).want(t, 0, "last record was cut off", "next      ooc solve a.csv b.csv")
	if st := jsonLines(t, ooc(t, dir, "status", name, "--json").want(t, 0).stdout); st[0]["torn_bytes"] == nil {
		t.Errorf("%v", st)
	}
	ooc(t, dir, "solve", "a.csv", "b.csv").want(t, 0, "already solved")
	if q := theQueue(t, dir); q.Torn != 0 {
		t.Errorf("%d bytes torn", q.Torn)
	}
}

// TestOutDir solves a batch and a single graph into a folder that is not there yet, and again, and refuses what
// cannot be.
func TestOutDir(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "a.gr", "p sp 2 1\na 1 2 5\n")
	writeFile(t, dir, "b.gr", "p sp 2 1\na 1 2 7\n")
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, "x/a.gr", "p sp 2 1\na 1 2 9\n")
	before := tree(t, dir)
	for line, says := range map[string]string{
		"a.gr x/a.gr --out-dir y":            "a.gr and x/a.gr would both be solved into y/a.ooc",
		"a.gr b.gr --out-dir a.gr":           "is no folder",
		"a.gr --out-dir a.gr":                "is no folder",
		"a.gr --out-dir a.gr --dry-run":      "is no folder",
		"a.gr --out-dir y --out y/other":     "give one of them",
		"a.gr b.gr --out y":                  "--out-dir",
		"a.gr b.gr --out-dir y --timeline t": "--timeline",
	} {
		ooc(t, dir, append([]string{"solve", "--device", "cpu"}, strings.Fields(line)...)...).want(t, class.Usage, says)
	}
	ooc(t, dir, "solve", "a.gr", "b.gr", "--out-dir", "y/z", "--dry-run").want(t, 0, filepath.Join("y", "z", "b.ooc"))
	if !maps.Equal(before, tree(t, dir)) {
		t.Fatal("what was refused, or only planned, changed files")
	}
	for range 2 {
		ooc(t, dir, "solve", "a.gr", "b.gr", "--out-dir", "y/z", "--device", "cpu").want(t, 0)
	}
	ooc(t, dir, "solve", "a.gr", "b.gr", "--out-dir", "y/z", "--json").want(t, 0, `"counts":{"solved":2}`,
		`"attempt":1`)
	ooc(t, dir, "query", "y/z/b.ooc", "1", "2").want(t, 0, "7")
	ooc(t, dir, "solve", "a.gr", "--out-dir", "one/of", "--device", "cpu").want(t, 0, "solved")
	ooc(t, dir, "solve", "a.gr", "--out-dir", "one/of").want(t, 0, "already solved")
	writeFile(t, dir, "jobs", "a.gr\nb.gr --out own.ooc\nx/a.gr --out-dir third\n")
	ooc(t, dir, "solve", "--jobs", "jobs", "--out-dir", "second", "--device", "cpu").want(t, 0)
	for _, store := range []string{"second/a.ooc", "own.ooc", "third/a.ooc"} {
		ooc(t, dir, "query", store, "1", "2").want(t, 0)
	}
}
