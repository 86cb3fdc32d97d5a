package rounds

import (
	"errors"
	"testing"

	"ooc/engine/device"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

var testRates = plan.Rates{Kernel: 50e9, PerOperation: 1e-5, Closure: 1e-2, In: 8e9, Out: 8e9, Read: 8e9, Write: 6e9}

// basis is what a solve on a device with testRates is planned by.
func basis(info kernels.Info, l plan.Request, done int64) *plan.Basis {
	return &plan.Basis{Request: l, Info: info, Rates: testRates, State: tiles.State{Done: done}}
}

// of is the basis for n vertices.
func of(n int, q *plan.Basis) *plan.Basis {
	q.Facts.N = n
	return q
}

// TestPlansRun demands of every plan, for random problems, limits and starts, that its schedule ends
// within the slots and pages it was given, and that its prediction counts what the schedule moves.
func TestPlansRun(t *testing.T) {
	r := seeds.New(t)
	for range 100 {
		geom := tiles.Geometry{N: 1 + r.IntN(1500), T: 64 << r.IntN(3), EntryBytes: 4, Upper: r.IntN(2) == 0}
		tb, side := geom.TileBytes(), geom.Side()
		info := kernels.Info{Memory: tb * int64(minSlots(side, 1)+r.IntN(side*side+2)), SharedCores: r.IntN(2) == 0}
		l := plan.Request{HostMemory: int64(r.IntN(2)) * tb * int64(2+r.IntN(side*side+1)), Streams: r.IntN(5)}
		done := int64(r.IntN(side) * geom.T)
		p, err := planBlocked(basis(info, l, done), geom)
		if err != nil {
			t.Fatalf("%+v from %d with %+v, %+v: %v", geom, done, info, l, err)
		}
		if p.DeviceBytes > info.Memory || l.HostMemory > 0 && p.HostBytes > l.HostMemory {
			t.Fatalf("%+v passes the limits %+v, %+v", p, info, l)
		}
		if err := countBlocked(&blocked, basis(info, l, done), &p, geom); err != nil {
			t.Fatalf("%+v from %d: %+v: %v", geom, done, p, err)
		}
		if least := geom.MatrixBytes(); p.BytesIn < least || p.BytesOut < least || p.BytesWritten < least {
			t.Fatalf("%+v moves less than the matrix once", p)
		}
	}
}

// TestResumeWithTheSameRound solves in one block as wide as the matrix, in just the memory that needs, and
// then plans what an interruption may leave of it.
func TestResumeWithTheSameRound(t *testing.T) {
	geom := tiles.Geometry{N: 192, T: 64, EntryBytes: 4}
	info := kernels.Info{Memory: 9 * geom.TileBytes()}
	l := plan.Request{Round: 192}
	for done := int64(0); done < 192; done += 64 {
		p, err := planBlocked(basis(info, l, done), geom)
		if err != nil {
			t.Fatalf("from %d: %v", done, err)
		}
		if err := countBlocked(&blocked, basis(info, l, done), &p, geom); err != nil {
			t.Fatalf("from %d: %v", done, err)
		}
	}
}

func TestPlanRefusals(t *testing.T) {
	geom := tiles.Geometry{N: 1000, T: 64, EntryBytes: 4}
	tb := geom.TileBytes()
	need := int64(minSlots(16, 1)) * tb
	if _, err := planBlocked(basis(kernels.Info{Memory: need}, plan.Request{}, 0), geom); err != nil {
		t.Errorf("the least memory: %v", err)
	}
	if _, err := planBlocked(basis(kernels.Info{Memory: need - 1}, plan.Request{}, 0), geom); !errors.Is(err,
		device.ErrMemory) {
		t.Errorf("a byte less: %v", err)
	}
	if _, err := planBlocked(basis(kernels.Info{Memory: need}, plan.Request{HostMemory: tb}, 0), geom); !errors.Is(err,
		device.ErrMemory) {
		t.Errorf("one page: %v", err)
	}
	if _, err := planBlocked(basis(kernels.Info{Memory: need}, plan.Request{Round: 100}, 0), geom); err == nil {
		t.Error("a round of 100 with tiles of 64 was planned")
	}
}

// TestChooseTile demands a tile that fits wherever one of 64 does.
func TestChooseTile(t *testing.T) {
	for _, n := range []int{1, 64, 65, 1000, 8192, 15360, 200_000} {
		least := int64(minSlots(entry.CeilDiv(n, 64), 1)) * 64 * 64 * 4
		for _, memory := range []int64{least, 2 * least, 16 * least, 1 << 36} {
			tile := chooseTile(of(n, basis(kernels.Info{Memory: memory, SharedCores: true}, plan.Request{}, 0)))
			if int64(minSlots(entry.CeilDiv(n, tile), 1))*int64(tile)*int64(tile)*4 > memory {
				t.Errorf("n=%d in %d bytes: a tile of %d does not fit", n, memory, tile)
			}
		}
		if tile := chooseTile(of(n, basis(kernels.Info{Memory: least - 1}, plan.Request{}, 0))); tile != 64 {
			t.Errorf("n=%d in less than the least: a tile of %d", n, tile)
		}
	}
}

// TestPlansHaveRestorePoints demands rounds enough that an interruption does not cost the whole solve.
func TestPlansHaveRestorePoints(t *testing.T) {
	for _, n := range []int{1000, 3353, 8192, 21048, 65536} {
		info := kernels.Info{Memory: 1 << 36, SharedCores: true}
		tile := chooseTile(of(n, basis(info, plan.Request{}, 0)))
		p, err := planBlocked(basis(info, plan.Request{}, 0), tiles.Geometry{N: n, T: tile, EntryBytes: 4})
		if err != nil {
			t.Fatal(err)
		}
		if p.Rounds < min(leastRounds, p.Side) || n >= 1000 && p.Rounds < leastRounds {
			t.Errorf("n=%d: %d rounds of %d tiles of %d", n, p.Rounds, p.Width, p.Tile)
		}
	}
}
