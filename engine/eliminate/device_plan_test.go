package eliminate

import (
	"testing"

	"ooc/engine/internal/seeds"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// TestDeviceShape wants every shape of an expansion to fit its device, and none only where not one row of tiles does.
func TestDeviceShape(t *testing.T) {
	r := seeds.New(t)
	for range 2000 {
		n := 1 + r.IntN(200000)
		s := sparse.Shape{Vertices: n, Core: r.IntN(min(n, 20000) + 1), Arcs: r.Int64N(1 << 22), Edge: 64 << r.IntN(5)}
		rows := 1 + r.IntN(entry.CeilDiv(n, s.Edge))
		info := kernels.Info{Memory: r.Int64N(1 << (20 + r.IntN(17))), Scratch: 1 << 20}
		lanes, batches := deviceShape(s, info, rows)
		one := s
		one.Lanes = s.Edge
		if fits := one.FixedBytes()+one.BatchBytes() <= info.Memory-info.Scratch; fits != (lanes > 0) {
			t.Fatalf("%+v on %+v: %d lanes", s, info, lanes)
		}
		if lanes == 0 {
			continue
		}
		s.Lanes = lanes
		if lanes%s.Edge != 0 || lanes > rows*s.Edge || batches < 1 ||
			s.FixedBytes()+int64(batches)*s.BatchBytes() > info.Memory-info.Scratch {
			t.Fatalf("%+v on %+v: %d batches of %d lanes", s, info, batches, lanes)
		}
	}
}
