package enginetest

import (
	"cmp"
	"math/rand/v2"
	"testing"

	"ooc/engine"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// Shape is everything about a solve that must not change its result.
type Shape struct {
	Tile, Width, Slots, Pages, Streams int

	Pairs bool       // tiles of distances and predecessors
	Kind  entry.Kind // of the tiles' entries; "": one of 4 bytes
}

func (s Shape) tileBytes() int64 {
	kind := cmp.Or(s.Kind, entry.KindI32)
	each := kind.Bytes()
	if s.Pairs {
		each = kind.PairBytes()
	}
	return int64(s.Tile) * int64(s.Tile) * int64(each)
}

// RandomShape picks limits for n vertices with a given tile edge, often the least that work.
func RandomShape(r *rand.Rand, n, tile int) Shape {
	side := entry.CeilDiv(n, tile)
	s := Shape{Tile: tile, Width: 1 + r.IntN(min(side, 3)), Streams: 1 + r.IntN(4)}
	s.Slots = MinSlots(side, s.Width) + r.IntN(2)*r.IntN(side*side+1)
	s.Pages = 2 + r.IntN(2)*r.IntN(side*side+1)
	return s
}

// Of is the shape for tiles of a kind.
func (s Shape) Of(kind entry.Kind) Shape {
	s.Kind = kind
	return s
}

// Paired is the shape for a store that keeps predecessors beside distances of a kind.
func (s Shape) Paired(kind entry.Kind) Shape {
	s.Kind, s.Pairs = kind, true
	return s
}

// Options opens a CPU device, until the test ends, with just the slots of the shape, and the options that go with it.
func (s Shape) Options(t testing.TB) engine.Options {
	t.Helper()
	return engine.Options{Request: plan.Request{Algorithm: engine.AlgorithmThat(func(t plan.Traits) bool { return t.Parts }),
		HostMemory: int64(s.Pages) * s.tileBytes(), Round: s.Width * s.Tile, Streams: s.Streams},
		Device: open(t, int64(s.Slots)*s.tileBytes())}
}

// Device opens a device with just the slots of a shape, and the flag of a comparison.
func Device(t testing.TB, slots, tile int) kernels.Device {
	t.Helper()
	return open(t, int64(slots*tile*tile*entry.WordBytes)+flagBytes)
}

// open opens a CPU device, until the test ends, with so much memory beside its scratch memory.
func open(t testing.TB, memory int64) kernels.Device {
	t.Helper()
	probe, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	memory += probe.Info().Scratch
	if err := probe.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := cpu.Open(cpu.Options{Memory: memory})
	return untilEnd(t, d, err)
}

// flagBytes is what the flag of a comparison takes of a device's memory.
const flagBytes = 256

// MinSlots is the fewest slots that blocked rounds take over so many tiles a side: the pivot tiles, two panels, and a
// tile for each of a row of pivots; or all tiles.
func MinSlots(side, width int) int {
	m := min(width, side)
	if m == side {
		return side * side
	}
	return m*m + 2*m*(side-m) + m
}
