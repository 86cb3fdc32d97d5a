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
				b.with(t).arcProduct(d, v)
			}
		})
	}
	b.Run("Checksums", func(t *testing.T) { b.with(t).checksums(d) })
	b.Run("BadOperands", func(t *testing.T) { b.with(t).badLevels(d) })
}

// laneOperation is a method of a group, such as kernels.LaneOps, which takes an operation as a struct.
type laneOperation[D, K any] = func(d D, s kernels.Stream, v entry.Variant, k K) error

// judged wants of an operation what the judge makes of it: words of the same size in the buffer of out, a tile in k.
// What is there before may take part.
func judged[K any](b *bench, d kernels.LaneOps, v entry.Variant, k *K, out *kernels.Tile, size int,
	operation laneOperation[kernels.LaneOps, K]) {
	b.Helper()
	n := int(out.Buf.Bytes()) / size
	at, want := *out, b.uploadAs(b.downloadAs(*out, n, size), size)
	b.done(operation(d, b.stream, v, *k))
	*out = want
	b.done(operation(laneJudge{b.device}, b.stream, v, *k))
	b.same(v, fmt.Sprintf("%T %+v", *k, *k), b.downloadAs(at, n, size), b.downloadAs(want, n, size))
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
				l.weights = append(l.weights, b.randomEntry(v, many, unreachable && b.IntN(8) == 0))
			}
			l.offsets = append(l.offsets, uint64(len(l.ends)))
			r.Degree = max(r.Degree, int32(degree))
		}
		rows = int(r.Hi)
		ranges = append(ranges, r)
	}
	l.rows = b.entries(v, rows*l.width, many, true)
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
	k := kernels.Level{Lanes: b.uploadAs(l.rows, v.Bytes()), Width: l.width, Offsets: b.upload(l.offsets),
		Ends: b.upload(l.ends), Weights: b.uploadAs(l.weights, v.WeightBytes()),
		Sources: b.sources(l.width, len(l.offsets)-1), Fresh: b.IntN(2) == 0, Ranges: ranges}
	judged(b, d, v, &k, &k.Lanes, v.Bytes(), kernels.LaneOps.Level)
}

func (b *bench) laneProduct(d kernels.LaneOps, v entry.Variant) {
	k := kernels.LaneProduct{Width: b.deviceWidth(), Edge: kernels.DeviceLaneUnit * (1 + b.IntN(2))}
	n, size := k.Edge*k.Width, v.Bytes()
	k.Src, k.Dst = b.uploadAs(b.entries(v, n, many, true), size), b.uploadAs(b.garbage(n, size), size)
	k.Weights = b.uploadAs(b.entries(v, k.Edge*k.Edge, many, true), size)
	judged(b, d, v, &k, &k.Dst, size, kernels.LaneOps.LaneProduct)
}

// arcProduct draws lists of few and many arcs; some of the second lead past the matrix.
func (b *bench) arcProduct(d kernels.LaneOps, v entry.Variant) {
	k := kernels.ArcProduct{Edge: b.deviceWidth(), Fresh: b.IntN(2) == 0}
	by, size := 1+b.IntN(300), v.Bytes()
	list := func(rows, ends, most int) (offsets, at, weights kernels.Tile) {
		starts, list, lengths := matrix{0}, matrix{}, matrix{}
		for range rows {
			row := make(matrix, b.IntN(1+b.IntN(most)))
			for i := range row {
				row[i] = uint64(b.IntN(ends))
				lengths = append(lengths, b.randomEntry(v, many, b.IntN(8) == 0))
			}
			slices.Sort(row)
			row = slices.Compact(row)
			list, lengths = append(list, row...), lengths[:len(list)+len(row)]
			starts = append(starts, uint64(len(list)))
		}
		return b.upload(starts), b.upload(list), b.uploadAs(lengths, v.WeightBytes())
	}
	k.Offsets, k.Ends, k.Weights = list(k.Edge, by, 40)
	k.Offsets2, k.Ends2, k.Weights2 = list(by, k.Edge+1+b.IntN(100), 400)
	k.Dst = b.uploadAs(b.entries(v, k.Edge*k.Edge, many, true), size)
	judged(b, d, v, &k, &k.Dst, size, kernels.LaneOps.ArcProduct)
}

// laneBlocks draws blocks of few and many rows and terms, with gaps between them, after the rows that are terms.
func (b *bench) laneBlocks(d kernels.LaneOps, v entry.Variant) {
	k := kernels.LaneBlocks{Width: b.deviceWidth(), Count: b.IntN(8), Fresh: b.IntN(2) == 0}
	from, size := 1+b.IntN(60), v.Bytes()
	rows := from
	var blocks, terms, weights matrix
	for range k.Count {
		rows += b.IntN(3)
		of, count, shift := b.IntN([]int{3, 40, 150}[b.IntN(3)]), b.IntN([]int{3, 17, 70}[b.IntN(3)]), b.IntN(3)
		for _, field := range []int{rows, of, len(terms) / 2, count, shift} {
			blocks = append(blocks, uint64(field))
		}
		for range count {
			terms = append(terms, uint64(b.IntN(from)), uint64(len(weights)/kernels.LaneWeightUnit))
			units := entry.CeilDiv(of, kernels.LaneWeightUnit) + shift
			weights = append(weights, b.entries(v, units*kernels.LaneWeightUnit, many, true)...)
		}
		rows += of
	}
	k.Blocks, k.Terms = b.upload(blocks), b.upload(terms)
	k.Weights = b.uploadAs(append(weights, make(matrix, kernels.LaneSlack)...), size)
	k.Lanes = b.uploadAs(b.entries(v, rows*k.Width, many, true), size)
	judged(b, d, v, &k, &k.Lanes, size, kernels.LaneOps.LaneBlocks)
}

func (b *bench) laneTranspose(d kernels.LaneOps, v entry.Variant) {
	rows, size := 1+b.IntN(200), v.Bytes()
	k := kernels.LaneTranspose{Edge: kernels.DeviceLaneUnit, Side: 1 + b.IntN(4), Width: b.deviceWidth()}
	if k.Width%128 == 0 && b.IntN(2) == 0 {
		k.Edge = 128
	}
	if k.Side == 1 {
		k.Edge *= 1 + b.IntN(5)
	}
	n := k.Width * k.Side * k.Edge
	k.Lanes, k.Sources = b.uploadAs(b.entries(v, rows*k.Width, many, true), size), b.sources(k.Width, rows)
	k.Columns, k.Dst = b.upload(b.someRows(k.Side*k.Edge, rows)), b.uploadAs(b.garbage(n, size), size)
	judged(b, d, v, &k, &k.Dst, size, kernels.LaneOps.LaneTranspose)
}

// newLaneRows draws few and many rows, whose entries are drawn from a list of numbers or from many. Some have the same
// name as others have. It also returns the list.
func (b *bench) newLaneRows(v entry.Variant) (r kernels.LaneRows, list matrix) {
	r.Width, r.Rows = b.deviceWidth(), b.IntN([]int{3, 40, 3 * kernels.LaneSumRows}[b.IntN(3)])
	r.Count = b.IntN(r.Width + 1)
	list = append(b.entries(v, 1, many, false), b.entries(v, b.IntN(40), many, true)...)
	rows, names, share := make(matrix, r.Rows*r.Width), make(matrix, r.Rows), []int{0, 1, 20}[b.IntN(3)]
	for i := range names {
		names[i] = uint64(b.IntN(1000))
	}
	for i := range rows {
		if rows[i] = list[b.IntN(len(list))]; b.IntN(21) < share {
			rows[i] = b.randomEntry(v, many, true)
		}
	}
	r.Lanes, r.Names = b.uploadAs(rows, v.Bytes()), b.upload(names)
	return r, list
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
	near := func(x, y, size float64) bool { // of floats that are added in another order
		return x == y || math.Abs(x-y) <= 1e-12*size*float64(k.Rows+k.Width)
	}
	for i, w := range want {
		g := got[i]
		same := g.Sum == w.Sum || v.Float() && near(math.Float64frombits(g.Sum), math.Float64frombits(w.Sum), 1e5)
		same = same && near(g.Inverse, w.Inverse, w.Inverse)
		if !same || g.Top != w.Top || g.Farthest != w.Farthest || g.Missing != w.Missing {
			b.Fatalf("%+v: %v number %d is %+v, want %+v", k, v, i, g, w)
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
		// Where a test has memory in many small pieces, there are too many.
		err := d.Checksums(b.stream, b.upload(make(matrix, count)), src, bytes, count)
		if draw == 0 && errors.Is(err, kernels.ErrNoMemory) {
			continue
		}
		type checksums struct {
			Dst         kernels.Tile
			Edge, Count int
		}
		k := checksums{b.upload(b.garbage(count+3, wordBytes)), edge, count}
		judged(b, d, entry.I32, &k, &k.Dst, wordBytes,
			func(d kernels.LaneOps, s kernels.Stream, _ entry.Variant, k checksums) error {
				return d.Checksums(s, k.Dst, src, bytes, count)
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
func refused[D, K any](b *bench, d D, good K, operation laneOperation[D, K], loose ...string) {
	b.Helper()
	b.done(operation(d, b.stream, entry.I32, good))
	results := map[string]error{}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[K]()) {
		spoil := func(x any) {
			k := good
			reflect.ValueOf(&k).Elem().Field(i).Set(reflect.ValueOf(x))
			results[fmt.Sprintf("%T with %s %v", k, field.Name, x)] = operation(d, b.stream, entry.I32, k)
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
	const edge = 64
	tile := func() kernels.Tile { return b.upload(make(matrix, edge*edge)) }
	t, out, other := tile(), tile(), tile()
	level := kernels.Level{Lanes: out, Width: edge, Offsets: t, Ends: t, Weights: t, Sources: t,
		Ranges: []kernels.LevelRange{{Hi: 20}}}
	refused(b, d, level, kernels.LaneOps.Level, "Ends", "Weights")
	product := kernels.LaneProduct{Dst: out, Src: t, Width: edge, Weights: t, Edge: edge}
	refused(b, d, product, kernels.LaneOps.LaneProduct)
	refused(b, d, kernels.LaneTranspose{Dst: out, Edge: edge, Side: 1, Lanes: t, Width: edge, Columns: t, Sources: t},
		kernels.LaneOps.LaneTranspose, "Lanes")
	refused(b, d, kernels.LaneBlocks{Lanes: out, Width: edge, Blocks: t, Terms: t, Weights: t, Count: 4},
		kernels.LaneOps.LaneBlocks, "Terms")
	refused(b, d, kernels.ArcProduct{Dst: out, Edge: edge, Offsets: t, Ends: t, Weights: t, Offsets2: other,
		Ends2: other, Weights2: other}, kernels.LaneOps.ArcProduct, "Ends", "Weights", "Offsets2", "Ends2", "Weights2")
	refused(b, d, kernels.LaneSums{Lanes: t, Width: edge, Rows: 20, Names: t, ByLane: out, ByRow: other, Count: edge},
		kernels.LaneOps.LaneSums)
	product.Src = product.Dst
	results := map[string]error{"product in place": d.LaneProduct(b.stream, entry.I32, product)}
	for _, r := range []kernels.LevelRange{{Hi: 65}, {Lo: -1, Hi: 2}, {Lo: 3, Hi: 2}} {
		level.Ranges = []kernels.LevelRange{r}
		results[fmt.Sprintf("level of %+v", r)] = d.Level(b.stream, entry.I32, level)
	}
	b.wantErrors(results)
}
