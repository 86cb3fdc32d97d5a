package conformance

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"ooc/kernels"
	"ooc/kernels/entry"
)

func (b *bench) laneOps(d kernels.LaneOps) {
	for _, v := range entry.Variants {
		b.Run(v.String(), func(t *testing.T) {
			for range draws(15) {
				b.with(t).levels(d, v)
				b.with(t).laneProduct(d, v)
				b.with(t).laneTranspose(d, v)
				b.with(t).laneBlocks(d, v)
				b.with(t).laneSums(d, v)
			}
		})
	}
	b.Run("Checksums", func(t *testing.T) { b.with(t).checksums(d) })
	b.Run("BadOperands", func(t *testing.T) { b.with(t).badLevels(d) })
}

// lanes is rows of lanes in host memory, with the arcs between them.
type lanes struct {
	width                  int
	rows                   matrix
	offsets, ends, weights matrix
	sources                matrix // nil: none
}

func (l *lanes) row(i int) matrix { return l.rows[i*l.width : (i+1)*l.width] }

// level is the judge of kernels.Level.
func (l *lanes) level(v entry.Variant, fresh bool, ranges []kernels.LevelRange) {
	for _, r := range ranges {
		for row := int(r.Lo); row < int(r.Hi); row++ {
			to := l.row(row)
			if fresh {
				entry.Fill(to, v.Unreachable())
			}
			for k := l.offsets[row]; k < l.offsets[row+1]; k++ {
				lowerAll(v, to, l.row(int(l.ends[k])), l.weights[k])
			}
			for i := range l.sources {
				if int(int32(l.sources[i])) == row {
					to[i] = 0
				}
			}
		}
	}
}

// transposed is the judge of kernels.LaneTranspose.
func (l *lanes) transposed(v entry.Variant, edge, side int, columns matrix) matrix {
	to := make(matrix, l.width*side*edge)
	for c := range side * edge {
		row := int(int32(columns[c]))
		for i := range l.width {
			x := v.Unreachable()
			if row >= 0 {
				x = l.row(row)[i]
			}
			if row >= 0 && l.sources != nil && int(int32(l.sources[i])) == row {
				x = 0
			}
			to[((i/edge*side+c/edge)*edge+i%edge)*edge+c%edge] = x
		}
	}
	return to
}

// laneTimes is the judge of kernels.LaneProduct.
func laneTimes(v entry.Variant, from, weights matrix, edge, width int) matrix {
	to := make(matrix, edge*width)
	entry.Fill(to, v.Unreachable())
	for at, w := range weights {
		lowerAll(v, to[at/edge*width:][:width], from[at%edge*width:], w)
	}
	return to
}

// laneBlocks is kernels.LaneBlocks in host memory.
type laneBlocks struct {
	width   int
	rows    matrix
	blocks  []kernels.LaneBlock
	terms   []kernels.LaneTerm
	weights matrix
	fresh   bool
}

func (p *laneBlocks) row(i int32) matrix { return p.rows[int(i)*p.width:][:p.width] }

// run is the judge of kernels.LaneBlocks.
func (p *laneBlocks) run(v entry.Variant) {
	for _, b := range p.blocks {
		for i := range b.Rows {
			to := p.row(b.Row + i)
			if p.fresh {
				entry.Fill(to, v.Unreachable())
			}
			for _, t := range p.terms[b.First:][:b.Terms] {
				lowerAll(v, to, p.row(t.Row), p.weights[int(t.Weights+b.Shift)*kernels.LaneWeightUnit+int(i)])
			}
		}
	}
}

// newLanes makes some levels of rows, with arcs to rows of levels before, or of none. Lowest first: the first range
// is that of the first level.
func (b *bench) newLanes(v entry.Variant) (*lanes, []kernels.LevelRange) {
	l := &lanes{width: kernels.DeviceLaneUnit * (1 + b.IntN(5)), offsets: matrix{0}}
	var ranges []kernels.LevelRange
	rows := 1 + b.IntN(20) // of no level
	for range rows {
		l.offsets = append(l.offsets, 0)
	}
	for range b.IntN(8) {
		r := kernels.LevelRange{Lo: int32(rows), Hi: int32(rows + b.IntN(40))}
		most := 1 + b.IntN([]int{4, 40, 400}[b.IntN(3)])
		for range r.Hi - r.Lo {
			degree := b.IntN(most)
			for range degree {
				l.ends, l.weights = append(l.ends, uint64(b.IntN(rows))), append(l.weights, b.randomEntry(v, false))
			}
			l.offsets = append(l.offsets, uint64(len(l.ends)))
			r.Degree = max(r.Degree, int32(degree))
		}
		rows = int(r.Hi)
		ranges = append(ranges, r)
	}
	l.rows = b.entries(v, rows*l.width, true)
	if b.IntN(2) == 0 {
		l.sources = make(matrix, l.width)
		for i := range l.sources {
			l.sources[i] = uint64(uint32(b.IntN(rows+1) - 1))
		}
	}
	return l, ranges
}

// uploaded copies entries to the device, nil to nowhere.
func (b *bench) uploaded(m matrix) (t kernels.Tile) {
	if m != nil {
		t = b.upload(m)
	}
	return t
}

func (b *bench) levels(d kernels.LaneOps, v entry.Variant) {
	l, ranges := b.newLanes(v)
	k := kernels.Level{Lanes: b.uploadAs(l.rows, v.Bytes()), Width: l.width, Offsets: b.upload(l.offsets), Ends: b.upload(l.ends), Weights: b.uploadAs(l.weights, v.WeightBytes()),
		Sources: b.uploaded(l.sources), Fresh: b.IntN(2) == 0, Ranges: ranges}
	l.level(v, k.Fresh, ranges)
	b.done(d.Level(b.stream, v, k))
	b.same(v, fmt.Sprintf("%d levels of %d rows, %d lanes, fresh %t, sources %t", len(ranges), len(l.rows)/l.width, l.width, k.Fresh, l.sources != nil),
		b.downloadAs(k.Lanes, len(l.rows), v.Bytes()), l.rows)
}

func (b *bench) laneProduct(d kernels.LaneOps, v entry.Variant) {
	edge, width := kernels.DeviceLaneUnit*(1+b.IntN(2)), kernels.DeviceLaneUnit*(1+b.IntN(4))
	size := v.Bytes()
	from, weights, to := b.entries(v, edge*width, true), b.entries(v, edge*edge, true), b.garbage(edge*width, size)
	p := kernels.LaneProduct{Dst: b.uploadAs(to, size), Src: b.uploadAs(from, size), Width: width, Weights: b.uploadAs(weights, size), Edge: edge}
	b.done(d.LaneProduct(b.stream, v, p))
	b.same(v, fmt.Sprintf("product of %d rows of %d lanes", edge, width), b.downloadAs(p.Dst, len(to), size), laneTimes(v, from, weights, edge, width))
}

// laneBlocks draws blocks of few and many rows and terms, with gaps between them, after the rows that are terms.
func (b *bench) laneBlocks(d kernels.LaneOps, v entry.Variant) {
	p, from := &laneBlocks{width: kernels.DeviceLaneUnit * (1 + b.IntN(5)), fresh: b.IntN(2) == 0}, 1+b.IntN(60)
	rows := from
	for range b.IntN(8) {
		block := kernels.LaneBlock{Row: int32(rows + b.IntN(3)), Rows: int32(b.IntN([]int{3, 40, 150}[b.IntN(3)])),
			First: int32(len(p.terms)), Terms: int32(b.IntN([]int{3, 17, 70}[b.IntN(3)])), Shift: int32(b.IntN(3))}
		for range block.Terms {
			p.terms = append(p.terms, kernels.LaneTerm{Row: int32(b.IntN(from)), Weights: int32(len(p.weights) / kernels.LaneWeightUnit)})
			rows := entry.RoundUp(int(block.Rows), kernels.LaneWeightUnit) + int(block.Shift)*kernels.LaneWeightUnit
			p.weights = append(p.weights, b.entries(v, rows, true)...)
		}
		p.blocks = append(p.blocks, block)
		rows = int(block.Row + block.Rows)
	}
	p.rows = b.entries(v, rows*p.width, true)
	size := v.Bytes()
	k := kernels.LaneBlocks{Lanes: b.uploadAs(p.rows, size), Width: p.width, Blocks: b.upload(blockWords(p.blocks)), Count: len(p.blocks), Terms: b.upload(termWords(p.terms)),
		Weights: b.uploadAs(append(slices.Clone(p.weights), make(matrix, kernels.LaneSlack)...), size), Fresh: p.fresh}
	p.run(v)
	b.done(d.LaneBlocks(b.stream, v, k))
	b.same(v, fmt.Sprintf("%d blocks of %d rows in all and %d terms, %d lanes, fresh %t", len(p.blocks), rows-from, len(p.terms), p.width, p.fresh),
		b.downloadAs(k.Lanes, len(p.rows), size), p.rows)
}

// blockWords are the fields of blocks as they lie in memory, and termWords those of terms. Neither is empty.
func blockWords(list []kernels.LaneBlock) (m matrix) {
	for _, b := range append(slices.Clone(list), kernels.LaneBlock{}) {
		m = append(m, uint64(uint32(b.Row)), uint64(uint32(b.Rows)), uint64(uint32(b.First)), uint64(uint32(b.Terms)), uint64(uint32(b.Shift)))
	}
	return m
}

func termWords(list []kernels.LaneTerm) (m matrix) {
	for _, t := range append(slices.Clone(list), kernels.LaneTerm{}) {
		m = append(m, uint64(uint32(t.Row)), uint64(uint32(t.Weights)))
	}
	return m
}

func (b *bench) laneTranspose(d kernels.LaneOps, v entry.Variant) {
	l, _ := b.newLanes(v)
	edge, side := kernels.DeviceLaneUnit, 1+b.IntN(4)
	if l.width%128 == 0 && b.IntN(2) == 0 {
		edge = 128
	}
	columns := make(matrix, side*edge)
	for i := range columns {
		columns[i] = uint64(uint32(b.IntN(len(l.rows)/l.width+1) - 1))
	}
	size := v.Bytes()
	to := b.garbage(l.width*side*edge, size)
	t := kernels.LaneTranspose{Dst: b.uploadAs(to, size), Edge: edge, Side: side, Lanes: b.uploadAs(l.rows, size), Width: l.width, Columns: b.upload(columns), Sources: b.uploaded(l.sources)}
	b.done(d.LaneTranspose(b.stream, v, t))
	b.same(v, fmt.Sprintf("transposition of %d lanes to %d tiles of edge %d", l.width, side, edge), b.downloadAs(t.Dst, len(to), size), l.transposed(v, edge, side, columns))
}

// checksums wants the checksums that hash/crc32 finds, and nothing else written.
func (b *bench) checksums(d kernels.LaneOps) {
	for draw := range draws(12) {
		edge, count := kernels.DeviceLaneUnit*(1+b.IntN(3)), b.IntN(40)
		if draw == 0 && everything() { // more than there are blocks of threads
			edge, count = kernels.DeviceLaneUnit, 2100+b.IntN(500)
		}
		blocks, to := b.garbage(edge*edge*count, wordBytes), b.garbage(count+3, wordBytes)
		want := slices.Clone(to)
		for i := range count {
			want[i] = uint64(crc32.Checksum(blocks[i*edge*edge:][:edge*edge].pack(wordBytes), crc32.MakeTable(crc32.Castagnoli)))
		}
		src, dst := b.upload(append(blocks, to...)), b.upload(to) // no buffer is empty
		err := d.Checksums(b.stream, dst, src, int64(edge*edge*wordBytes), count)
		// Where a test has memory in many small pieces, there are too many.
		if draw == 0 && errors.Is(err, kernels.ErrNoMemory) {
			continue
		}
		b.done(err)
		b.same(entry.I32, fmt.Sprintf("checksums of %d tiles of edge %d", count, edge), b.download(dst, len(to)), want)
	}
	tile := b.upload(make(matrix, 64*64))
	for name, err := range map[string]error{
		"no memory":    d.Checksums(b.stream, kernels.Tile{}, tile, 64*64*4, 1),
		"past the end": d.Checksums(b.stream, b.upload(make(matrix, 2)), tile, 64*64*4, 2),
		"odd size":     d.Checksums(b.stream, b.upload(make(matrix, 2)), tile, 64*32, 1),
	} {
		if err == nil {
			b.Errorf("Checksums, %s: not refused", name)
		}
	}
	b.must(b.stream.Sync())
}

// refused wants errors of an operation on what was spoiled, and no panic.
func refused[K any](b *bench, what string, good K, operation func(K) error, spoiled map[string]func(k *K)) {
	b.Helper()
	for name, spoil := range spoiled {
		k := good
		if spoil(&k); operation(k) == nil {
			b.Errorf("%s, %s: not refused", what, name)
		}
	}
	b.must(b.stream.Sync())
}

// badLevels wants operands that are not there to be refused.
func (b *bench) badLevels(d kernels.LaneOps) {
	const edge, end = 64, 64 * 64 * wordBytes
	t, out := b.upload(make(matrix, edge*edge)), b.upload(make(matrix, edge*edge))
	type ranges = []kernels.LevelRange
	refused(b, "Level", kernels.Level{Lanes: t, Width: edge, Offsets: t, Ends: t, Weights: t, Ranges: ranges{{Hi: 2}}},
		func(k kernels.Level) error { return d.Level(b.stream, entry.I32, k) }, map[string]func(k *kernels.Level){
			"odd width":     func(k *kernels.Level) { k.Width = 60 },
			"no memory":     func(k *kernels.Level) { k.Lanes.Buf = nil },
			"past the end":  func(k *kernels.Level) { k.Ranges = ranges{{Hi: 65}} },
			"no alignment":  func(k *kernels.Level) { k.Lanes.Off = 4 },
			"before 0":      func(k *kernels.Level) { k.Ranges = ranges{{Lo: -1, Hi: 2}} },
			"odd offset":    func(k *kernels.Level) { k.Offsets.Off = 2 },
			"upside down":   func(k *kernels.Level) { k.Ranges = ranges{{Lo: 3, Hi: 2}} },
			"short sources": func(k *kernels.Level) { k.Sources = kernels.Tile{Buf: t.Buf, Off: end - 64} },
		})
	refused(b, "LaneProduct", kernels.LaneProduct{Dst: out, Src: t, Width: edge, Weights: t, Edge: edge},
		func(k kernels.LaneProduct) error { return d.LaneProduct(b.stream, entry.I32, k) }, map[string]func(k *kernels.LaneProduct){
			"odd width":    func(k *kernels.LaneProduct) { k.Width = 60 },
			"no width":     func(k *kernels.LaneProduct) { k.Width = 0 },
			"no memory":    func(k *kernels.LaneProduct) { k.Src.Buf = nil },
			"past the end": func(k *kernels.LaneProduct) { k.Width = 128 },
			"no alignment": func(k *kernels.LaneProduct) { k.Dst.Off = 4 },
			"odd edge":     func(k *kernels.LaneProduct) { k.Edge = 32 },
			"odd offset":   func(k *kernels.LaneProduct) { k.Weights.Off = 2 },
			"in place":     func(k *kernels.LaneProduct) { k.Src = k.Dst },
		})
	refused(b, "LaneTranspose", kernels.LaneTranspose{Dst: out, Edge: edge, Side: 1, Lanes: t, Width: edge, Columns: t},
		func(k kernels.LaneTranspose) error { return d.LaneTranspose(b.stream, entry.I32, k) }, map[string]func(k *kernels.LaneTranspose){
			"odd width":     func(k *kernels.LaneTranspose) { k.Width = 60 },
			"no memory":     func(k *kernels.LaneTranspose) { k.Lanes.Buf = nil },
			"past the end":  func(k *kernels.LaneTranspose) { k.Side = 2 },
			"no alignment":  func(k *kernels.LaneTranspose) { k.Columns.Off = 4 },
			"odd edge":      func(k *kernels.LaneTranspose) { k.Edge = 32 },
			"odd offset":    func(k *kernels.LaneTranspose) { k.Dst.Off = 2 },
			"no side":       func(k *kernels.LaneTranspose) { k.Side = 0 },
			"short sources": func(k *kernels.LaneTranspose) { k.Sources = kernels.Tile{Buf: t.Buf, Off: end - 64} },
		})
	refused(b, "LaneBlocks", kernels.LaneBlocks{Lanes: out, Width: edge, Blocks: t, Terms: t, Weights: t, Count: 1},
		func(k kernels.LaneBlocks) error { return d.LaneBlocks(b.stream, entry.I32, k) }, map[string]func(k *kernels.LaneBlocks){
			"odd width":    func(k *kernels.LaneBlocks) { k.Width = 60 },
			"no memory":    func(k *kernels.LaneBlocks) { k.Lanes.Buf = nil },
			"past the end": func(k *kernels.LaneBlocks) { k.Count = edge*edge/5 + 1 },
			"no alignment": func(k *kernels.LaneBlocks) { k.Weights.Off = 4 },
			"no slack":     func(k *kernels.LaneBlocks) { k.Weights.Off = end - 64 },
			"fewer than 0": func(k *kernels.LaneBlocks) { k.Count = -1 },
		})
	refused(b, "LaneSums", kernels.LaneSums{Lanes: out, Width: edge, Rows: 8, Names: t, ByLane: t, ByRow: t, Count: edge},
		func(k kernels.LaneSums) error { return d.LaneSums(b.stream, entry.I32, k) }, map[string]func(k *kernels.LaneSums){
			"odd width":    func(k *kernels.LaneSums) { k.Width = 60 },
			"no memory":    func(k *kernels.LaneSums) { k.Lanes.Buf = nil },
			"past the end": func(k *kernels.LaneSums) { k.Rows = 65 },
			"no room":      func(k *kernels.LaneSums) { k.ByLane.Off = end - 64 },
			"no alignment": func(k *kernels.LaneSums) { k.ByRow.Off = 4 },
			"more lanes":   func(k *kernels.LaneSums) { k.Count = 65 },
			"fewer than 0": func(k *kernels.LaneSums) { k.Rows = -1 },
		})
}

// WithLaneOps returns the device with the judge's kernels.LaneOps: operands are copied to the host, and
// results back. So what is built on them can be tested on any device.
func WithLaneOps(d kernels.Device) kernels.Device { return plainLaneOps{d} }

type plainLaneOps struct{ kernels.Device }

// Unwrap gives the device, for kernels.As.
func (d plainLaneOps) Unwrap() kernels.Device { return d.Device }

// transfer copies between host and device, and remembers the first error.
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

// Level implements kernels.LaneOps.
func (d plainLaneOps) Level(s kernels.Stream, v entry.Variant, l kernels.Level) error {
	x, rows := &transfer{s: s}, 0
	for _, r := range l.Ranges {
		rows = max(rows, int(r.Hi))
	}
	p := lanes{width: l.Width, offsets: x.in(l.Offsets, rows+1, wordBytes), sources: x.sources(l.Sources, l.Width)}
	p.ends, p.weights = x.in(l.Ends, int(p.offsets[rows]), wordBytes), x.in(l.Weights, int(p.offsets[rows]), v.WeightBytes())
	for _, end := range p.ends {
		rows = max(rows, int(end)+1)
	}
	if p.rows = x.in(l.Lanes, rows*l.Width, v.Bytes()); x.err == nil {
		p.level(v, l.Fresh, l.Ranges)
	}
	return x.out(l.Lanes, p.rows, v.Bytes())
}

// LaneProduct implements kernels.LaneOps.
func (d plainLaneOps) LaneProduct(s kernels.Stream, v entry.Variant, p kernels.LaneProduct) error {
	x := &transfer{s: s}
	from, weights := x.in(p.Src, p.Edge*p.Width, v.Bytes()), x.in(p.Weights, p.Edge*p.Edge, v.Bytes())
	return x.out(p.Dst, laneTimes(v, from, weights, p.Edge, p.Width), v.Bytes())
}

// LaneBlocks implements kernels.LaneOps.
func (d plainLaneOps) LaneBlocks(s kernels.Stream, v entry.Variant, b kernels.LaneBlocks) error {
	x, p := &transfer{s: s}, laneBlocks{width: b.Width, fresh: b.Fresh}
	rows, terms, weights := 0, 0, 0
	for f := range slices.Chunk(x.in(b.Blocks, 5*b.Count, wordBytes), 5) {
		p.blocks = append(p.blocks, kernels.LaneBlock{Row: int32(f[0]), Rows: int32(f[1]), First: int32(f[2]), Terms: int32(f[3]), Shift: int32(f[4])})
		rows, terms = max(rows, int(f[0]+f[1])), max(terms, int(f[2]+f[3]))
	}
	for f := range slices.Chunk(x.in(b.Terms, 2*terms, wordBytes), 2) {
		p.terms = append(p.terms, kernels.LaneTerm{Row: int32(f[0]), Weights: int32(f[1])})
		rows = max(rows, int(f[0])+1)
	}
	for _, block := range p.blocks {
		for _, t := range p.terms[block.First:][:block.Terms] {
			weights = max(weights, int(t.Weights+block.Shift)*kernels.LaneWeightUnit+int(block.Rows))
		}
	}
	p.rows, p.weights = x.in(b.Lanes, rows*b.Width, v.Bytes()), x.in(b.Weights, weights, v.Bytes())
	if x.err == nil {
		p.run(v)
	}
	return x.out(b.Lanes, p.rows, v.Bytes())
}

// LaneTranspose implements kernels.LaneOps.
func (d plainLaneOps) LaneTranspose(s kernels.Stream, v entry.Variant, t kernels.LaneTranspose) error {
	x, rows := &transfer{s: s}, 0
	columns := x.in(t.Columns, t.Side*t.Edge, wordBytes)
	for _, row := range columns {
		rows = max(rows, int(int32(row))+1)
	}
	p := lanes{width: t.Width, rows: x.in(t.Lanes, rows*t.Width, v.Bytes()), sources: x.sources(t.Sources, t.Width)}
	if x.err != nil {
		return x.err
	}
	return x.out(t.Dst, p.transposed(v, t.Edge, t.Side, columns), v.Bytes())
}

// Checksums implements kernels.LaneOps.
func (d plainLaneOps) Checksums(s kernels.Stream, dst, src kernels.Tile, bytes int64, count int) error {
	x, sums := &transfer{s: s}, make(matrix, count)
	blocks := x.in(src, int(bytes)*count, 1).pack(1)
	for i := range sums {
		sums[i] = uint64(crc32.Checksum(blocks[i*int(bytes):][:bytes], crc32.MakeTable(crc32.Castagnoli)))
	}
	return x.out(dst, sums, wordBytes)
}
