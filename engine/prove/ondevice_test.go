package prove

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
)

var errBroken = errors.New("the device is broken")

// proving is a device of one processor thread that counts the strips of rows that it compares, and those that differ.
type proving struct {
	kernels.Device
	memory        int64  // that it says it has; 0: as much as there is
	arrive        func() // if set, is called before rows are compared
	strips, wrong atomic.Int64
	broken, blind bool // it fails to compare; it says that all rows differ
}

func (d *proving) Unwrap() kernels.Device { return d.Device }

func (d *proving) Info() kernels.Info {
	info := d.Device.Info()
	if d.memory > 0 {
		info.Memory = d.memory
	}
	return info
}

func (d *proving) tileOps() kernels.TileOps {
	ops, _ := kernels.As[kernels.TileOps](d.Device)
	return ops
}

func (d *proving) NewTrackingStream() (kernels.Stream, error) { return d.tileOps().NewTrackingStream() }
func (d *proving) Pivots(s kernels.Stream, v entry.Variant, t int, tiles []kernels.Tile, lo, hi int) error {
	return d.tileOps().Pivots(s, v, t, tiles, lo, hi)
}
func (d *proving) TransposeTile(s kernels.Stream, v entry.Variant, t int, dst, src kernels.Tile) error {
	return d.tileOps().TransposeTile(s, v, t, dst, src)
}
func (d *proving) Ceiling(v entry.Variant) float64 { return d.tileOps().Ceiling(v) }

func (d *proving) Differ(s kernels.Stream, flag, a, b kernels.Tile, bytes int64) error {
	if d.arrive != nil {
		d.arrive()
	}
	if d.broken {
		return errBroken
	}
	memory := make([]byte, entry.WordBytes)
	err := errors.Join(d.tileOps().Differ(s, flag, a, b, bytes), s.CopyOut(memory, flag), s.Sync())
	if d.strips.Add(1); memory[0] != 0 {
		d.wrong.Add(1)
	} else if d.blind {
		err = errors.Join(err, s.CopyIn(flag, []byte{1, 0, 0, 0}), s.Sync())
	}
	return err
}

// severalProving returns so many devices, and one that stands for all.
func severalProving(t *testing.T, count int) (all []*proving, together kernels.Device) {
	t.Helper()
	var list []kernels.Device
	for range count {
		d, err := cpu.Open(cpu.Options{Threads: 1, Memory: 1 << 28})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, &proving{Device: conformance.WithLaneOps(d)})
		list = append(list, all[len(all)-1])
	}
	together = device.Several(list)
	t.Cleanup(func() {
		if err := together.Close(); err != nil {
			t.Error(err)
		}
	})
	return all, together
}

// positive makes a graph of integers, of which devices prove all distances: without weights of 0. No arc leaves the
// last vertex, so that nothing else tells of its distances.
func positive(t *testing.T, r *rand.Rand, n int) *graph.Graph {
	t.Helper()
	b := graph.New(n, graph.Directed)
	for range 3 * n {
		b.Add(r.IntN(n-1), r.IntN(n), float64(1+r.IntN(1000)))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestProveOnDevices wants the proof of one device, of several, and of the processor to be the same, also of half a
// matrix, of some rows, of factors and of a file, and devices to give back what they took.
func TestProveOnDevices(t *testing.T) {
	r := seeds.New(t)
	for count := 1; count <= 3; count++ {
		all, together := severalProving(t, count)
		n := 200 + r.IntN(300)
		g, symmetric := positive(t, r, n), enginetest.SymmetricGraph(t, r, n, entry.KindI32)
		short, err := graph.New(3, graph.AsKind(entry.KindU16)).Add(0, 1, 7).Add(1, 2, 32000).Build()
		if err != nil {
			t.Fatal(err)
		}
		upper := enginetest.CreateUpper(t, symmetric, 192)
		enginetest.Solve(t, upper, engine.Options{})
		some, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "some.ooc"), g,
			engine.CreateOptions{Tile: 64, Sources: []int32{3, 70, 71, int32(n - 1)}})
		if err != nil {
			t.Fatal(err)
		}
		defer some.Close()
		enginetest.Solve(t, some, engine.Options{})
		for name, p := range map[string]*engine.Problem{"square": enginetest.Solved(t, r, g), "upper": upper,
			"some": some, "u16": enginetest.Solved(t, r, short)} {
			before := strips(all)
			want := mustProve(t, p)
			got, err := All(t.Context(), p, Options{Device: together})
			if got.Seconds, want.Seconds = 0, 0; err != nil || got != want {
				t.Errorf("%s on %d devices: %+v, %v; want %+v", name, count, got, err, want)
			}
			if proved := strips(all) - before; proved == 0 && (name != "upper" || symmetric.MinWeight > 0) {
				t.Errorf("%s: the devices have proved nothing", name)
			}
		}
		file, before := writeDistances(t, "<i4", false, distances(g)), strips(all)
		want, err := Matrix(t.Context(), g, file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Matrix(t.Context(), g, file, Options{Device: together})
		if got.Seconds, want.Seconds = 0, 0; err != nil || got != want || strips(all) == before {
			t.Errorf("a file on %d devices: %+v, %v; want %+v", count, got, err, want)
		}
		for _, d := range all {
			if err := enginetest.WantAll(&device.Shared{On: d}); err != nil {
				t.Errorf("a device keeps memory: %v", err)
			}
		}
	}
}

// TestProveOnGPUs is TestProveOnDevices and TestWrongOnAnyDevice for the devices that are there, of which each takes
// both parts.
func TestProveOnGPUs(t *testing.T) {
	r := seeds.New(t)
	n := 900 + r.IntN(300)
	g := positive(t, r, n)
	p := enginetest.Solved(t, r, g)
	for name, open := range enginetest.Devices(t) {
		if name == "cpu" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var all []*proving
			var list []kernels.Device
			for range 2 {
				d, err := open(0)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, &proving{Device: d})
				list = append(list, all[len(all)-1])
			}
			together := device.Several(list)
			defer together.Close()
			want := mustProve(t, p)
			for range 3 {
				meet(t, all)
				got, err := All(t.Context(), p, Options{Device: together})
				if got.Seconds, want.Seconds = 0, 0; err != nil || got != want {
					t.Errorf("%+v, %v; want %+v", got, err, want)
				}
			}
			if all[0].strips.Load() == 0 || all[1].strips.Load() == 0 {
				t.Errorf("of two devices, one has proved %d strips, and one %d", all[0].strips.Load(),
					all[1].strips.Load())
			}
			for tries := 0; tries < 20 || all[0].wrong.Load() == 0 || all[1].wrong.Load() == 0; tries++ {
				if tries == 200 {
					t.Fatalf("of %d wrong entries, one device has met %d, and one %d", tries, all[0].wrong.Load(),
						all[1].wrong.Load())
				}
				u, v := r.IntN(n), r.IntN(n)
				was := enginetest.Change(t, p, u, v,
					func(was uint32) uint32 { return otherEntry(r, entry.KindI32, was) })
				meet(t, all)
				_, err := All(t.Context(), p, Options{Device: together})
				wantWrong(t, err, fmt.Sprintf("n=%d (%d,%d) was %08x", n, u, v, was),
					fmt.Sprintf("tile (%d,%d), from %d to %d:", u/64, v/64, u, v))
				enginetest.Change(t, p, u, v, func(uint32) uint32 { return was })
			}
		})
	}
}

func distances(g *graph.Graph) (d [][]float64) {
	search := graph.NewSearch(g)
	for u := range g.N {
		d = append(d, slices.Clone(search.From(u)))
	}
	return d
}

func strips(all []*proving) (sum int64) {
	for _, d := range all {
		sum += d.strips.Load()
	}
	return sum
}

// TestWrongOnAnyDevice changes entries, one at a time, until each of several devices has met one. It wants every one
// named.
func TestWrongOnAnyDevice(t *testing.T) {
	r := seeds.New(t)
	n := 500 + r.IntN(200)
	p := enginetest.Solved(t, r, positive(t, r, n))
	for count := 2; count <= 3; count++ {
		all, together := severalProving(t, count)
		met := 0
		for tries := 0; met < count; tries++ {
			if tries == 100 {
				t.Fatalf("after %d wrong entries, %d of %d devices have met one", tries, met, count)
			}
			meet(t, all)
			u, v := r.IntN(n-1), n-1
			if tries > 0 {
				u, v = r.IntN(n), r.IntN(n)
			}
			was := enginetest.Change(t, p, u, v, func(was uint32) uint32 { return otherEntry(r, entry.KindI32, was) })
			_, err := All(t.Context(), p, Options{Device: together})
			wantWrong(t, err, fmt.Sprintf("n=%d (%d,%d) was %08x", n, u, v, was),
				fmt.Sprintf("tile (%d,%d), from %d to %d:", u/64, v/64, u, v))
			enginetest.Change(t, p, u, v, func(uint32) uint32 { return was })
			met = 0
			for _, d := range all {
				met += int(min(1, d.wrong.Load()))
			}
		}
	}
}

// meet has each device wait with its next strip until all have one. Two processors leave each device two workers, and
// so strips for all.
func meet(t *testing.T, all []*proving) {
	t.Helper()
	was := runtime.GOMAXPROCS(2)
	t.Cleanup(func() { runtime.GOMAXPROCS(was) })
	var there sync.WaitGroup
	there.Add(len(all))
	for _, d := range all {
		d.arrive = sync.OnceFunc(func() { there.Done(); there.Wait() })
	}
}

// TestProofStopsWithDevice breaks one of two devices: the proof fails, naming it and what to do.
func TestProofStopsWithDevice(t *testing.T) {
	r := seeds.New(t)
	p := enginetest.Solved(t, r, positive(t, r, 400))
	for broken := range 2 {
		all, together := severalProving(t, 2)
		meet(t, all)
		all[broken].broken = true
		if _, err := All(t.Context(), p, Options{Device: together}); !errors.Is(err, errBroken) ||
			!strings.Contains(err.Error(), "proof on cpu: ") || !strings.Contains(err.Error(), "--device cpu") {
			t.Errorf("device %d is broken: %v", broken, err)
		}
		all[broken].broken, all[broken].blind = false, true
		if _, err := All(t.Context(), p, Options{Device: together}); err == nil || errors.Is(err, engine.ErrWrong) ||
			!strings.Contains(err.Error(), "a fault of the device") {
			t.Errorf("device %d finds fault with every row: %v", broken, err)
		}
	}
}

// TestProofWithoutRoom gives devices too little memory: one is left out, and without any the processor proves.
func TestProofWithoutRoom(t *testing.T) {
	r := seeds.New(t)
	p := enginetest.Solved(t, r, positive(t, r, 400))
	all, together := severalProving(t, 2)
	for room := 1; room >= 0; room-- {
		all[room].memory = 1 << 12
		before := strips(all[:1])
		if proof, err := All(t.Context(), p, Options{Device: together}); err != nil || proof.Searched != 0 {
			t.Errorf("%+v, %v", proof, err)
		}
		if proved := strips(all[:1]) > before; proved != (room == 1) {
			t.Errorf("with memory on %d devices: the first has proved: %v", room, proved)
		}
	}
	if n := strips(all[1:]); n != 0 {
		t.Errorf("%d strips without the memory", n)
	}
}

// TestStripMemory measures what a reader of strips takes, by which workers are counted where host memory is short.
func TestStripMemory(t *testing.T) {
	r := seeds.New(t)
	n := 3000 + r.IntN(500)
	g := positive(t, r, n)
	kept, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "f.ooc"), g,
		engine.CreateOptions{Layout: tiles.Factors})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	enginetest.Solve(t, kept, engine.Options{Request: plan.Request{Algorithm: factors.Name}})
	ready, err := kept.Ready()
	if err != nil {
		t.Fatal(err)
	}
	f := ready.(*factors.Factors)
	tile := enginetest.Create(t, g, entry.RoundUp(n, 64))
	enginetest.Solve(t, tile, engine.Options{Request: plan.Request{Algorithm: "blocked"}})
	for name, of := range map[string]struct {
		*engine.Problem
		outside int64 // of Go's memory
	}{"factors": {kept, f.Elimination.ScratchBytes(min(mostLanes, f.Elimination.BatchLanes()))},
		"one tile": {tile, 0}} {
		src := storeSource(of.Problem)
		counted, err := src.memory(mostLanes)
		if err != nil {
			t.Fatal(err)
		}
		pitch := entry.RoundUp(src.width, mostLanes)
		dst, again := make([]byte, 4*mostLanes*pitch), make([]byte, 4*mostLanes*pitch)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read := src.pieces(mostLanes)
		readTo := func(dst []byte) error {
			return read(0, mostLanes, func(column int, piece []byte, width int) {
				for l := range mostLanes {
					copy(dst[4*(l*pitch+column):], piece[4*l*width:4*(l+1)*width])
				}
			})
		}
		if err := readTo(dst); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		took := int64(after.TotalAlloc-before.TotalAlloc) + of.outside
		if took > counted+counted/4 || counted > took+took/4 {
			t.Errorf("%s: a reader took %d bytes, and %d were counted; a strip has %d", name, took, counted, len(dst))
		}
		if err := readTo(again); err != nil {
			t.Fatal(err)
		}
		for l := range mostLanes {
			if !bytes.Equal(dst[4*l*pitch:][:4*n], again[4*l*pitch:][:4*n]) {
				t.Errorf("%s: row %d is another the second time", name, l)
			}
		}
	}
}
