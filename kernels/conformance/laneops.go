package conformance

import (
	"errors"
	"fmt"
	"math"
	"reflect"
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

// judged wants of an operation what the judge makes of it: n words of the same size, from some tile on. The operation
// is told where they are to be; what is there before may take part.
func (b *bench) judged(d kernels.LaneOps, v entry.Variant, what string, out kernels.Tile, n, size int, operation func(d kernels.LaneOps, out kernels.Tile) error) {
	b.Helper()
	want := b.uploadAs(b.downloadAs(out, n, size), size)
	b.done(operation(laneJudge{b.device}, want))
	b.done(operation(d, out))
	b.same(v, what, b.downloadAs(out, n, size), b.downloadAs(want, n, size))
}

// newLanes makes some levels of rows, with arcs to rows of levels before, or of none. Lowest first: the first range
// is that of the first level.
func (b *bench) newLanes(v entry.Variant, width int, unreachable bool) (*lanes, []kernels.LevelRange) {
	l := &lanes{width: width, offsets: matrix{0}}
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
				l.ends = append(l.ends, uint64(b.IntN(rows)))
				l.weights = append(l.weights, b.randomEntry(v, unreachable && b.IntN(8) == 0))
			}
			l.offsets = append(l.offsets, uint64(len(l.ends)))
			r.Degree = max(r.Degree, int32(degree))
		}
		rows = int(r.Hi)
		ranges = append(ranges, r)
	}
	l.rows = b.entries(v, rows*l.width, true)
	return l, ranges
}

// deviceWidth draws a number of lanes in device memory.
func (b *bench) deviceWidth() int { return kernels.DeviceLaneUnit * (1 + b.IntN(5)) }

// someRows draws rows, or -1 for none.
func (b *bench) someRows(n, rows int) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = uint64(uint32(b.IntN(rows+1) - 1))
	}
	return m
}

// sources draws a row for each lane, or the zero Tile.
func (b *bench) sources(width, rows int) (t kernels.Tile) {
	if b.IntN(2) == 0 {
		t = b.upload(b.someRows(width, rows))
	}
	return t
}

func (b *bench) levels(d kernels.LaneOps, v entry.Variant) {
	l, ranges := b.newLanes(v, b.deviceWidth(), false)
	rows := len(l.offsets) - 1
	k := kernels.Level{Lanes: b.uploadAs(l.rows, v.Bytes()), Width: l.width, Offsets: b.upload(l.offsets), Ends: b.upload(l.ends),
		Weights: b.uploadAs(l.weights, v.WeightBytes()), Sources: b.sources(l.width, rows), Fresh: b.IntN(2) == 0, Ranges: ranges}
	what := fmt.Sprintf("%d levels of %d rows, %d lanes, fresh %t, sources %t", len(ranges), rows, l.width, k.Fresh, k.Sources.Buf != nil)
	b.judged(d, v, what, k.Lanes, len(l.rows), v.Bytes(), func(d kernels.LaneOps, out kernels.Tile) error {
		k.Lanes = out
		return d.Level(b.stream, v, k)
	})
}

func (b *bench) laneProduct(d kernels.LaneOps, v entry.Variant) {
	edge, width, size := kernels.DeviceLaneUnit*(1+b.IntN(2)), kernels.DeviceLaneUnit*(1+b.IntN(4)), v.Bytes()
	p := kernels.LaneProduct{Src: b.uploadAs(b.entries(v, edge*width, true), size), Width: width,
		Weights: b.uploadAs(b.entries(v, edge*edge, true), size), Edge: edge}
	to, what := b.uploadAs(b.garbage(edge*width, size), size), fmt.Sprintf("product of %d rows of %d lanes", edge, width)
	b.judged(d, v, what, to, edge*width, size, func(d kernels.LaneOps, out kernels.Tile) error {
		p.Dst = out
		return d.LaneProduct(b.stream, v, p)
	})
}

// laneBlocks draws blocks of few and many rows and terms, with gaps between them, after the rows that are terms.
func (b *bench) laneBlocks(d kernels.LaneOps, v entry.Variant) {
	k, size, from := kernels.LaneBlocks{Width: b.deviceWidth(), Count: b.IntN(8), Fresh: b.IntN(2) == 0}, v.Bytes(), 1+b.IntN(60)
	rows := from
	var blocks, terms, weights matrix
	for range k.Count {
		of, many, shift := b.IntN([]int{3, 40, 150}[b.IntN(3)]), b.IntN([]int{3, 17, 70}[b.IntN(3)]), b.IntN(3)
		rows += b.IntN(3)
		for _, field := range []int{rows, of, len(terms) / 2, many, shift} {
			blocks = append(blocks, uint64(field))
		}
		for range many {
			terms = append(terms, uint64(b.IntN(from)), uint64(len(weights)/kernels.LaneWeightUnit))
			weights = append(weights, b.entries(v, entry.RoundUp(of, kernels.LaneWeightUnit)+shift*kernels.LaneWeightUnit, true)...)
		}
		rows += of
	}
	k.Blocks, k.Terms = b.upload(blocks), b.upload(terms)
	k.Weights = b.uploadAs(append(weights, make(matrix, kernels.LaneSlack)...), size)
	to, what := b.uploadAs(b.entries(v, rows*k.Width, true), size), fmt.Sprintf("%d blocks of %d rows and %d terms, %d lanes, fresh %t", k.Count, rows-from, len(terms)/2, k.Width, k.Fresh)
	b.judged(d, v, what, to, rows*k.Width, size, func(d kernels.LaneOps, out kernels.Tile) error {
		k.Lanes = out
		return d.LaneBlocks(b.stream, v, k)
	})
}

func (b *bench) laneTranspose(d kernels.LaneOps, v entry.Variant) {
	rows, size := 1+b.IntN(200), v.Bytes()
	t := kernels.LaneTranspose{Edge: kernels.DeviceLaneUnit, Side: 1 + b.IntN(4), Width: b.deviceWidth()}
	if t.Width%128 == 0 && b.IntN(2) == 0 {
		t.Edge = 128
	}
	t.Lanes, t.Sources = b.uploadAs(b.entries(v, rows*t.Width, true), size), b.sources(t.Width, rows)
	t.Columns = b.upload(b.someRows(t.Side*t.Edge, rows))
	n := t.Width * t.Side * t.Edge
	to, what := b.uploadAs(b.garbage(n, size), size), fmt.Sprintf("transposition of %d lanes to %d tiles of edge %d", t.Width, t.Side, t.Edge)
	b.judged(d, v, what, to, n, size, func(d kernels.LaneOps, out kernels.Tile) error {
		t.Dst = out
		return d.LaneTranspose(b.stream, v, t)
	})
}

// newLaneRows draws few and many rows, whose entries are drawn from few numbers or from many. Some have the same name
// as others have. It also returns some of the numbers.
func (b *bench) newLaneRows(v entry.Variant) (r kernels.LaneRows, few matrix) {
	r.Width, r.Rows = b.deviceWidth(), b.IntN([]int{3, 40, 3 * kernels.LaneSumRows}[b.IntN(3)])
	r.Count = b.IntN(r.Width + 1)
	few, share := append(b.entries(v, 1, false), b.entries(v, b.IntN(40), true)...), []int{0, 1, 20}[b.IntN(3)]
	rows, names := make(matrix, r.Rows*r.Width), make(matrix, r.Rows)
	for i := range names {
		names[i] = uint64(b.IntN(1000))
	}
	for i := range rows {
		if rows[i] = few[b.IntN(len(few))]; b.IntN(21) < share {
			rows[i] = b.randomEntry(v, true)
		}
	}
	r.Lanes, r.Names = b.uploadAs(rows, v.Bytes()), b.upload(names)
	return r, few
}

func (b *bench) laneSums(d kernels.LaneOps, v entry.Variant) {
	r, _ := b.newLaneRows(v)
	k := kernels.LaneSums{Lanes: r.Lanes, Width: r.Width, Rows: r.Rows, Names: r.Names, Count: r.Count}
	room := func(sums int) kernels.Tile { return kernels.Tile{Buf: b.alloc(int64(kernels.LaneSumBytes * sums))} }
	sums := func(d kernels.LaneOps, byRow bool) (list []kernels.LaneSum) {
		k.ByLane, k.ByRow = room(k.Width*(1+entry.CeilDiv(k.Rows, kernels.LaneSumRows))), kernels.Tile{}
		if byRow {
			k.ByRow = room(max(1, k.Rows))
		}
		b.done(d.LaneSums(b.stream, v, k))
		words := b.downloadAs(k.ByLane, k.Width*kernels.LaneSumBytes/8, 8)
		if byRow && k.Rows > 0 {
			words = append(words, b.downloadAs(k.ByRow, k.Rows*kernels.LaneSumBytes/8, 8)...)
		}
		return kernels.LaneSumsIn(entry.Bytes(words))
	}
	byRow := b.IntN(2) == 0
	got, want := sums(d, byRow), sums(laneJudge{b.device}, byRow)
	near := func(x, y, size float64) bool { return x == y || math.Abs(x-y) <= 1e-12*size*float64(k.Rows+k.Width) } // of floats in another order
	for i, w := range want {
		g := got[i]
		same := g.Sum == w.Sum || v.Float() && near(math.Float64frombits(g.Sum), math.Float64frombits(w.Sum), 1e5)
		if !same || !near(g.Inverse, w.Inverse, w.Inverse) || g.Top != w.Top || g.Farthest != w.Farthest || g.Missing != w.Missing {
			b.Fatalf("sums of %d rows of %d lanes: %v number %d is %+v, want %+v", k.Rows, k.Width, v, i, g, w)
		}
	}
}

// checksums wants the checksums that hash/crc32 finds, and nothing else written.
func (b *bench) checksums(d kernels.LaneOps) {
	for draw := range draws(12) {
		edge, count := kernels.DeviceLaneUnit*(1+b.IntN(3)), b.IntN(40)
		if draw == 0 && everything() { // more than there are blocks of threads
			edge, count = kernels.DeviceLaneUnit, 2100+b.IntN(500)
		}
		src, bytes := b.upload(b.garbage(edge*edge*count, wordBytes)), int64(edge*edge*wordBytes)
		dst := b.upload(b.garbage(count+3, wordBytes))
		// Where a test has memory in many small pieces, there are too many.
		if err := d.Checksums(b.stream, b.upload(make(matrix, count)), src, bytes, count); draw == 0 && errors.Is(err, kernels.ErrNoMemory) {
			continue
		}
		b.judged(d, entry.I32, fmt.Sprintf("checksums of %d tiles of edge %d", count, edge), dst, count+3, wordBytes, func(d kernels.LaneOps, out kernels.Tile) error {
			return d.Checksums(b.stream, out, src, bytes, count)
		})
	}
	tile, two := b.upload(make(matrix, 64*64)), b.upload(make(matrix, 2))
	b.wantErrors(map[string]error{
		"checksums nowhere":           d.Checksums(b.stream, kernels.Tile{}, tile, 64*64*4, 1),
		"checksums past the end":      d.Checksums(b.stream, two, tile, 64*64*4, 2),
		"checksums of half of a tile": d.Checksums(b.stream, two, tile, 64*32, 1),
	})
}

// wantErrors wants operations to be refused, of which these are the errors by name.
func (b *bench) wantErrors(of map[string]error) {
	b.Helper()
	for what, err := range of {
		if err == nil {
			b.Errorf("%s: no error", what)
		}
	}
	b.must(b.stream.Sync())
}

// refused wants errors of an operation on operands that are spoiled one by one, and no panic. A tile is nowhere, at an
// odd place, or has room for 64 bytes: of those in loose only their content says how long they are. A number is less
// than 0, wrong or too large. Fields that are zero stay.
func refused[K any](b *bench, good K, operation func(K) error, loose ...string) {
	b.Helper()
	b.done(operation(good))
	results := map[string]error{}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[K]()) {
		spoil := func(x any) {
			k := good
			reflect.ValueOf(&k).Elem().Field(i).Set(reflect.ValueOf(x))
			results[fmt.Sprintf("%T with %s %v", k, field.Name, x)] = operation(k)
		}
		switch x := reflect.ValueOf(good).Field(i).Interface().(type) {
		case kernels.Tile:
			if x.Buf == nil {
				break
			}
			for _, off := range []int64{2, 4, x.Buf.Bytes() - 64} {
				if off < 64 || !slices.Contains(loose, field.Name) {
					spoil(kernels.Tile{Buf: x.Buf, Off: off})
				}
			}
			spoil(kernels.Tile{Off: 64})
		case int:
			wrong := []int{-1, 0, 32, 1 << 15}
			if field.Name == "Rows" || field.Name == "Count" {
				wrong = []int{-1, 1000}
			}
			for _, n := range wrong {
				spoil(n)
			}
		}
	}
	b.wantErrors(results)
}

// badLevels wants operands that are not there to be refused.
func (b *bench) badLevels(d kernels.LaneOps) {
	const edge, v = 64, entry.I32
	t, out := b.upload(make(matrix, edge*edge)), b.upload(make(matrix, edge*edge))
	level := kernels.Level{Lanes: out, Width: edge, Offsets: t, Ends: t, Weights: t, Sources: t, Ranges: []kernels.LevelRange{{Hi: 20}}}
	refused(b, level, func(k kernels.Level) error { return d.Level(b.stream, v, k) }, "Ends", "Weights")
	product := kernels.LaneProduct{Dst: out, Src: t, Width: edge, Weights: t, Edge: edge}
	refused(b, product, func(k kernels.LaneProduct) error { return d.LaneProduct(b.stream, v, k) })
	refused(b, kernels.LaneTranspose{Dst: out, Edge: edge, Side: 1, Lanes: t, Width: edge, Columns: t, Sources: t},
		func(k kernels.LaneTranspose) error { return d.LaneTranspose(b.stream, v, k) }, "Lanes")
	refused(b, kernels.LaneBlocks{Lanes: out, Width: edge, Blocks: t, Terms: t, Weights: t, Count: 4},
		func(k kernels.LaneBlocks) error { return d.LaneBlocks(b.stream, v, k) }, "Terms")
	refused(b, kernels.LaneSums{Lanes: t, Width: edge, Rows: 20, Names: t, ByLane: out, ByRow: b.upload(make(matrix, edge*edge)), Count: edge},
		func(k kernels.LaneSums) error { return d.LaneSums(b.stream, v, k) })
	results := map[string]error{}
	for _, r := range []kernels.LevelRange{{Hi: 65}, {Lo: -1, Hi: 2}, {Lo: 3, Hi: 2}} {
		level.Ranges = []kernels.LevelRange{r}
		results[fmt.Sprintf("level of %+v", r)] = d.Level(b.stream, v, level)
	}
	product.Src = product.Dst
	results["product in place"] = d.LaneProduct(b.stream, v, product)
	b.wantErrors(results)
}
