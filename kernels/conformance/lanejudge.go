package conformance

import (
	"cmp"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"sort"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// WithLaneOps returns the device with the judge's kernels.LaneOps and kernels.LaneStats: operands are copied to the
// host, and results back. So what is built on them can be tested on any device.
func WithLaneOps(d kernels.Device) kernels.Device { return laneJudge{d} }

// laneJudge is the judge of operations on lanes in device memory.
type laneJudge struct{ kernels.Device }

// Unwrap gives the device, for kernels.As.
func (d laneJudge) Unwrap() kernels.Device { return d.Device }

// transfer copies between host and device, and remembers the first error. After one, all that comes in is 0.
type transfer struct {
	s   kernels.Stream
	err error
}

func (x *transfer) in(t kernels.Tile, n, size int) matrix {
	memory := make([]byte, n*size)
	if n > 0 && x.err == nil {
		x.err = errors.Join(x.s.CopyOut(memory, t), x.s.Sync())
	}
	return unpack(memory, size)
}

// rest is all from some tile on to its buffer's end.
func (x *transfer) rest(t kernels.Tile, size int) matrix {
	return x.in(t, int(t.Buf.Bytes()-t.Off)/size, size)
}

func (x *transfer) out(t kernels.Tile, m matrix, size int) error {
	if x.err == nil && len(m) > 0 {
		x.err = errors.Join(x.s.CopyIn(t, m.pack(size)), x.s.Sync())
	}
	return x.err
}

func (x *transfer) sources(t kernels.Tile, width int) matrix {
	if t == (kernels.Tile{}) {
		return nil
	}
	return x.in(t, width, wordBytes)
}

// lanes is rows of lanes in host memory, and arcs between them in compressed rows.
type lanes struct {
	width                  int
	rows                   matrix
	offsets, ends, weights matrix
}

func (l *lanes) row(i int) matrix { return l.rows[i*l.width:][:l.width] }

// sweep lowers rows lo to hi-1 over their arcs. Those that are fresh are unreachable before.
func (l *lanes) sweep(v entry.Variant, lo, hi int, fresh func(row int) bool) {
	for row := lo; row < hi; row++ {
		to := l.row(row)
		if fresh(row) {
			entry.Fill(to, v.Unreachable())
		}
		for k := l.offsets[row]; k < l.offsets[row+1]; k++ {
			lowerAll(v, to, l.row(int(l.ends[k])), l.weights[k])
		}
	}
}

// Level implements kernels.LaneOps.
func (d laneJudge) Level(s kernels.Stream, v entry.Variant, k kernels.Level) error {
	x, last := &transfer{s: s}, 0
	l := lanes{k.Width, x.rest(k.Lanes, v.Bytes()), x.rest(k.Offsets, wordBytes), x.rest(k.Ends, wordBytes),
		x.rest(k.Weights, v.WeightBytes())}
	sources := x.sources(k.Sources, k.Width)
	for _, r := range k.Ranges {
		l.sweep(v, int(r.Lo), int(r.Hi), func(int) bool { return k.Fresh })
		for lane, source := range sources {
			if row := int32(source); r.Lo <= row && row < r.Hi {
				l.row(int(row))[lane] = 0
			}
		}
		last = max(last, int(r.Hi))
	}
	return x.out(k.Lanes, l.rows[:last*k.Width], v.Bytes())
}

// LaneProduct implements kernels.LaneOps.
func (d laneJudge) LaneProduct(s kernels.Stream, v entry.Variant, p kernels.LaneProduct) error {
	x := &transfer{s: s}
	from := lanes{width: p.Width, rows: x.in(p.Src, p.Edge*p.Width, v.Bytes())}
	to := lanes{width: p.Width, rows: make(matrix, len(from.rows))}
	entry.Fill(to.rows, v.Unreachable())
	for at, w := range x.in(p.Weights, p.Edge*p.Edge, v.Bytes()) {
		lowerAll(v, to.row(at/p.Edge), from.row(at%p.Edge), w)
	}
	return x.out(p.Dst, to.rows, v.Bytes())
}

// LaneBlocks implements kernels.LaneOps.
func (d laneJudge) LaneBlocks(s kernels.Stream, v entry.Variant, b kernels.LaneBlocks) error {
	x, last := &transfer{s: s}, uint64(0)
	l := lanes{width: b.Width, rows: x.rest(b.Lanes, v.Bytes()), weights: x.rest(b.Weights, v.Bytes())}
	terms := x.rest(b.Terms, wordBytes)
	for f := range slices.Chunk(x.in(b.Blocks, 5*b.Count, wordBytes), 5) {
		row, rows, first, many, shift := f[0], f[1], f[2], f[3], f[4]
		for i := range rows {
			to := l.row(int(row + i))
			if b.Fresh {
				entry.Fill(to, v.Unreachable())
			}
			for t := range slices.Chunk(terms[2*first:][:2*many], 2) {
				lowerAll(v, to, l.row(int(t[0])), l.weights[(t[1]+shift)*kernels.LaneWeightUnit+i])
			}
		}
		last = max(last, row+rows)
	}
	return x.out(b.Lanes, l.rows[:int(last)*b.Width], v.Bytes())
}

// LaneTranspose implements kernels.LaneOps.
func (d laneJudge) LaneTranspose(s kernels.Stream, v entry.Variant, t kernels.LaneTranspose) error {
	x, to := &transfer{s: s}, make(matrix, t.Width*t.Side*t.Edge)
	l, sources := lanes{width: t.Width, rows: x.rest(t.Lanes, v.Bytes())}, x.sources(t.Sources, t.Width)
	for c, row := range x.in(t.Columns, t.Side*t.Edge, wordBytes) {
		for i := range t.Width {
			at := &to[((i/t.Edge*t.Side+c/t.Edge)*t.Edge+i%t.Edge)*t.Edge+c%t.Edge]
			switch {
			case int32(row) < 0:
				*at = v.Unreachable()
			case sources == nil || sources[i] != row:
				*at = l.row(int(row))[i]
			}
		}
	}
	return x.out(t.Dst, to, v.Bytes())
}

// Checksums implements kernels.LaneOps.
func (d laneJudge) Checksums(s kernels.Stream, dst, src kernels.Tile, bytes int64, count int) error {
	x, sums := &transfer{s: s}, make(matrix, count)
	blocks := x.in(src, int(bytes)*count, 1).pack(1)
	for i := range sums {
		sums[i] = uint64(crc32.Checksum(blocks[i*int(bytes):][:bytes], crc32.MakeTable(crc32.Castagnoli)))
	}
	return x.out(dst, sums, wordBytes)
}

// LaneSums implements kernels.LaneOps.
func (d laneJudge) LaneSums(s kernels.Stream, v entry.Variant, l kernels.LaneSums) error {
	x := &transfer{s: s}
	rows, names := x.in(l.Lanes, l.Rows*l.Width, v.Bytes()), x.in(l.Names, l.Rows, wordBytes)
	words := make([]uint64, (l.Width+l.Rows)*kernels.LaneSumBytes/8)
	sums := kernels.LaneSumsIn(entry.Bytes(words))
	byLane, byRow := sums[:l.Width], sums[l.Width:]
	for i := range byLane {
		byLane[i].Farthest = -1
	}
	for at, bits := range rows {
		i, lane, d := at/l.Width, at%l.Width, v.Kind().Value(bits)
		AddTo(&byLane[lane], v, d, int32(names[i]))
		if lane < l.Count {
			AddTo(&byRow[i], v, d, 0)
		}
	}
	for i := range byRow {
		byRow[i].Top, byRow[i].Farthest = 0, -1
	}
	split := l.Width * kernels.LaneSumBytes / 8
	err := x.out(l.ByLane, words[:split], 8)
	if l.ByRow != (kernels.Tile{}) {
		err = x.out(l.ByRow, words[split:], 8)
	}
	return err
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

// LaneStat implements kernels.LaneStats.
func (d laneJudge) LaneStat(s kernels.Stream, v entry.Variant, l kernels.LaneRows, q kernels.LaneQuestion) error {
	x := &transfer{s: s}
	rows, names := numbers(v, x.in(l.Lanes, l.Rows*l.Width, v.Bytes())), x.in(l.Names, l.Rows, wordBytes)
	edges, answer := numbers(v, unpack(q.Data(), v.Bytes())), q.Room(v, l.Width, l.Rows).Answer
	memory := entry.Bytes(make([]uint64, entry.CeilDiv(answer, 8)))
	below, bins, near := entry.View[int32](memory), entry.View[int64](memory), kernels.LaneNearIn(memory)
	for lane := range l.Count {
		at := func(row int) float64 { return rows[row*l.Width+lane] }
		var reached []int
		for row := range names {
			if !math.IsInf(at(row), 1) {
				reached = append(reached, row)
			}
		}
		switch q := q.(type) {
		case kernels.LaneBelow:
			for j, edge := range edges {
				for _, row := range reached {
					if at(row) < edge {
						below[j*l.Width+lane]++
					}
				}
			}
		case kernels.LaneBins:
			for _, row := range reached {
				bins[sort.Search(len(edges), func(i int) bool { return at(row) < edges[i] })]++
			}
		case kernels.LaneNearest:
			slices.SortFunc(reached, func(i, j int) int {
				return cmp.Or(cmp.Compare(at(i), at(j)), cmp.Compare(names[i], names[j]))
			})
			for i := range q.K {
				to := &near[i*l.Width+lane]
				if to.Name = -1; i < len(reached) {
					to.Distance, to.Name = v.Kind().Wide().Bits(at(reached[i])), int32(names[reached[i]])
				}
			}
		}
	}
	return x.out(l.Memory, unpack(memory[:answer], 1), 1)
}

// ArcProduct implements kernels.LaneOps.
func (d laneJudge) ArcProduct(s kernels.Stream, v entry.Variant, p kernels.ArcProduct) error {
	x := &transfer{s: s}
	to := x.in(p.Dst, p.Edge*p.Edge, v.Bytes())
	offsets, offsets2 := x.in(p.Offsets, p.Edge+1, wordBytes), x.rest(p.Offsets2, wordBytes)
	ends, ends2 := x.rest(p.Ends, wordBytes), x.rest(p.Ends2, wordBytes)
	weights, weights2 := x.rest(p.Weights, v.WeightBytes()), x.rest(p.Weights2, v.WeightBytes())
	for i := range p.Edge {
		row := to[i*p.Edge:][:p.Edge]
		if p.Fresh {
			entry.Fill(row, v.Unreachable())
			row[i] = 0
		}
		for k := offsets[i]; k < offsets[i+1]; k++ {
			for m := offsets2[ends[k]]; m < offsets2[ends[k]+1]; m++ {
				if y := ends2[m]; int(y) < p.Edge {
					lowerAll(v, row[y:y+1], matrix{weights2[m]}, weights[k])
				}
			}
		}
	}
	return x.out(p.Dst, to, v.Bytes())
}
