package feed

import (
	"errors"
	"slices"
	"testing"
	"unsafe"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/internal/seeds"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

var seeded = seeds.New

// seen is a block that came to the device, copied back.
type seen struct {
	kernels.Block
	first                  bool
	offsets, ends, weights []int32
}

func (x *seen) copyBack(s kernels.Stream, dst []int32, from kernels.Tile) error {
	if len(dst) == 0 {
		return nil
	}
	return s.CopyOut(unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), 4*len(dst)), from)
}

// apart is a device that is not the host's cores.
type apart struct{ kernels.Device }

func (d apart) Info() kernels.Info {
	info := d.Device.Info()
	info.SharedCores = false
	return info
}

// TestBlocksCarryEveryArc passes a graph twice through devices of much and little memory, and wants each arc once a
// pass, in the order that steps rely on.
func TestBlocksCarryEveryArc(t *testing.T) {
	r := seeded(t)
	for range 12 {
		n := 1 + r.IntN(500)
		b := graph.New(n, graph.AsKind(entry.KindI32))
		for range r.IntN(20 * n) {
			b.Add(r.IntN(n), r.IntN(n), float64(1+r.IntN(1000)))
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		into := g.Reverse()
		for _, memory := range []int64{1 << 30, 70 << 10} {
			d, err := cpu.Open(cpu.Options{Threads: 1, Memory: memory + 1<<20})
			if err != nil {
				t.Fatal(err)
			}
			var device kernels.Device = d
			if r.IntN(2) == 0 {
				device = apart{d}
			}
			o := Options{Device: device, Memory: 1<<20 - d.Info().Scratch, Transposed: r.IntN(2) == 0}
			feeds := []func() (*Feed, error){func() (*Feed, error) { return Open(into, nil, o) },
				func() (*Feed, error) { return Open(nil, g, o) }}
			for _, open := range feeds {
				f, err := open()
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					wantAll(t, g, into, f)
				}
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// wantAll compares one pass with the graph.
func wantAll(t *testing.T, g, into *graph.Graph, f *Feed) {
	t.Helper()
	var blocks []*seen
	err := f.Pass(func(s kernels.Stream, b kernels.Block, first bool) error {
		x := &seen{Block: b, first: first}
		blocks = append(blocks, x)
		if b.Edge > 0 {
			x.weights = make([]int32, b.Rows*b.Edge)
			return x.copyBack(s, x.weights, b.Weights)
		}
		arcs := into.Offsets[b.Hi] - into.Offsets[b.Lo]
		x.offsets, x.ends, x.weights = make([]int32, b.Hi-b.Lo+1), make([]int32, arcs), make([]int32, arcs)
		return errors.Join(x.copyBack(s, x.offsets, b.Offsets), x.copyBack(s, x.ends, b.Ends),
			x.copyBack(s, x.weights, b.Weights))
	})
	if err != nil {
		t.Fatal(err)
	}
	arcs, lo, row := int64(0), 0, 0
	for i, x := range blocks {
		if x.first != (i == 0 || x.Lo != blocks[i-1].Lo) || x.first && x.Lo != lo || !x.first && x.Row != row {
			t.Fatalf("block %d, of %d…%d from row %d: first %v", i, x.Lo, x.Hi-1, x.Row, x.first)
		}
		lo, row = x.Hi, x.Row+x.Rows
		arcs += x.check(t, g)
	}
	if arcs != g.Arcs() || lo != g.N {
		t.Fatalf("%d arcs of %d, up to vertex %d of %d", arcs, g.Arcs(), lo, g.N)
	}
}

// check compares a block with the graph, and returns its arcs.
func (x *seen) check(t *testing.T, g *graph.Graph) (arcs int64) {
	t.Helper()
	for i := range x.Hi - x.Lo {
		v := x.Lo + i
		if x.Edge == 0 {
			ends := x.ends[x.offsets[i]:x.offsets[i+1]]
			if !slices.IsSorted(ends) {
				t.Fatalf("arcs into %d begin at %v", v, ends)
			}
			for k, u := range ends {
				if at := g.Find(int(u), v); at < 0 || g.I32[at] != x.weights[int(x.offsets[i])+k] {
					t.Fatalf("an arc %d → %d that is not there", u, v)
				}
			}
			arcs += int64(len(ends))
			continue
		}
		for r := range x.Rows {
			at, u, want := r*x.Edge+i, x.Row+r, entry.Inf32
			if x.Transposed {
				at = i*x.Rows + r
			}
			if k := g.Find(u, v); k >= 0 {
				want = g.I32[k]
				arcs++
			} else if u == v {
				want = 0
			}
			if x.weights[at] != want {
				t.Fatalf("from %d to %d: %d, want %d", u, v, x.weights[at], want)
			}
		}
	}
	return arcs
}

// TestTooLarge wants a vertex whose arcs do not fit the device to be refused.
func TestTooLarge(t *testing.T) {
	const n = 20000
	b := graph.New(n)
	for u := 1; u < n; u++ {
		b.Add(u, 0, 1)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	d, err := cpu.Open(cpu.Options{Threads: 1, Memory: 700 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := Open(g.Reverse(), nil,
		Options{Device: d, Memory: 700<<10 - d.Info().Scratch - 200<<10}); !errors.Is(err, device.ErrMemory) {
		t.Errorf("arcs of 160 KB in 200 KB, which takes two blocks: %v", err)
	}
}
