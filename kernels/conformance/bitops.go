package conformance

import (
	"fmt"
	"slices"
	"sync"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// bitOps searches graphs with hubs and without, some of them with long ways, and wants every result of every level.
func (b *bench) bitOps(d kernels.BitOps) {
	for _, lanes := range kernels.BitLanes {
		for range draws(15) {
			b.bitSearch(d, lanes)
		}
	}
	b.badBits(d)
}

// bitGraph is a random graph in device memory, with all that a search is told.
func (b *bench) bitGraph(lanes int) kernels.BitSearch {
	n := 1 + b.IntN([]int{3, 100, 3000}[b.IntN(3)])
	into := make([][]uint64, n)
	near := 1 + b.IntN(n) // how far apart the ends of most arcs are
	for range b.IntN(6 * n) {
		v := b.IntN(n)
		into[v] = append(into[v], uint64(max(0, v-b.IntN(near))))
	}
	if hub := b.IntN(n); b.IntN(2) == 0 {
		for range b.IntN(6000) {
			into[hub] = append(into[hub], uint64(b.IntN(n)))
			v := b.IntN(n)
			into[v] = append(into[v], uint64(hub))
		}
	}
	offsets, ends := matrix{0}, matrix{}
	for _, from := range into {
		ends = append(ends, from...)
		offsets = append(offsets, uint64(len(ends)))
	}
	order, sources := make(matrix, n), make(matrix, b.IntN(min(n, lanes)+1))
	for i, v := range b.Perm(n) {
		order[i] = uint64(v)
	}
	for i, v := range b.Perm(n)[:len(sources)] {
		sources[i] = uint64(v)
	}
	return kernels.BitSearch{
		Vertices: n, Arcs: len(ends), Lanes: lanes, Offsets: b.upload(offsets), Ends: b.upload(ends),
		Order: b.upload(order), Sources: b.upload(sources), Count: len(sources), Planes: b.IntN(2) * b.IntN(13)}
}

func (b *bench) bitSearch(d kernels.BitOps, lanes int) {
	b.Helper()
	s := b.bitGraph(lanes)
	s.Memory = b.uploadAs(b.garbage(int(d.BitRoom(s))/8+1, 8), 8)
	judge := newBitJudge(b.device)
	b.must(judge.BitStart(b.stream, s))
	for range 2 { // the second search is in what the first has left
		b.must(d.BitStart(b.stream, s))
		for first, ended := 1, false; !ended; {
			levels := 1 + b.IntN(5)
			words := s.BitResults(levels) / wordBytes
			got, want := b.upload(b.garbage(words, wordBytes)), b.upload(make(matrix, words))
			b.must(d.BitLevels(b.stream, s, first, levels, got))
			b.must(judge.BitLevels(b.stream, s, first, levels, want))
			is, shall := b.download(got, words), b.download(want, words)
			for i := range shall {
				if is[i] != shall[i] {
					b.Fatalf("%d vertices, %d arcs, %d sources in %d lanes: level %d, number %d: %d, want %d",
						s.Vertices,
						s.Arcs, s.Count, lanes, first+i/(2*lanes), i%(2*lanes), int32(is[i]), int32(shall[i]))
				}
			}
			ended = !slices.ContainsFunc(is[words-2*lanes:][:lanes], func(count uint64) bool { return count > 0 })
			first += levels
		}
		b.bitRows(d, judge, s)
	}
}

// bitRows wants the rows of a search, if its levels have bits enough.
func (b *bench) bitRows(d kernels.BitOps, judge *bitJudge, s kernels.BitSearch) {
	b.Helper()
	if judge.deepest(s)>>s.Planes > 0 {
		return
	}
	r := kernels.BitRows{Edge: kernels.DeviceLaneUnit * (1 + b.IntN(5)), Size: []int{1, 2, 4, 8}[b.IntN(4)]}
	r.Side = entry.CeilDiv(s.Vertices, r.Edge)
	r.First = b.IntN(r.Side)
	columns := make(matrix, r.Side*r.Edge)
	for c, v := range append(b.Perm(s.Vertices), make([]int, len(columns)-s.Vertices)...) {
		if columns[c] = uint64(v); c >= s.Vertices {
			columns[c] = 1<<32 - 1
		}
	}
	r.Columns, r.Values = b.upload(columns), b.uploadAs(b.garbage(1<<s.Planes, r.Size), r.Size)
	n := max(1, entry.CeilDiv(s.Count, r.Edge)*r.Side*r.Edge*r.Edge)
	before := b.garbage(n, r.Size)
	r.Dst = b.uploadAs(before, r.Size)
	b.done(d.BitRows(b.stream, s, r))
	got := b.downloadAs(r.Dst, n, r.Size)
	r.Dst = b.uploadAs(before, r.Size)
	b.must(judge.BitRows(b.stream, s, r))
	for i, want := range b.downloadAs(r.Dst, n, r.Size) {
		if got[i] != want {
			b.Fatalf("%d planes, %+v: entry %d is %x, want %x", s.Planes, r, i, got[i], want)
		}
	}
}

// badBits wants errors of operands that are not there, and of numbers that are wrong.
func (b *bench) badBits(d kernels.BitOps) {
	good := b.bitGraph(kernels.BitLanes[0])
	for more := good; d.BitRoom(more) <= d.BitRoom(good); more.Lanes = kernels.BitLanes[1] {
		good = b.bitGraph(kernels.BitLanes[0]) // the memory of one vertex may be enough for more lanes
		more = good
	}
	good.Memory = kernels.Tile{Buf: b.alloc(d.BitRoom(good))}
	results := kernels.Tile{Buf: b.alloc(int64(good.BitResults(1)))}
	rows := kernels.BitRows{Edge: 64, Side: entry.CeilDiv(good.Vertices, 64), Size: 1}
	rows.Columns = kernels.Tile{Buf: b.alloc(int64(4 * 64 * rows.Side))}
	rows.Values = kernels.Tile{Buf: b.alloc(1 << good.Planes)}
	rows.Dst = kernels.Tile{Buf: b.alloc(int64(max(1, entry.CeilDiv(good.Count, 64)*rows.Side) * 64 * 64))}
	errs := map[string]error{}
	for i, spoil := range []func(s *kernels.BitSearch){
		func(s *kernels.BitSearch) { s.Vertices = 0 },
		func(s *kernels.BitSearch) { s.Vertices = 1 << 20 },
		func(s *kernels.BitSearch) { s.Arcs = -1 },
		func(s *kernels.BitSearch) { s.Arcs = 1 << 31 },
		func(s *kernels.BitSearch) { s.Lanes = 512 },
		func(s *kernels.BitSearch) { s.Lanes = kernels.BitLanes[1] }, // for which there is no memory
		func(s *kernels.BitSearch) { s.Planes = kernels.MostBitPlanes + 1 },
		func(s *kernels.BitSearch) { s.Count = -1 },
		func(s *kernels.BitSearch) { s.Count = s.Lanes + 1 },
		func(s *kernels.BitSearch) { s.Offsets = kernels.Tile{} },
		func(s *kernels.BitSearch) { s.Ends = kernels.Tile{} },
		func(s *kernels.BitSearch) { s.Order = kernels.Tile{} },
		func(s *kernels.BitSearch) { s.Memory = kernels.Tile{} },
		func(s *kernels.BitSearch) { s.Memory.Off = 4 },
	} {
		s := good
		spoil(&s)
		errs[fmt.Sprintf("search %d", i)] = d.BitStart(b.stream, s)
		errs[fmt.Sprintf("levels of search %d", i)] = d.BitLevels(b.stream, s, 1, 1, results)
		errs[fmt.Sprintf("rows of search %d", i)] = d.BitRows(b.stream, s, rows)
	}
	for i, spoil := range []func(r *kernels.BitRows){
		func(r *kernels.BitRows) { r.Dst = kernels.Tile{} },
		func(r *kernels.BitRows) { r.Columns = kernels.Tile{} },
		func(r *kernels.BitRows) { r.Values = kernels.Tile{} },
		func(r *kernels.BitRows) { r.Edge = 32 },
		func(r *kernels.BitRows) { r.First = -1 },
		func(r *kernels.BitRows) { r.First = r.Side + 1 },
		func(r *kernels.BitRows) { r.Side = 1 << 20 },
		func(r *kernels.BitRows) { r.Size = 3 },
	} {
		r := rows
		spoil(&r)
		errs[fmt.Sprintf("rows %d", i)] = d.BitRows(b.stream, good, r)
	}
	errs["no results"] = d.BitLevels(b.stream, good, 1, 1, kernels.Tile{})
	errs["more levels than results"] = d.BitLevels(b.stream, good, 1, 2, results)
	errs["level 0"] = d.BitLevels(b.stream, good, 0, 1, results)
	b.wantErrors(errs)
}

// WithBitOps returns the device with the judge's kernels.BitOps, so that what is built on them can be tested on any
// device.
func WithBitOps(d kernels.Device) kernels.Device { return newBitJudge(d) }

// bitJudge searches from one source after another.
type bitJudge struct {
	kernels.Device
	mu    sync.Mutex
	found map[kernels.Buffer]*bitFound // by the memory of a search; guarded by mu
}

// bitFound is what a search has found.
type bitFound struct {
	place  []int     // of each vertex in the order
	levels [][]int32 // of each source and vertex; -1: there is none
}

func newBitJudge(d kernels.Device) *bitJudge {
	return &bitJudge{Device: d, found: map[kernels.Buffer]*bitFound{}}
}

// Unwrap gives the device, for kernels.As.
func (d *bitJudge) Unwrap() kernels.Device { return d.Device }

// BitRoom implements kernels.BitOps.
func (*bitJudge) BitRoom(s kernels.BitSearch) int64 {
	return int64((3 + s.Planes) * s.Lanes / 8 * s.Vertices)
}

// BitStart implements kernels.BitOps.
func (d *bitJudge) BitStart(s kernels.Stream, b kernels.BitSearch) error {
	x, n := &transfer{s: s}, b.Vertices
	offsets, ends := x.in(b.Offsets, n+1, wordBytes), x.in(b.Ends, b.Arcs, wordBytes)
	order, sources := x.in(b.Order, n, wordBytes), x.in(b.Sources, b.Count, wordBytes)
	if x.err != nil {
		return x.err
	}
	out, f := make([][]int32, n), &bitFound{place: make([]int, n)}
	for v := range n {
		f.place[order[v]] = v
		for _, u := range ends[offsets[v]:offsets[v+1]] {
			out[u] = append(out[u], int32(v))
		}
	}
	for _, v := range sources {
		level, queue := make([]int32, n), []int32{int32(v)}
		entry.Fill(level, -1)
		for level[v] = 0; len(queue) > 0; queue = queue[1:] {
			for _, w := range out[queue[0]] {
				if level[w] < 0 {
					level[w] = level[queue[0]] + 1
					queue = append(queue, w)
				}
			}
		}
		f.levels = append(f.levels, level)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found[b.Memory.Buf] = f
	return nil
}

// BitLevels implements kernels.BitOps.
func (d *bitJudge) BitLevels(s kernels.Stream, b kernels.BitSearch, first, levels int, to kernels.Tile) error {
	d.mu.Lock()
	f := d.found[b.Memory.Buf]
	d.mu.Unlock()
	results := make(matrix, 2*b.Lanes*levels)
	for i := range results {
		if i/b.Lanes%2 == 1 {
			results[i] = 1<<32 - 1
		}
	}
	for lane, of := range f.levels {
		for v, l := range of {
			if l := int(l) - first; l >= 0 && l < levels {
				at := 2*l*b.Lanes + lane
				results[at]++
				results[at+b.Lanes] = min(results[at+b.Lanes], uint64(f.place[v]))
			}
		}
	}
	return (&transfer{s: s}).out(to, results, wordBytes)
}

// deepest is the last level of a search.
func (d *bitJudge) deepest(b kernels.BitSearch) (level int) {
	for _, of := range d.found[b.Memory.Buf].levels {
		level = max(level, int(slices.Max(of)))
	}
	return level
}

// BitRows implements kernels.BitOps.
func (d *bitJudge) BitRows(s kernels.Stream, b kernels.BitSearch, r kernels.BitRows) error {
	d.mu.Lock()
	f := d.found[b.Memory.Buf]
	d.mu.Unlock()
	x := &transfer{s: s}
	columns, values := x.in(r.Columns, r.Side*r.Edge, wordBytes), x.in(r.Values, 1<<b.Planes, r.Size)
	to := x.in(r.Dst, entry.CeilDiv(b.Count, r.Edge)*r.Side*r.Edge*r.Edge, r.Size)
	if x.err != nil {
		return x.err
	}
	for lane, of := range f.levels {
		for c := r.First * r.Edge; c < len(columns); c++ {
			value := values[0]
			if v := int32(columns[c]); v >= 0 && of[v] == 0 {
				value = 0
			} else if v >= 0 && of[v] > 0 {
				value = values[of[v]]
			}
			to[((lane/r.Edge*r.Side+c/r.Edge)*r.Edge+lane%r.Edge)*r.Edge+c%r.Edge] = value
		}
	}
	return x.out(r.Dst, to, r.Size)
}
