// Package rowsums adds up rows of distances on a device, and asks it more about them, without storing any. They come by
// (min,+) products with the pieces of an elimination, or by searches. Package stats shows what it finds. It opens no
// device.
package rowsums

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"ooc/engine/device"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// Sums adds up rows of distances on a device. No distance leaves it: rows are computed batch by batch in its memory, in
// lanes by rank.
//
// A batch of products with the pieces of an elimination takes three steps. The distances to the upper ranks are products
// of the paths up from the sources' pieces and the distances between upper ranks. Those to each piece are products of
// these and the paths down into it. In the source's own piece, paths that do not leave it may be shorter.
type Sums struct {
	variant  entry.Variant
	vertices []int32 // by rank
	columns  bool    // sums of ranks are wanted
	device   kernels.Device
	can      kernels.LaneOps
	held     device.Held
	names    kernels.Tile

	*searching // nil: rows are products, for which the rest is

	e             *sparse.Elimination
	above         device.Held  // of upper
	upper, down   kernels.Tile // entries that rows of lanes are multiplied by
	blocks, terms kernels.Tile // of all pieces
	count         int          // of these blocks
	pitch         int          // entries of a row of upper
	most          int          // blocks of one piece

	Batches []*Batch
}

// blockRows is the most rows of a block of lanes: enough for a device to share out few pieces, too.
const blockRows = 64

// memory is the device memory in bytes of Sums and of each Batch of so many lanes.
func memory(e *sparse.Elimination, lanes int) (fixed, batch int64) {
	p, size := e.Pieces, int64(e.Variant.Bytes())
	n, upper := int64(len(e.Vertices)), int64(entry.RoundUp(p.Upper, kernels.DeviceLaneUnit))
	fixed = size*(upper*upper+sparse.PieceUnit*int64(p.At[p.Count()])) + 16*n
	return fixed, size*int64(lanes)*(int64(lanes)+int64(p.Upper+widest(p))) + 32*(int64(p.Upper)+n)
}

// widest is the most entries of a row of a piece.
func widest(p *sparse.Pieces) (most int) {
	for i := range p.Count() {
		most = max(most, p.Pitch(i))
	}
	return most
}

// New copies to the device what all batches share, and makes at most so many of these as there is memory for: each of
// so many lanes, a multiple of kernels.DeviceLaneUnit, for sums of ranks if columns is set, and for questions that take
// as much as these. It fails with kernels.ErrNoMemory where there is room for none.
//
// The distances between upper ranks come last, from those of the core, for which core may wait, but which another
// goroutine closes. Where the device has no memory to compute them, upper does, as e.UpperDistances. Their errors are
// New's. Sums on several devices may have the same sync.OnceValues.
func New(e *sparse.Elimination, d kernels.Device, core, upper func() (*sparse.DenseCore, error), columns bool,
	most, lanes int, questions ...kernels.LaneQuestion) (w *Sums, err error) {
	if e.Pieces == nil {
		return nil, errors.New("there are no pieces")
	}
	w = &Sums{variant: e.Variant, vertices: e.Vertices, columns: columns, device: d, e: e, above: device.Held{On: d}}
	fixed, batch := memory(e, lanes)
	most, batch, room, err := w.fit(fixed, batch, most, lanes, questions)
	if err != nil {
		return nil, err
	}
	open := func() error { return w.open(most, lanes, questions) }
	beside := besides*int64(e.Variant.Bytes())*int64(e.Pieces.Upper)*int64(e.Pieces.Upper) +
		int64(entry.WordBytes+e.Variant.WeightBytes())*int64(len(e.Up.Ends)+len(e.Down.Ends))
	for ; most > fewBatches && (room <= beside || int64(most)*w.rankSums() > mostRanks); most-- {
		room += batch
	}
	if room > beside {
		err = w.load(core, upper, room, open)
	} else if closed, failed := core(); failed != nil {
		err = failed
	} else { // it is closed on the device, which has no memory for more at a time
		room += int64(most-1) * batch
		err = cmp.Or(closed.Fetch(), w.load(core, upper, room, func() error { return nil }), open())
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// rankSums is the bytes of the sums of ranks of a batch, on the device and on the host.
func (w *Sums) rankSums() int64 {
	if !w.columns {
		return 0
	}
	return int64(kernels.LaneSumBytes) * int64(len(w.vertices))
}

// fit returns how many batches there is memory for, of at most so many, the bytes of each, and how many are left. A batch
// takes so many beside what all take.
func (w *Sums) fit(fixed, batch int64, most, lanes int, questions []kernels.LaneQuestion) (_ int, all, room int64, _ error) {
	var ok bool
	if w.can, ok = kernels.As[kernels.LaneOps](w.device); !ok {
		return 0, 0, 0, errors.New("the device has no operations on lanes")
	}
	if lanes <= 0 || lanes%kernels.DeviceLaneUnit != 0 {
		return 0, 0, 0, fmt.Errorf("batches of %d lanes: want a multiple of %d", lanes, kernels.DeviceLaneUnit)
	}
	n := int64(len(w.vertices))
	batch += int64(w.variant.Bytes()*lanes)*n + int64(kernels.LaneSumBytes)*int64(lanes)*(2+n/kernels.LaneSumRows) +
		w.rankSums()
	for _, q := range questions {
		_, _, all := q.Room(w.variant, lanes, len(w.vertices)).Places()
		batch += int64(all)
	}
	if room = w.device.Info().Memory - fixed; room < batch {
		return 0, 0, 0, fmt.Errorf("%w: %d bytes for a batch, and there are %d", kernels.ErrNoMemory, batch, room)
	}
	w.held.On = w.device
	most = min(most, int(room/batch))
	return most, batch, room - int64(most)*batch, nil
}

// open makes at most so many batches as there is memory for.
func (w *Sums) open(most, lanes int, questions []kernels.LaneQuestion) (err error) {
	for err == nil && len(w.Batches) < most {
		var b *Batch
		if b, err = w.newBatch(lanes, questions); err == nil {
			w.Batches = append(w.Batches, b)
		}
	}
	if errors.Is(err, kernels.ErrNoMemory) && len(w.Batches) > 0 {
		return nil
	}
	return err
}

// Close frees the device's memory, that of all batches, too. Nobody may use these any more.
func (w *Sums) Close() error {
	var err error
	for _, b := range w.Batches {
		err = errors.Join(err, b.held.Close())
	}
	w.Batches = nil
	return errors.Join(err, w.held.Close(), w.above.Close())
}

// besides is how many matrices of the upper ranks' distances a device may need room for, beside all arcs, until there
// is one.
const besides = 3

// fewBatches are made at least, and more where there is room beside them to compute the distances between upper ranks,
// and the host need not have more than mostRanks bytes for sums of ranks, which no limit counts.
const fewBatches, mostRanks = 4, 256 << 20

// load copies everything to the device, which has room for so many bytes more, and opens the batches.
func (w *Sums) load(core, distances func() (*sparse.DenseCore, error), room int64, open func() error) (err error) {
	s, err := w.device.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	put := func(data []byte, slack int) kernels.Tile { return w.held.Put(s, data, slack) }
	p, v := w.e.Pieces, w.e.Variant
	slack := kernels.LaneSlack * v.Bytes()
	w.pitch = entry.RoundUp(p.Upper, kernels.DeviceLaneUnit)
	var computing errgroup.Group
	var upper *sparse.DenseCore // nil: the device has computed them
	computing.Go(func() (err error) {
		if w.upper, err = w.e.UpperOnDevice(&w.above, core, slack, room); errors.Is(err, kernels.ErrNoMemory) {
			if err = w.above.Close(); err == nil {
				upper, err = distances()
			}
		}
		return err
	})
	p.AwaitCore() // which takes longest, and then a device needs no processor
	computing.Go(p.Find)
	var l blockList
	for i := range p.Count() {
		first := len(l.terms)
		for k, x := range p.Of(i) {
			l.terms = append(l.terms, x, p.At[i]+int32(k*p.Pitch(i)/sparse.PieceUnit))
		}
		w.most = max(w.most, l.cut(p.First[i], p.First[i+1], first))
	}
	w.count = len(l.blocks) / blockWords
	w.blocks, w.terms = put(entry.Bytes(l.blocks), 0), put(entry.Bytes(l.terms), 0)
	w.names = put(entry.Bytes(w.vertices), 0)
	w.down.Buf = w.held.Buffer(int64(p.At[p.Count()])*int64(sparse.PieceUnit*v.Bytes()) + int64(slack))
	if err = cmp.Or(w.held.Err(), open(), p.Find()); err == nil {
		err = errors.Join(s.CopyIn(w.down, v.Entries(p.Down)), s.Sync())
	}
	if err != nil { // one that is not of memory counts
		failed := computing.Wait()
		if errors.Is(failed, kernels.ErrNoMemory) {
			failed = nil
		}
		return cmp.Or(failed, err)
	}
	if err = cmp.Or(computing.Wait(), w.held.Err()); err != nil {
		return err
	}
	if upper != nil {
		w.upper = put(v.Entries(upper.Matrix), slack)
	}
	return w.held.Err()
}

// blockList is what the kernels of blocks are told, in the words of each kernels.LaneBlock and kernels.LaneTerm.
type blockList struct{ blocks, terms []int32 }

const (
	blockWords = 5
	termWords  = 2
)

// cut adds blocks of the rows from lo to hi-1, whose terms are those from word first on, and returns how many.
func (l *blockList) cut(lo, hi int32, first int) (count int) {
	for at := lo; at < hi; at += blockRows {
		terms := (len(l.terms) - first) / termWords
		l.blocks = append(l.blocks, at, min(blockRows, hi-at), int32(first/termWords), int32(terms),
			(at-lo)/kernels.LaneWeightUnit)
		count++
	}
	return count
}

// Batch is a stream and the device memory for one batch of sources at a time. It is for one goroutine. Sums.Close
// closes it.
type Batch struct {
	w      *Sums
	lanes  int
	held   device.Held
	stream kernels.Stream

	// rows: of lanes: of all ranks, one for each lane, in which only that lane is reachable, and those of starts.
	rows    kernels.Buffer
	sums    kernels.Buffer // of lanes, and then of ranks
	lists   kernels.Buffer // the blocks and terms of a batch, or its sources and the memory of a search
	inside  kernels.Buffer // a row of the source's own piece for each lane, as in Elimination.Inside
	host    []byte         // the lists, which are copied in
	staging []byte         // rows on their way to starts and inside, some at a time
	results []byte         // what is copied out
	ranks   []byte         // sums of ranks, which are so many that page-locked memory would take long to get

	count int       // sources of the rows that are there
	asked []*asking // a question each

	start []int32 // of each upper rank: its row of starts in this batch; -1: it has none
	begun []int32 // those that have one

	order  []source // by rank
	groups []group  // of those in pieces
}

// source is the rank of a lane's source.
type source struct{ rank, lane int32 }

// group is the sources in one piece.
type group struct {
	piece   int
	sources []source
}

// stagedRows is how many rows of starts are copied to a device at a time. A GPU's driver locks 2 MB in a millisecond:
// memory for all rows of all batches would take longer to get than the distances of some graphs to compute.
var stagedRows = 128

const listAlign = 256

// listBytes is the most that the lists of a batch take.
func (b *Batch) listBytes() int {
	upper := b.w.e.Pieces.Upper
	blocks := entry.CeilDiv(upper, blockRows) + b.lanes*b.w.most
	return entry.RoundUp((blocks*blockWords+(upper+b.lanes)*termWords)*entry.WordBytes, listAlign) + 4*listAlign
}

func (w *Sums) newBatch(lanes int, questions []kernels.LaneQuestion) (*Batch, error) {
	b := &Batch{w: w, lanes: lanes, held: device.Held{On: w.device}}
	n, h := len(w.vertices), &b.held
	b.sums = h.Buffer(b.laneSums() + w.rankSums())
	b.results, b.ranks = h.Host(int64(lanes*kernels.LaneSumBytes)), entry.Bytes(make([]uint64, w.rankSums()/8))
	for _, q := range questions {
		_, work, all := q.Room(w.variant, lanes, n).Places()
		b.asked = append(b.asked, &asking{h.Buffer(int64(all)), h.Host(int64(work))})
	}
	b.stream = h.Stream()
	open := b.open
	if w.searching != nil {
		open = b.openSearch
	}
	if err := open(); err != nil {
		return nil, errors.Join(err, b.held.Close())
	}
	return b, nil
}

func (b *Batch) open() error {
	e, h := b.w.e, &b.held
	n, row := len(e.Vertices), b.lanes*e.Variant.Bytes()
	b.start = slices.Repeat([]int32{-1}, e.Pieces.Upper)
	b.rows = h.Buffer(int64(n+b.lanes+e.Pieces.Upper) * int64(row))
	b.lists = h.Buffer(int64(b.listBytes()))
	own := widest(e.Pieces)
	b.host = h.Host(int64(b.listBytes()))
	b.staging = h.Host(int64(max(min(stagedRows, e.Pieces.Upper)*row, own*e.Variant.Bytes())))
	b.inside = h.Buffer(int64(own*row + kernels.LaneSlack*e.Variant.Bytes()))
	if h.Err() != nil {
		return h.Err()
	}
	// A product of no arcs is unreachable but for the diagonal.
	none, bytes := kernels.Tile{Buf: b.lists}, (b.lanes+1)*entry.WordBytes
	clear(b.host[:bytes])
	return errors.Join(b.stream.CopyIn(none, b.host[:bytes]), b.w.can.ArcProduct(b.stream, e.Variant,
		kernels.ArcProduct{Dst: b.row(n), Edge: b.lanes, Fresh: true, Offsets: none, Ends: none, Weights: none,
			Offsets2: none, Ends2: none, Weights2: none}), b.stream.Sync())
}

// laneSums is the bytes of the sums of lanes and of parts of them.
func (b *Batch) laneSums() int64 {
	return int64(b.lanes*(1+entry.CeilDiv(len(b.w.vertices), kernels.LaneSumRows))) * int64(kernels.LaneSumBytes)
}

// row returns where a row of lanes is.
func (b *Batch) row(i int) kernels.Tile {
	return kernels.Tile{Buf: b.rows, Off: int64(i) * int64(b.lanes*b.w.variant.Bytes())}
}

// Sums returns the sums of the rows of some sources, which are vertices: of each source those of its row, and if New
// was asked for them of each rank those of the distances from all these sources. They are there until the next call of
// Sums. Names of rows are vertices. A batch takes at most as many sources as it has lanes.
func (b *Batch) Sums(sources []int32) (rows, ranks []kernels.LaneSum, err error) {
	if len(sources) == 0 || len(sources) > b.lanes {
		return nil, nil, fmt.Errorf("sums of %d sources in a batch of %d lanes", len(sources), b.lanes)
	}
	if err := errors.Join(b.enqueue(sources), b.stream.Sync()); err != nil {
		return nil, nil, err
	}
	b.count = len(sources)
	return kernels.LaneSumsIn(b.results)[:len(sources)], kernels.LaneSumsIn(b.ranks), nil
}

func (b *Batch) enqueue(sources []int32) error {
	fill, v := b.multiply, b.w.variant
	if b.w.searching != nil {
		fill = b.search
	}
	err := fill(sources)
	s := kernels.LaneSums{Lanes: b.row(0), Width: b.lanes, Rows: len(b.w.vertices), Names: b.w.names,
		ByLane: kernels.Tile{Buf: b.sums}, Count: len(sources)}
	if b.w.columns {
		s.ByRow = kernels.Tile{Buf: b.sums, Off: b.laneSums()}
	}
	if err == nil {
		err = b.w.can.LaneSums(b.stream, v, s)
	}
	if err == nil {
		err = b.stream.CopyOut(b.results, s.ByLane)
	}
	if err == nil && b.w.columns {
		err = b.stream.CopyOut(b.ranks, s.ByRow)
	}
	return err
}

// multiply fills the rows by products.
func (b *Batch) multiply(sources []int32) error {
	e, v := b.w.e, b.w.e.Variant
	n, upper := len(e.Vertices), e.Pieces.Upper
	b.climb(sources)
	var toUpper, own blockList
	for i, x := range b.begun {
		toUpper.terms = append(toUpper.terms, int32(n+b.lanes+i), int32(int(x)*b.w.pitch/kernels.LaneWeightUnit))
	}
	toUpper.cut(0, int32(upper), 0)
	err := b.ownPieces(&own)

	memory, at := b.host[:0], [4]int64{}
	for i, words := range [][]int32{toUpper.blocks, toUpper.terms, own.blocks, own.terms} {
		memory = memory[:entry.RoundUp(len(memory), listAlign)]
		at[i] = int64(len(memory))
		memory = append(memory, entry.Bytes(words)...)
	}
	list := func(i int) kernels.Tile { return kernels.Tile{Buf: b.lists, Off: at[i]} }
	err = errors.Join(err, b.stream.CopyIn(kernels.Tile{Buf: b.lists}, memory))
	for first := 0; err == nil && first < len(b.begun); first += stagedRows {
		err = b.send(b.row(n+b.lanes+first), b.starts(first))
	}
	for _, p := range []kernels.LaneBlocks{
		{Weights: b.w.upper, Blocks: list(0), Terms: list(1), Count: len(toUpper.blocks) / blockWords, Fresh: true},
		{Weights: b.w.down, Blocks: b.w.blocks, Terms: b.w.terms, Count: b.w.count, Fresh: true},
		{Weights: kernels.Tile{Buf: b.inside}, Blocks: list(2), Terms: list(3), Count: len(own.blocks) / blockWords},
	} {
		p.Lanes, p.Width = b.row(0), b.lanes
		if err == nil {
			err = b.w.can.LaneBlocks(b.stream, v, p)
		}
	}
	return err
}

// climb sorts the lanes by the ranks of their sources, and lists the upper ranks at which paths from these leave their
// pieces, a row of starts for each. A source that is an upper rank is there already.
func (b *Batch) climb(sources []int32) {
	for _, x := range b.begun {
		b.start[x] = -1
	}
	b.begun, b.order, b.groups = b.begun[:0], b.order[:0], b.groups[:0]
	begin := func(x int32) {
		if b.start[x] < 0 {
			b.start[x] = int32(len(b.begun))
			b.begun = append(b.begun, x)
		}
	}
	for lane, s := range sources {
		b.order = append(b.order, source{b.w.e.Rank[s], int32(lane)})
	}
	slices.SortFunc(b.order, func(x, y source) int { return cmp.Compare(x.rank, y.rank) })
	p, left := b.w.e.Pieces, b.order
	for ; len(left) > 0 && int(left[0].rank) < p.Upper; left = left[1:] {
		begin(left[0].rank)
	}
	for len(left) > 0 {
		g, count := group{piece: pieceOf(p, left[0].rank)}, 1
		for count < len(left) && left[count].rank < p.First[g.piece+1] {
			count++
		}
		g.sources, left = left[:count], left[count:]
		b.groups = append(b.groups, g)
		for _, x := range p.Of(g.piece) {
			begin(x)
		}
	}
}

// send copies what is in staging, which can be filled again afterwards.
func (b *Batch) send(to kernels.Tile, staged []byte) error {
	return errors.Join(b.stream.CopyIn(to, staged), b.stream.Sync())
}

// starts makes rows of starts from the given one on, stagedRows of them or as many as there are: the lengths of the
// paths up to their ranks.
func (b *Batch) starts(first int) []byte {
	v := b.w.variant
	rows := b.staging[:min(stagedRows, len(b.begun)-first)*b.lanes*v.Bytes()]
	v.Kind().Fill(rows, v.Unreachable())
	up := b.w.e.Pieces.Up
	switch {
	case v.Bytes() < v.WeightBytes():
		putStarts(b, entry.View[uint16](rows), up, first)
	case v.Bytes() == entry.WordBytes:
		putStarts(b, entry.View[uint32](rows), up, first)
	default:
		putStarts(b, entry.View[uint64](rows), entry.As[uint64](up), first)
	}
	return rows
}

func putStarts[E uint16 | uint32 | uint64, W entry.Word](b *Batch, rows []E, up []W, first int) {
	row := func(x int32) []E { // of starts at an upper rank; nil: it is none of these
		if at := int(b.start[x]) - first; at >= 0 && at*b.lanes < len(rows) {
			return rows[at*b.lanes:][:b.lanes]
		}
		return nil
	}
	p := b.w.e.Pieces
	for _, s := range b.order {
		if int(s.rank) >= p.Upper {
			break
		}
		if to := row(s.rank); to != nil {
			to[s.lane] = 0
		}
	}
	for _, g := range b.groups {
		lengths, begin, pitch := up[int(p.At[g.piece])*sparse.PieceUnit:], p.First[g.piece], p.Pitch(g.piece)
		for k, x := range p.Of(g.piece) {
			if to, from := row(x), lengths[k*pitch:][:pitch]; to != nil {
				for _, s := range g.sources {
					to[s.lane] = E(from[s.rank-begin])
				}
			}
		}
	}
}

// ownPieces lists blocks for the sources' own pieces, and copies the paths inside these from the sources in.
func (b *Batch) ownPieces(l *blockList) (err error) {
	p, n, v := b.w.e.Pieces, int32(len(b.w.e.Vertices)), b.w.variant
	inside, staged := kernels.Tile{Buf: b.inside}, b.staging[:0]
	for _, g := range b.groups {
		begin, first := p.First[g.piece], len(l.terms)
		rows, words := b.w.e.Inside(g.piece, len(g.sources)), p.Pitch(g.piece)*v.WeightBytes()/entry.WordBytes
		for _, s := range g.sources {
			row := v.Entries(rows[int(s.rank-begin)*words:][:words])
			if len(staged)+len(row) > len(b.staging) {
				err = errors.Join(err, b.send(inside, staged))
				inside.Off, staged = inside.Off+int64(len(staged)), staged[:0]
			}
			l.terms = append(l.terms, n+s.lane, int32((int(inside.Off)+len(staged))/(sparse.PieceUnit*v.Bytes())))
			staged = append(staged, row...)
		}
		l.cut(begin, p.First[g.piece+1], first)
	}
	return errors.Join(err, b.send(inside, staged))
}

// pieceOf returns the piece of a rank that is in one.
func pieceOf(p *sparse.Pieces, rank int32) int {
	i, found := slices.BinarySearch(p.First, rank)
	if !found {
		i--
	}
	return i
}
