package conformance

import (
	"fmt"
	"math"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// laneSums is kernels.LaneSums in host memory.
type laneSums struct {
	width, count int
	rows         matrix
	names        matrix
}

// sized is a sum, and that of the magnitudes of what was added: rounding may change the sum by a part of that.
type sized struct {
	kernels.LaneSum
	size float64
}

func (s *sized) add(v entry.Variant, d float64, name int32) {
	if AddTo(&s.LaneSum, v, d, name); !math.IsInf(d, 1) {
		s.size += math.Abs(d)
	}
}

// run is the judge of kernels.LaneSums.
func (p *laneSums) run(v entry.Variant) (byLane, byRow []sized) {
	byLane = make([]sized, p.width)
	for l := range byLane {
		byLane[l].Farthest = -1
	}
	for i, name := range p.names {
		of := sized{}
		for l, bits := range p.rows[i*p.width:][:p.width] {
			d := v.Kind().Value(bits)
			byLane[l].add(v, d, int32(name))
			if l < p.count {
				of.add(v, d, 0)
			}
		}
		of.Top, of.Farthest = 0, -1
		byRow = append(byRow, of)
	}
	return byLane, byRow
}

// AddTo adds a distance, that in the row of some name, to sums of a variant.
func AddTo(s *kernels.LaneSum, v entry.Variant, d float64, name int32) {
	if math.IsInf(d, 1) {
		s.Missing++
		return
	}
	one := kernels.LaneSum{Sum: uint64(int64(d)), Farthest: -1}
	if v.Kind().Float() {
		one.Sum = math.Float64bits(d)
	}
	if d > 0 {
		one.Inverse, one.Top, one.Farthest = 1/d, v.Kind().Wide().Bits(d), name
	}
	Join(s, v, one)
}

// Join adds sums to others of a variant.
func Join(s *kernels.LaneSum, v entry.Variant, o kernels.LaneSum) {
	if v.Kind().Float() {
		s.Sum = math.Float64bits(math.Float64frombits(s.Sum) + math.Float64frombits(o.Sum))
	} else {
		s.Sum += o.Sum
	}
	s.Inverse += o.Inverse
	s.Missing += o.Missing
	if o.Top > s.Top || o.Top == s.Top && o.Farthest >= 0 && o.Farthest < s.Farthest {
		s.Top, s.Farthest = o.Top, o.Farthest
	}
}

// laneSums draws few and many rows, of which some have the same name as others have.
func (b *bench) laneSums(d kernels.LaneOps, v entry.Variant) {
	p := &laneSums{width: kernels.DeviceLaneUnit * (1 + b.IntN(5))}
	p.count = b.IntN(p.width + 1)
	for range b.IntN([]int{3, 40, 3 * kernels.LaneSumRows}[b.IntN(3)]) {
		p.names = append(p.names, uint64(b.IntN(1000)))
		same := b.randomEntry(v, true)
		for range p.width {
			x := same
			if b.IntN(4) > 0 {
				x = b.randomEntry(v, true)
			}
			p.rows = append(p.rows, x)
		}
	}
	parts := entry.CeilDiv(len(p.names), kernels.LaneSumRows)
	k := kernels.LaneSums{Lanes: b.uploadAs(p.rows, v.Bytes()), Width: p.width, Rows: len(p.names), Names: b.upload(p.names), Count: p.count,
		ByLane: kernels.Tile{Buf: b.alloc(int64(kernels.LaneSumBytes * p.width * (parts + 1)))}}
	if b.IntN(2) == 0 {
		k.ByRow = kernels.Tile{Buf: b.alloc(int64(kernels.LaneSumBytes * max(1, k.Rows)))}
	}
	b.must(d.LaneSums(b.stream, v, k))
	what := fmt.Sprintf("sums of %d rows of %d lanes", k.Rows, k.Width)
	byLane, byRow := p.run(v)
	b.sameSums(v, what+", by lane", k.ByLane, byLane)
	if k.ByRow != (kernels.Tile{}) {
		b.sameSums(v, what+", by row", k.ByRow, byRow)
	}
}

// sameSums wants the sums that it gives: those of floats within their rounding.
func (b *bench) sameSums(v entry.Variant, what string, at kernels.Tile, want []sized) {
	b.Helper()
	memory := entry.Bytes(make([]uint64, len(want)*kernels.LaneSumBytes/8))
	if len(want) > 0 {
		b.must(b.stream.CopyOut(memory, at))
	}
	b.must(b.stream.Sync())
	got := kernels.LaneSumsIn(memory)
	near := func(x, y, size float64) bool { return x == y || math.Abs(x-y) <= 1e-9*size || math.IsInf(size, 1) }
	for i, w := range want {
		g := got[i]
		sums := g.Sum == w.Sum || v.Kind().Float() && near(math.Float64frombits(g.Sum), math.Float64frombits(w.Sum), w.size)
		if !sums || !near(g.Inverse, w.Inverse, w.Inverse) || g.Top != w.Top || g.Farthest != w.Farthest || g.Missing != w.Missing {
			b.Fatalf("%s: %v number %d is %+v, want %+v", what, v, i, g, w)
		}
	}
}

// LaneSums implements kernels.LaneOps.
func (d plainLaneOps) LaneSums(s kernels.Stream, v entry.Variant, l kernels.LaneSums) error {
	x := &transfer{s: s}
	p := laneSums{width: l.Width, count: l.Count, rows: x.in(l.Lanes, l.Rows*l.Width, v.Bytes()), names: x.in(l.Names, l.Rows, wordBytes)}
	if x.err != nil {
		return x.err
	}
	byLane, byRow := p.run(v)
	put := func(at kernels.Tile, list []sized) error {
		memory := entry.Bytes(make([]uint64, len(list)*kernels.LaneSumBytes/8))
		for i, sums := 0, kernels.LaneSumsIn(memory); i < len(list); i++ {
			sums[i] = list[i].LaneSum
		}
		return x.out(at, unpack(memory, 1), 1)
	}
	if l.ByRow != (kernels.Tile{}) && l.Rows > 0 {
		if err := put(l.ByRow, byRow); err != nil {
			return err
		}
	}
	return put(l.ByLane, byLane)
}
