package batch

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ooc/engine/internal/seeds"
	"ooc/engine/task"

	"ooc/tiles"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

var seeded = seeds.New

// someJobs are n jobs in the folder dir.
func someJobs(dir string, n int) []Job {
	jobs := make([]Job, n)
	for i := range jobs {
		name := filepath.Join(dir, fmt.Sprintf("g%d", i))
		jobs[i] = Job{Input: name + ".gr", Store: name + ".ooc", Flags: []string{"--kind=i32"}}
	}
	return jobs
}

// scribble changes a random job, as a batch might.
func scribble(r *rand.Rand, l *Log) {
	i := r.IntN(len(l.Jobs))
	j := &l.Jobs[i]
	j.State = []State{Queued, Reading, Solving, Interrupted, Solved, Failed}[r.IntN(6)]
	j.Attempt += r.IntN(2)
	j.Code, j.Error, j.Summary = 0, "", nil
	switch j.State {
	case Failed:
		j.Code, j.Error = 1+r.IntN(8), "no \"luck\"\nat all ✗"
	case Solved:
		j.Summary = &task.Summary{Store: j.Store, Vertices: r.IntN(1000)}
	}
	l.record(i)
}

// snapshot is what Read must return once nobody runs the queue, but for times.
func snapshot(q *Queue) []Job {
	jobs := append([]Job(nil), q.Jobs...)
	for i := range jobs {
		if jobs[i].At = (time.Time{}); jobs[i].State == Reading || jobs[i].State == Solving {
			jobs[i].State = Interrupted
		}
	}
	return jobs
}

// made makes a queue and returns what it was after each record, by the size of the file.
func made(t *testing.T, dir string, changes int) (sizes []int64, was [][]Job) {
	t.Helper()
	r := seeded(t)
	l, err := Open(dir, someJobs(filepath.Dir(dir), 5), []string{"ooc", "solve", "."})
	if err != nil {
		t.Fatal(err)
	}
	for range changes {
		sizes, was = append(sizes, l.end), append(was, snapshot(l.Queue))
		scribble(r, l)
	}
	sizes, was = append(sizes, l.end), append(was, snapshot(l.Queue))
	if l.failed != nil {
		t.Fatal(l.failed)
	}
	if q, err := Read(dir); err != nil || !q.Running || q.PID != os.Getpid() {
		t.Fatalf("while it runs: %+v, %v", q, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return sizes, was
}

// TestTornQueue cuts a queue off at every byte: what was recorded whole is there, what was not is not.
func TestTornQueue(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.batch")
	sizes, was := made(t, dir, 12)
	file := filepath.Join(dir, nameQueue)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	k := len(sizes) - 1
	for cut := len(whole); cut >= 0; cut-- {
		if err := os.Truncate(file, int64(cut)); err != nil {
			t.Fatal(err)
		}
		for k >= 0 && int64(cut) < sizes[k] {
			k--
		}
		q, err := Read(dir)
		switch {
		case k < 0 && !errors.Is(err, errNothing):
			t.Fatalf("cut at %d: %v", cut, err)
		case k < 0:
		case err != nil:
			t.Fatalf("cut at %d: %v", cut, err)
		case q.Running || !reflect.DeepEqual(snapshot(q), was[k]):
			t.Fatalf("cut at %d:\n%+v\nwant\n%+v", cut, snapshot(q), was[k])
		case int64(q.Torn) != int64(cut)-sizes[k]:
			t.Fatalf("cut at %d: %d bytes torn", cut, q.Torn)
		}
	}
}

// TestTornQueueGoesOn appends to a queue that was cut off within a record.
func TestTornQueueGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.batch")
	sizes, _ := made(t, dir, 5)
	r := seeded(t)
	for _, cut := range []int64{sizes[5] - 3, sizes[3] + 1, sizes[0] - 1, 0} {
		if err := os.Truncate(filepath.Join(dir, nameQueue), cut); err != nil {
			t.Fatal(err)
		}
		l, err := Open(dir, someJobs(filepath.Dir(dir), 5), nil)
		if err != nil {
			t.Fatal(err)
		}
		scribble(r, l)
		want := snapshot(l.Queue)
		if err := errors.Join(l.failed, l.Close()); err != nil {
			t.Fatal(err)
		}
		q, err := Read(dir)
		if err != nil || q.Torn != 0 || !reflect.DeepEqual(snapshot(q), want) {
			t.Fatalf("cut at %d: %+v, %v; want %+v", cut, q, err, want)
		}
	}
}

// TestDamagedQueue flips each bit of a queue: the last record is dropped as torn, any other refused.
func TestDamagedQueue(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.batch")
	sizes, was := made(t, dir, 3)
	whole, err := os.ReadFile(filepath.Join(dir, nameQueue))
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(whole) {
		bad := bytes.Clone(whole)
		bad[bit/8] ^= 1 << (bit % 8)
		q, good, err := decode(bytes.NewReader(bad))
		last, k := int64(bit/8) >= sizes[2]-1, 2
		if int64(bit/8) == sizes[2]-1 {
			k = 1 // a newline that is gone makes one record of two
		}
		switch {
		case last && (err != nil || good != sizes[k]):
			t.Fatalf("bit %d: %v, %d bytes good", bit, err, good)
		case last:
			for i := range q.Jobs {
				q.Jobs[i].Input, q.Jobs[i].Store = outside(dir, q.Jobs[i].Input), outside(dir, q.Jobs[i].Store)
			}
			if !reflect.DeepEqual(snapshot(q), was[k]) {
				t.Fatalf("bit %d: %+v", bit, q)
			}
		case !errors.Is(err, errCorrupt):
			t.Fatalf("bit %d: %v", bit, err)
		}
	}
}

// TestRecordOfNoNumber records what JSON cannot hold.
func TestRecordOfNoNumber(t *testing.T) {
	l := queueOf(t, t.TempDir(), 1)
	l.Jobs[0].State, l.Jobs[0].Summary = Solved, &task.Summary{Rate: math.Inf(1)}
	l.record(0)
	if got, _ := statesOf(t, l); l.failed != nil || got[0] != Solved {
		t.Errorf("%v, %v", got, l.failed)
	}
}

func TestQueueMoves(t *testing.T) {
	from := t.TempDir()
	dir := filepath.Join(from, "x.batch")
	made(t, dir, 1)
	to := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
	q, err := Read(filepath.Join(to, "x.batch"))
	if err != nil || q.Jobs[3].Input != filepath.Join(to, "g3.gr") || q.Jobs[3].Store != filepath.Join(to, "g3.ooc") {
		t.Fatalf("%+v, %v", q, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "x.batch")
	l, err := Open(dir, someJobs(base, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, someJobs(base, 3), nil); !errors.Is(err, lock.ErrLocked) {
		t.Errorf("a second run: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, someJobs(base, 4), nil); !errors.Is(err, errOther) {
		t.Errorf("more jobs: %v", err)
	}
	other := someJobs(base, 3)
	other[1].Store = "elsewhere.ooc"
	if _, err := Open(dir, other, nil); !errors.Is(err, errOther) || !strings.Contains(err.Error(), "job 2") {
		t.Errorf("another store: %v", err)
	}
	foreign := filepath.Join(base, "y.batch")
	if err := os.MkdirAll(filepath.Join(foreign, "photos"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(foreign, someJobs(base, 3), nil); !errors.Is(err, errNotQueue) {
		t.Errorf("a folder of somebody: %v", err)
	}
	locked := filepath.Join(base, "z.batch")
	if err := errors.Join(os.Mkdir(locked, 0o777),
		os.WriteFile(filepath.Join(locked, nameLock), []byte("yarn\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(locked, someJobs(base, 3), nil); !errors.Is(err, errNotQueue) {
		t.Errorf("a lock of somebody: %v", err)
	}
	if b, err := os.ReadFile(filepath.Join(locked, nameLock)); err != nil || string(b) != "yarn\n" {
		t.Errorf("it became %q, %v", b, err)
	}
	// A queue with a second name, whole or not begun.
	for _, text := range []string{"", "whole"} {
		linked, outside := filepath.Join(t.TempDir(), "x.batch"), filepath.Join(t.TempDir(), "outside")
		made(t, linked, 1)
		path := filepath.Join(linked, nameQueue)
		if text == "" {
			if err := os.Truncate(path, 0); err != nil {
				t.Fatal(err)
			}
		}
		before, err := os.ReadFile(path)
		if err = errors.Join(err, os.Link(path, outside)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(linked, someJobs(filepath.Dir(linked), 5), nil); !errors.Is(err, disk.ErrCorrupt) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("a queue that is a hard link: %v", err)
		}
		if after, err := os.ReadFile(outside); err != nil || !bytes.Equal(before, after) {
			t.Errorf("under its other name %q became %q, %v", before, after, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	line := func(v any) []byte {
		b, err := encode(v)
		if err != nil {
			f.Fatal(err)
		}
		return b
	}
	first := line(head{Format: queueFormat, Version: queueVersion, ID: tiles.ID{1},
		Jobs: []headJob{{Input: "a.gr", Store: "a.ooc"}}})
	f.Add(first)
	f.Add(append(bytes.Clone(first), line(change{ID: tiles.ID{1}, progress: progress{State: Solved, Attempt: 1}})...))
	f.Add(append(bytes.Clone(first), line(change{ID: tiles.ID{1}, Job: -1, progress: progress{State: Solved}})...))
	f.Add([]byte("00000000 {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, good, err := decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		again, n, err := decode(bytes.NewReader(data[:good]))
		q.Torn = 0
		if err != nil || n != good || !reflect.DeepEqual(q, again) {
			t.Fatalf("what is good reads back as %+v, %d of %d, %v", again, n, good, err)
		}
		for _, j := range q.Jobs {
			if !states[j.State] {
				t.Fatalf("state %q", j.State)
			}
		}
	})
}

// TestQueueOfTwo puts records of one queue behind those of another of the same jobs: refused, also where it is the
// last.
func TestQueueOfTwo(t *testing.T) {
	home := t.TempDir()
	var parts [2][][]byte
	for i := range parts {
		dir := filepath.Join(home, "x.batch")
		made(t, dir, 3)
		whole, err := os.ReadFile(filepath.Join(dir, nameQueue))
		if err != nil {
			t.Fatal(err)
		}
		parts[i] = slices.Collect(bytes.Lines(whole))
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	a, b := parts[0], parts[1]
	for name, lines := range map[string][][]byte{
		"one":         {a[0], a[1], b[2], a[3]},
		"the last":    {a[0], a[1], a[2], b[3]},
		"all":         {a[0], b[1], b[2], b[3]},
		"two heads":   {a[0], b[0]},
		"of none":     {a[0], line1(t, change{progress: progress{State: Solved, Attempt: 1}})},
		"to none":     {line1(t, head{Format: queueFormat, Version: 1, Jobs: make([]headJob, 5)}), a[1]},
		"head of old": {line1(t, head{Format: queueFormat, Version: queueVersion - 1, ID: tiles.NewID()})},
		"head of new": {line1(t, head{Format: queueFormat, Version: queueVersion + 1, ID: tiles.NewID()})},
		"without id":  {line1(t, head{Format: queueFormat, Version: queueVersion})},
	} {
		if _, _, err := decode(bytes.NewReader(slices.Concat(lines...))); !errors.Is(err, errCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func line1(t *testing.T, record any) []byte {
	t.Helper()
	b, err := encode(record)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
