package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"ooc/engine/device"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/cpu"
)

// sharedDevice is a processor with some memory.
func sharedDevice(t testing.TB) *device.Shared {
	t.Helper()
	d, err := cpu.Open(cpu.Options{Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return &device.Shared{On: d}
}

// actor is a Runner whose jobs do what a test says.
type actor struct {
	open  func(ctx context.Context, i int) error // nil: nothing
	solve func(ctx context.Context, i int) error

	mu      sync.Mutex
	inside  map[int]bool // jobs between Open and Close; guarded by mu, as those below
	beside  [][]int      // for each Open, the jobs that were inside then
	begun   []int
	restart []bool
	memory  []int64
}

func (a *actor) Open(ctx context.Context, i int, restart bool, d kernels.Device) (Work, error) {
	a.mu.Lock()
	if a.inside == nil {
		a.inside = map[int]bool{}
	}
	a.begun, a.restart, a.memory = append(a.begun, i), append(a.restart, restart), append(a.memory, d.Info().Memory)
	var others []int
	for k := range a.inside {
		others = append(others, k)
	}
	a.beside = append(a.beside, others)
	a.inside[i] = true
	a.mu.Unlock()
	if a.open != nil {
		if err := a.open(ctx, i); err != nil {
			a.leave(i)
			return nil, err
		}
	}
	return &act{a, i}, nil
}

func (a *actor) leave(i int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.inside, i)
}

type act struct {
	*actor
	i int
}

func (w *act) Solve(ctx context.Context) (task.Summary, error) {
	if w.solve != nil {
		if err := w.solve(ctx, w.i); err != nil {
			return task.Summary{}, err
		}
	}
	return task.Summary{Vertices: w.i}, nil
}

func (w *act) Close() error {
	w.leave(w.i)
	return nil
}

// queueOf opens the queue of n jobs in a folder.
func queueOf(t testing.TB, dir string, n int) *Log {
	t.Helper()
	l, err := Open(filepath.Join(dir, "x"+extension), someJobs(dir, n), nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// statesOf closes a queue and reads it again.
func statesOf(t testing.TB, l *Log) (states []State, attempts []int) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	q, err := Read(l.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range q.Jobs {
		states, attempts = append(states, j.State), append(attempts, j.Attempt)
	}
	return states, attempts
}

// TestLargeRunAlone runs small and large jobs: a large one never beside another, small ones together once there
// are enough of them to meet.
func TestLargeRunAlone(t *testing.T) {
	needs := make([]Need, 12)
	for i := range needs {
		needs[i].Bytes = 1 << 20
	}
	needs[0].Bytes, needs[5].Bytes, needs[6].Bytes, needs[11].Bytes = 1<<40, smallBytes+1, 0, 1<<40
	met := make(chan bool)
	a := &actor{solve: func(_ context.Context, i int) error {
		switch i { // two that run at the same time, or never end
		case 1:
			met <- true
		case 3:
			<-met
		}
		return nil
	}}
	l := queueOf(t, t.TempDir(), len(needs))
	d := sharedDevice(t)
	defer func(was int) { atOnce = was }(atOnce)
	atOnce = 3
	if err := Run(t.Context(), l, needs, d, a, Options{}); err != nil {
		t.Fatal(err)
	}
	large := []int{0, 5, 6, 11}
	for k, i := range a.begun {
		if slices.Contains(large, i) && len(a.beside[k]) > 0 || len(a.beside[k]) > 2 {
			t.Errorf("job %d began beside %v", i, a.beside[k])
		}
		for _, other := range a.beside[k] {
			if slices.Contains(large, other) {
				t.Errorf("job %d began beside %v", i, a.beside[k])
			}
		}
		want := d.Part(0).Info().Memory / 3
		if slices.Contains(large, i) {
			want = d.Part(0).Info().Memory
		}
		if a.memory[k] != want {
			t.Errorf("job %d has %d bytes of the device, want %d", i, a.memory[k], want)
		}
	}
	states, attempts := statesOf(t, l)
	for i := range states {
		if states[i] != Solved || attempts[i] != 1 {
			t.Errorf("job %d: %s, attempt %d", i, states[i], attempts[i])
		}
	}
}

func TestFailuresDoNotStopOthers(t *testing.T) {
	dir := t.TempDir()
	bad := errors.New("no luck")
	a := &actor{solve: func(_ context.Context, i int) error {
		if i == 1 {
			return bad
		}
		return nil
	}, open: func(_ context.Context, i int) error {
		if i == 3 {
			return bad
		}
		return nil
	}}
	l := queueOf(t, dir, 5)
	err := Run(t.Context(), l, make([]Need, 5), sharedDevice(t), a, Options{Code: func(error) int { return 4 }})
	if !errors.Is(err, ErrSomeFailed) {
		t.Fatal(err)
	}
	if l.Jobs[3].Code != 4 || l.Jobs[3].Error != bad.Error() {
		t.Errorf("%+v", l.Jobs[3])
	}
	if got, _ := statesOf(t, l); !slices.Equal(got, []State{Solved, Failed, Solved, Failed, Solved}) {
		t.Errorf("%v", got)
	}
	// The same again: only what failed is tried.
	again := &actor{}
	l = queueOf(t, dir, 5)
	if err := Run(t.Context(), l, make([]Need, 5), sharedDevice(t), again, Options{}); err != nil ||
		!slices.Equal(again.begun, []int{1, 3}) {
		t.Errorf("%v, %v", again.begun, err)
	}
	if _, attempts := statesOf(t, l); !slices.Equal(attempts, []int{1, 2, 1, 2, 1}) {
		t.Errorf("%v", attempts)
	}
}

func TestStopOnError(t *testing.T) {
	a := &actor{solve: func(_ context.Context, i int) error {
		if i == 1 {
			return errors.New("no luck")
		}
		return nil
	}}
	l := queueOf(t, t.TempDir(), 4)
	if err := Run(t.Context(), l, make([]Need, 4), sharedDevice(t), a, Options{StopOnError: true}); !errors.Is(err,
		ErrSomeFailed) {
		t.Fatal(err)
	}
	if got, _ := statesOf(t, l); !slices.Equal(got, []State{Solved, Failed, Queued, Queued}) {
		t.Errorf("%v", got)
	}
}

// TestInterruptLeavesReaders ends a batch of which one job is being solved and one reads: the one takes its
// checkpoint, the other is not waited for.
func TestInterruptLeavesReaders(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	never, reads := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(never) })
	a := &actor{open: func(_ context.Context, i int) error {
		if i == 1 {
			close(reads)
			<-never
			return errors.New("left")
		}
		return nil
	}, solve: func(ctx context.Context, i int) error {
		<-reads
		cancel()
		<-ctx.Done()
		return fmt.Errorf("%w at 50 %%", task.ErrInterrupted)
	}}
	l := queueOf(t, t.TempDir(), 3)
	needs := []Need{{Bytes: 1}, {Bytes: 1}, {Bytes: smallBytes + 1}}
	if err := Run(ctx, l, needs, sharedDevice(t), a, Options{}); !errors.Is(err, task.ErrInterrupted) {
		t.Fatal(err)
	}
	states, attempts := statesOf(t, l)
	if !slices.Equal(states, []State{Interrupted, Interrupted, Queued}) || !slices.Equal(attempts, []int{1, 1, 0}) {
		t.Errorf("%v, %v", states, attempts)
	}
}

// TestRestartIsRemembered kills a restarting batch at each record: each store is begun again once, and never when it
// has been.
func TestRestartIsRemembered(t *testing.T) {
	dir := t.TempDir()
	jobs := someJobs(dir, 2)
	for i := range jobs {
		jobs[i].Restart = true
	}
	l, err := Open(filepath.Join(dir, "x.batch"), jobs, nil)
	if err != nil {
		t.Fatal(err)
	}
	ends := []int64{l.end}
	changed := func(int) { ends = append(ends, l.end) }
	if err := Run(t.Context(), l, make([]Need, 2), sharedDevice(t), &actor{}, Options{Changed: changed}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(l.Dir, nameQueue)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]bool{{true, true}, {true, true}, {false, true}, {true}, {true}, {false}, nil}
	if len(ends) != len(want) {
		t.Fatalf("%d records, want %d", len(ends), len(want))
	}
	d := sharedDevice(t)
	for k, end := range ends {
		if err := os.WriteFile(file, whole[:end], 0o666); err != nil {
			t.Fatal(err)
		}
		a := &actor{}
		l := queueOf(t, dir, 2)
		if err := Run(t.Context(), l, make([]Need, 2), d, a, Options{}); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.restart, want[k]) {
			t.Errorf("killed after record %d: restarts %v, want %v", k, a.restart, want[k])
		}
	}
}

// TestQueueThatCannotBeWritten takes the queue's file away: jobs are solved all the same, and the end says so.
func TestQueueThatCannotBeWritten(t *testing.T) {
	l := queueOf(t, t.TempDir(), 3)
	if err := l.file.Close(); err != nil {
		t.Fatal(err)
	}
	a := &actor{}
	err := Run(t.Context(), l, make([]Need, 3), sharedDevice(t), a, Options{})
	if !errors.Is(err, os.ErrClosed) || len(a.begun) != 3 || l.Counts()[Solved] != 3 {
		t.Errorf("%v, %v, %v", err, a.begun, l.Counts())
	}
}
