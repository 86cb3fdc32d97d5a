package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// fractions returns a graph of the same arcs in a kind of floats, of weights whose sums are rounded.
func fractions(t testing.TB, r *rand.Rand, g *graph.Graph, kind entry.Kind) *graph.Graph {
	t.Helper()
	b := graph.New(g.N, graph.AsKind(kind))
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			b.Add(u, int(g.Targets[k]), 0.01+r.Float64())
		}
	}
	f, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// uniform makes a graph of n vertices and m arcs between any two.
func uniform(t testing.TB, r *rand.Rand, n, m int, kind entry.Kind) *graph.Graph {
	t.Helper()
	b := graph.New(n, graph.AsKind(kind))
	for range m {
		w := float64(1 + r.IntN(1000))
		if kind.Float() {
			w = 0.01 + r.Float64()
		}
		b.Add(r.IntN(n), r.IntN(n), w)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// manyRates are rates of machines that differ in all that a machine can differ in, and of a busy one.
func manyRates(r *rand.Rand) plan.Rates {
	times := func(x float64) float64 { return x * float64(int(1)<<r.IntN(8)) / 16 }
	return plan.Rates{
		Kernel: times(50e9), PerOperation: times(1e-5), Closure: times(3e-3), In: times(2e10), Out: times(2e10),
		Read:  times(2e10),
		Write: times(1e10), Tail: times(1e-7), Host: times(50e9), Levels: times(500e9), Lock: times(16e9),
		Disk: times(1e9), Dirty: times(1e9),
	}
}

// how says what else is chosen with the algorithm.
func how(c *plan.Choice) string {
	switch p := c.Plan.(type) {
	case *eliminate.Plan:
		return fmt.Sprint(", eliminates ", p.Eliminated)
	case *rounds.Plan:
		return fmt.Sprint(", in rounds of ", p.Width)
	}
	return fmt.Sprint(", ", c.Plan.Lines(nil)[0].Text)
}

// TestFloatsFollowCountedWork wants floats planned alike whatever was measured: algorithm, tiles, width and where
// elimination stops.
func TestFloatsFollowCountedWork(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindF32, entry.KindF64} {
		for name, g := range map[string]*graph.Graph{
			"road":   fractions(t, r, generate(t, "road", gen.Options{N: 3000, Seed: r.Uint64()}), kind),
			"sparse": uniform(t, r, 2000, 4000, kind),
			"denser": uniform(t, r, 1000, 9000, kind),
		} {
			for _, algorithm := range []string{plan.Auto, eliminate.Name, rounds.Blocked.Name()} {
				for _, shared := range []bool{true, false} {
					t.Run(fmt.Sprintf("%s/%s/%s/shared=%t", kind, name, algorithm, shared), func(t *testing.T) {
						first := ""
						for range crashtest.Repeats(3, 8) {
							info := kernels.Info{Memory: 8 << 30, SharedCores: shared}
							if shared { // that of a processor is what is free
								info.Memory = 1 << (28 + r.IntN(8))
							}
							threads := runtime.GOMAXPROCS(1 + r.IntN(9))
							c, err := engine.ChooseBy(t.Context(), g, info, manyRates(r),
								plan.Request{Algorithm: algorithm, HostMemory: 8 << 30})
							runtime.GOMAXPROCS(threads)
							if err != nil {
								t.Fatal(err)
							}
							is := fmt.Sprint(c.Algorithm, " with tiles of ", c.Tile, how(c))
							if first == "" {
								first = is
							}
							if is != first {
								t.Fatalf("%s; %s", first, is)
							}
							// The next process may find a store that has its tiles, and nothing else.
							again, err := engine.ChooseBy(t.Context(), g, info, manyRates(r),
								plan.Request{Algorithm: algorithm, HostMemory: 8 << 30, Tile: c.Tile})
							if err != nil || again.Algorithm != c.Algorithm || how(again) != how(c) {
								t.Fatalf("%s; once there are tiles %s%s, %v", first, again.Algorithm, how(again), err)
							}
						}
						t.Log(first)
					})
				}
			}
		}
	}
}

// TestFloatsRepeat solves graphs of floats with other numbers of threads and as much memory as happens to be, and
// wants the same bytes.
func TestFloatsRepeat(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindF32, entry.KindF64} {
		for name, g := range map[string]*graph.Graph{
			"road":    fractions(t, r, generate(t, "road", gen.Options{N: 1000, Seed: r.Uint64()}), kind),
			"uniform": uniform(t, r, 500, 1500, kind),
		} {
			for _, algorithm := range []string{plan.Auto, eliminate.Name, rounds.Blocked.Name()} {
				t.Run(fmt.Sprintf("%s/%s/%s", kind, name, algorithm), func(t *testing.T) {
					var first []byte
					for _, threads := range []int{1, 2, 7} {
						before := runtime.GOMAXPROCS(threads)
						d, err := cpu.Open(cpu.Options{Memory: 1 << (28 + r.IntN(4))})
						if err != nil {
							t.Fatal(err)
						}
						p := enginetest.Create(t, g, 64)
						enginetest.Solve(t, p, engine.Options{Device: d, Request: plan.Request{Algorithm: algorithm}})
						runtime.GOMAXPROCS(before)
						if err := d.Close(); err != nil {
							t.Fatal(err)
						}
						if first == nil {
							first = enginetest.MatrixFile(t, p.Dir())
						}
						if !bytes.Equal(first, enginetest.MatrixFile(t, p.Dir())) {
							t.Fatalf("%d threads: other bytes", threads)
						}
					}
				})
			}
		}
	}
}

// elsewhere makes the store of a graph whose elimination stops some vertices before where this program would stop, as
// another machine may have chosen.
func elsewhere(t *testing.T, g *graph.Graph) *engine.Problem {
	t.Helper()
	c, err := engine.ChooseBy(t.Context(), g, kernels.Info{Memory: 1 << 30, SharedCores: true}, plan.Rates{Kernel: 1e9},
		plan.Request{Algorithm: eliminate.Name, Tile: 64})
	if err != nil {
		t.Fatal(err)
	}
	c.Plan.(*eliminate.Plan).Eliminated -= 9
	c.Plan.(*eliminate.Plan).Core += 9
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), g,
		engine.CreateOptions{Tile: 64, Choice: c})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestResumeObeys interrupts eliminations of floats that stopped elsewhere, and wants the next process to stop there,
// too: with the same bytes as without an interrupt, on other devices and with cores in memory and in a store.
func TestResumeObeys(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindF32, entry.KindF64} {
		for _, most := range []int{2048, -1} {
			t.Run(fmt.Sprintf("%s/%d", kind, most), func(t *testing.T) {
				smallCores(t, most)
				g := uniform(t, r, 900, 2200, kind)
				o := engine.Options{Request: plan.Request{Algorithm: eliminate.Name},
					Device: enginetest.Device(t, 1<<10, 64), Checkpoint: 1}
				whole := elsewhere(t, g)
				defer whole.Close()
				wanted := plan.Of[*eliminate.Plan](enginetest.Solve(t, whole, o).Plans).Eliminated
				p := stoppedPast(t, 0.1, o, func() *engine.Problem { return elsewhere(t, g) })
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				again := enginetest.Open(t, p.Dir()) // as another process would
				o.Device = conformance.WithLaneOps(o.Device)
				f, err := again.Forecast(t.Context(), o.Device, plan.Request{}, "")
				if err != nil || plan.Of[*eliminate.Plan](f.Plans).Eliminated != wanted {
					t.Fatalf("planned: %+v, %v; want %d", plan.Of[*eliminate.Plan](f.Plans), err, wanted)
				}
				o.Algorithm = ""
				sum := enginetest.Solve(t, again, o)
				if sum.ResumedFrom == 0 || plan.Of[*eliminate.Plan](sum.Plans).Eliminated != wanted {
					t.Errorf("from %v: %d eliminated, want %d", sum.ResumedFrom,
						plan.Of[*eliminate.Plan](sum.Plans).Eliminated, wanted)
				}
				if !sameBytes(t, whole, again) {
					t.Error("other bytes than without an interrupt")
				}
			})
		}
	}
}

// named is a device that goes by another name, and has so much memory.
type named struct {
	kernels.Device
	name   string
	memory int64
}

func (d named) Unwrap() kernels.Device { return d.Device }

func (d named) Info() kernels.Info {
	info := d.Device.Info()
	info.Name = d.name
	if d.memory > 0 {
		info.Memory = d.memory
	}
	return info
}

// TestResumeOnOtherDevice goes on with floats on the kind of device that closed the core, and refuses others with
// what to give; integers go on anywhere. A core that was solved in a store stays that.
func TestResumeOnOtherDevice(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindF32, entry.KindI32} {
		for _, most := range []int{2048, -1} {
			back := engine.ChangeElimination(func(o *eliminate.Algorithm) { o.CoreAtOnce = most })
			d := enginetest.Device(t, 1<<10, 64)
			g := uniform(t, r, 700, 2000, kind)
			o := engine.Options{Request: plan.Request{Algorithm: eliminate.Name}, Device: named{d, "cuda:1", 0},
				Checkpoint: 1}
			whole := enginetest.Create(t, g, 64)
			enginetest.Solve(t, whole, o)
			p := stoppedPast(t, 0.1, o, func() *engine.Problem { return enginetest.Create(t, g, 64) })
			back() // a core in a store would fit memory now
			fixed := kind.Float() && most > 0
			for _, other := range []struct {
				device kernels.Device
				kind   error
				says   string
			}{{d, device.ErrUnknown, "--device cuda"},
				{named{d, "cuda:0", 1 << 14}, device.ErrMemory, "--device-memory"}} {
				if !fixed {
					break
				}
				o.Device = other.device
				if _, err := p.Solve(t.Context(), o); !errors.Is(err, other.kind) ||
					!strings.Contains(err.Error(), other.says) {
					t.Errorf("%s: %v", kind, err)
				}
			}
			if o.Device = d; fixed {
				o.Device = named{d, "cuda:0", 0}
			}
			if sum := enginetest.Solve(t, p, o); sum.ResumedFrom == 0 {
				t.Error("began again")
			}
			if !sameBytes(t, whole, p) {
				t.Errorf("%s, cores of %d: other bytes", kind, most)
			}
		}
	}
}

// TestResumeWithoutStop goes on with a store that does not say where its elimination stopped, as merge leaves one.
func TestResumeWithoutStop(t *testing.T) {
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} {
		g := enginetest.HardGraph(t, seeds.New(t), 700, kind, false)
		o := engine.Options{Request: plan.Request{Algorithm: eliminate.Name}, Device: enginetest.Device(t, 1<<10, 64),
			Checkpoint: 1}
		p := stoppedPast(t, 0.1, o, func() *engine.Problem { return enginetest.Create(t, g, 64) })
		state, _, err := p.Store().State()
		if err != nil || state.Stop == 0 {
			t.Fatalf("%+v, %v", state, err)
		}
		state.Stop, state.Closer = 0, ""
		if err := p.Store().Checkpoint(state); err != nil {
			t.Fatal(err)
		}
		if sum := enginetest.Solve(t, p, o); sum.ResumedFrom == 0 {
			t.Error("began again")
		}
		verifyAll(t, p)
	}
}

// TestResumeLacksMemory refuses to go on where there is too little memory for what floats were begun with, and goes
// on where there is enough. Integers may choose anew, and are refused only where nothing fits.
func TestResumeLacksMemory(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindF32, entry.KindI32} {
		smallCores(t, -1)
		g := uniform(t, r, 700, 2000, kind)
		o := engine.Options{Request: plan.Request{Algorithm: eliminate.Name}, Device: enginetest.Device(t, 1<<10, 64),
			Checkpoint: 1}
		p := stoppedPast(t, 0.1, o, func() *engine.Problem { return enginetest.Create(t, g, 64) })
		before, _, err := p.Store().State()
		if err != nil {
			t.Fatal(err)
		}
		little := o
		little.HostMemory = 1 << 10
		_, err = p.Solve(t.Context(), little)
		if !errors.Is(err, device.ErrMemory) || kind.Float() != strings.Contains(err.Error(), "rounded") {
			t.Fatalf("%s: %v", kind, err)
		}
		if after, _, err := p.Store().State(); err != nil || after.Done < before.Done || after.Stop != before.Stop {
			t.Errorf("%+v became %+v, %v", before, after, err)
		}
		enginetest.Solve(t, p, o)
		verifyAll(t, p)
	}
}

// TestFloatsLackMemory refuses what would stop elsewhere for lack of free memory, and does what the message says.
func TestFloatsLackMemory(t *testing.T) {
	free := func(bytes int64) {
		t.Cleanup(engine.ChangeElimination(func(o *eliminate.Algorithm) { o.Free = bytes }))
	}
	r := seeds.New(t)
	g := fractions(t, r, generate(t, "road", gen.Options{N: 1500, Seed: 1}), entry.KindF32)
	for _, algorithm := range []string{"", eliminate.Name} {
		o := engine.Options{Request: plan.Request{Algorithm: algorithm}, Device: enginetest.Device(t, 1<<10, 64)}
		p := enginetest.Create(t, g, 64)
		free(1 << 12)
		_, err := p.Solve(t.Context(), o)
		if !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "--algorithm "+rounds.Blocked.Name()) {
			t.Fatalf("%q: %v", algorithm, err)
		}
		if algorithm == "" {
			o.Algorithm = rounds.Blocked.Name()
		} else {
			free(1 << 30)
		}
		enginetest.Solve(t, p, o)
		verifyAll(t, p)
	}
	// What was begun cannot go on in rounds.
	free(1 << 30)
	o := engine.Options{Request: plan.Request{Algorithm: eliminate.Name}, Device: enginetest.Device(t, 1<<10, 64),
		Checkpoint: 1}
	begun := stoppedPast(t, 0.1, o, func() *engine.Problem { return enginetest.Create(t, g, 64) })
	free(1 << 12)
	if _, err := begun.Solve(t.Context(), o); !errors.Is(err, device.ErrMemory) ||
		!strings.Contains(err.Error(), "--restart --algorithm blocked") {
		t.Fatalf("begun: %v", err)
	}
	o.Algorithm = rounds.Blocked.Name()
	if err := begun.Restart(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	enginetest.Solve(t, begun, o)
	verifyAll(t, begun)
	// Integers are the same everywhere, so they make do.
	free(1 << 12)
	p := enginetest.Create(t, enginetest.HardGraph(t, r, 300, entry.KindI32, false), 64)
	enginetest.Solve(t, p, engine.Options{Device: enginetest.Device(t, 1<<10, 64)})
	verifyAll(t, p)
}

// TestFreeMemoryIsEnough solves with just as much free memory as the refusal of one byte less names: nothing that is
// refused later, when a store has been given up for it, was left out.
func TestFreeMemoryIsEnough(t *testing.T) {
	free := func(bytes int64) {
		t.Cleanup(engine.ChangeElimination(func(o *eliminate.Algorithm) { o.Free = bytes }))
	}
	r := seeds.New(t)
	road := generate(t, "road", gen.Options{N: 1500, Seed: 1})
	for _, kind := range []entry.Kind{entry.KindF32, entry.KindF64} {
		o := engine.Options{Request: plan.Request{Algorithm: eliminate.Name}, Device: enginetest.Device(t, 1<<10, 64)}
		p := enginetest.Create(t, fractions(t, r, road, kind), 64)
		need := func() (bytes int64) {
			_, err := p.Solve(t.Context(), o)
			if _, after, _ := strings.Cut(fmt.Sprint(err), " needs "); errors.Is(err, device.ErrMemory) {
				_, _ = fmt.Sscan(after, &bytes)
			}
			return bytes
		}
		free(1)
		least := need()
		// Beside elimination and core, a batch of rows takes a line of 64 bytes of each vertex, and a row of tiles.
		if rows := int64(road.N) * 64 * int64(1+kind.Bytes()); least < rows {
			t.Fatalf("%s: %d bytes are asked for, and rows alone take %d", kind, least, rows)
		}
		free(least - 1)
		if least == 0 || need() != least {
			t.Fatalf("%s: %d bytes were enough for what needs %d", kind, least-1, least)
		}
		free(least)
		enginetest.Solve(t, p, o)
		verifyAll(t, p)
	}
	// Integers choose what there is memory for.
	for shift := 12; shift < 24; shift++ {
		free(1 << shift)
		p := enginetest.Create(t, road, 64)
		enginetest.Solve(t, p, engine.Options{Device: enginetest.Device(t, 1<<10, 64)})
	}
}

// TestNothingIsFixedYet chooses anew after a kill before the first row, as in the run before.
func TestNothingIsFixedYet(t *testing.T) {
	g := uniform(t, seeds.New(t), 500, 1200, entry.KindF32)
	o := engine.Options{Device: enginetest.Device(t, 1<<10, 64)}
	whole := enginetest.Create(t, g, 64)
	enginetest.Solve(t, whole, o)
	p := enginetest.Create(t, g, 64)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Interval, o.Progress = 1, func(live.Status) { cancel() }
	if _, err := p.Solve(ctx, o); !errors.Is(err, task.ErrInterrupted) {
		t.Fatal(err)
	}
	o.Progress = nil
	enginetest.Solve(t, p, o)
	if !sameBytes(t, whole, p) {
		t.Error("other bytes")
	}
}
