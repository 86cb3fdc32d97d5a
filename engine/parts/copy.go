package parts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ooc/engine"
	"ooc/engine/internal/parallel"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// copying is a merge whose store is there.
type copying struct {
	*whole
	o     Options
	store *tiles.Store
	geom  tiles.Geometry
	there int // rows of tiles that earlier runs have written

	reached tiles.State // what the next checkpoint says
	synced  time.Time   // when there was one
	safe    int64       // rows that it said

	copied  atomic.Int64 // bytes
	sums    []uint32     // of the new store
	buffers sync.Pool    // of *[]byte, each for a chunk
}

// chunk is how many bytes of consecutive tiles are copied at a time: more only where a tile has more.
const chunk = 8 << 20

// begin makes the new store, or opens what an earlier run has left of it.
func (w *whole) begin(out string, o Options) (*copying, error) {
	if o.Checkpoint <= 0 {
		o.Checkpoint = task.DefaultCheckpoint
	}
	c := &copying{whole: w, o: o}
	var err error
	if tiles.IsStore(out) {
		var p *engine.Problem
		if p, err = engine.Open(out); err == nil {
			c.store = p.Store()
			if err = c.ours(p); err != nil {
				err = errors.Join(err, p.Close())
			}
		}
	} else {
		m := w.meta
		m.Command, m.Created = o.Command, time.Now()
		if err := disk.Room(out, tiles.MatrixPath(out), m.StoreBytes(w.ids), tiles.GivesBack(out)); err != nil {
			return nil, err
		}
		var csr *tiles.CSR
		if g := w.graph; g != nil {
			csr = &tiles.CSR{Offsets: g.Offsets, Targets: g.Targets, Weights: g.WeightBytes()}
		}
		c.store, err = tiles.Create(out, m, csr, w.ids)
	}
	if err != nil {
		return nil, err
	}
	w.graph = nil // its memory is not needed any more
	if err := c.recover(); err != nil {
		return nil, errors.Join(err, c.store.Close())
	}
	return c, nil
}

// recover finds out how far the store is.
func (c *copying) recover() error {
	was, _, err := c.store.Recover()
	if err != nil {
		return err
	}
	c.geom, c.reached, c.safe, c.synced = c.store.Geometry(), was, was.Done, time.Now()
	c.there = entry.CeilDiv(int(was.Done), c.geom.T)
	c.sums = make([]uint32, c.geom.Tiles()*c.meta.SumsPerTile())
	size := int64(c.together()) * c.geom.TileBytes()
	c.buffers.New = func() any { b := make([]byte, size); return &b }
	return nil
}

// together is how many tiles are in a chunk.
func (c *copying) together() int {
	return min(c.geom.Side(), max(1, int(chunk/c.geom.TileBytes())))
}

// ours fails unless the store is what the parts make, or has begun to be.
func (c *copying) ours(p *engine.Problem) error {
	m, dir := c.store.Meta(), c.store.Dir()
	other := func(what string) error {
		return text.ErrorOf(errOther,
			"%s is there, and is %s; name another store for what the parts make, or remove it", dir, what)
	}
	if len(m.Sources) > 0 {
		return text.ErrorOf(errOther,
			"%s is there, and holds some rows as the parts do: the new store is named before the parts", dir)
	}
	if m.Layout != c.meta.Layout || m.N != c.meta.N || m.Kind != c.meta.Kind || m.T != c.meta.T ||
		m.Scale != c.meta.Scale || m.Predecessors != c.meta.Predecessors || m.IDBase != c.meta.IDBase {
		return other(fmt.Sprintf("of %d vertices, kind %s, layout %s, tiles of edge %d", m.N, m.Kind, m.Layout, m.T))
	}
	digest := m.Input.SHA256
	if !m.Dense {
		g, err := p.Graph()
		if err != nil {
			return err
		}
		digest = g.Digest()
	}
	ids, err := c.store.IDs()
	if err != nil {
		return err
	}
	if digest != c.digest || !slices.Equal(ids.Numeric, c.ids.Numeric) || !slices.Equal(ids.Text, c.ids.Text) {
		return other("of another graph")
	}
	switch state, counts, err := c.store.Ahead(); {
	case err != nil:
		return err
	case counts && state.Done > 0 && state.Done < int64(m.N) && !engine.TraitsOf(state.Algorithm).Rows:
		return other("half solved by " + text.Line(state.Algorithm))
	}
	return nil
}

// finished reports whether nothing is left to do.
func (c *copying) finished() (bool, error) {
	if c.reached.Done < int64(c.geom.N) {
		return false, nil
	}
	_, err := c.store.Sums()
	if errors.Is(err, fs.ErrNotExist) { // it was killed in the last step
		return false, nil
	}
	return err == nil, err
}

// run copies what is not there, and completes the store.
func (c *copying) run(ctx context.Context) error {
	for _, p := range c.parts {
		if err := c.part(ctx, p); err != nil {
			return c.stop(ctx, err)
		}
	}
	if err := c.checkpoint(tiles.State{Algorithm: c.state.Algorithm, Done: int64(c.geom.N),
		Elapsed: c.state.Elapsed}); err != nil {
		return err
	}
	if err := c.store.WriteSums(c.sums); err != nil {
		return err
	}
	return c.store.RemoveCore() // which a solve has left that had begun the store
}

// stop keeps what was copied when a merge ends for an error.
func (c *copying) stop(ctx context.Context, err error) error {
	var failed error
	if c.reached.Done > c.safe {
		failed = c.checkpoint(c.reached)
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		err = fmt.Errorf("%w at %.1f %%", task.ErrInterrupted, 100*float64(c.safe)/float64(c.geom.N))
	}
	return errors.Join(err, failed)
}

func (c *copying) checkpoint(st tiles.State) error {
	if err := c.store.Checkpoint(st); err != nil {
		return err
	}
	c.reached, c.safe, c.synced = st, st.Done, time.Now()
	return nil
}

// source is a part that is open.
type source struct {
	part
	store *tiles.Store
	sums  []uint32
	again string // what to solve again where the part is damaged; "": the part
}

// part copies the rows of a part.
func (c *copying) part(ctx context.Context, p part) error {
	opened, err := p.open()
	if err != nil {
		return err
	}
	defer opened.Close()
	from := opened.Store()
	src := &source{part: p, store: from}
	if p.stores != nil {
		src.again = "these parts again, with " + opened.ClusterCommand() + " --restart"
	}
	if from.Meta().ID != p.meta.ID {
		return src.anew()
	}
	if src.sums, err = from.Sums(); errors.Is(err, fs.ErrNotExist) {
		return src.anew()
	} else if err != nil {
		return err
	}
	for i := p.first; i < p.end; i++ {
		if err := c.row(ctx, src, i); err != nil {
			return err
		}
		if err := c.rowDone(i); err != nil {
			return err
		}
	}
	return nil
}

// anew is the error of a part that is not what it was when all parts were looked at.
func (s *source) anew() error {
	return text.ErrorOf(errOther, "%s was begun again while it was merged; merge again when it is solved", s.dir)
}

// row copies a row of tiles, or of one that is there what is not as it should be.
func (c *copying) row(ctx context.Context, src *source, i int) error {
	first, step := c.geom.First(i), c.together()
	if i < c.there {
		step = 1
	}
	n := c.geom.Side() - first
	return parallel.Do(ctx, entry.CeilDiv(n, step), func() func(int) error {
		return func(k int) error {
			buffer := c.buffers.Get().(*[]byte)
			defer c.buffers.Put(buffer)
			j := first + k*step
			if i < c.there {
				if same, err := c.has(src, i, j, *buffer); same || err != nil {
					return err
				}
			}
			return c.copy(src, i, j, min(step, n-k*step), *buffer)
		}
	}, func() {})
}

// rowDone says how far the merge is, to whoever watches it and to the next run.
func (c *copying) rowDone(i int) error {
	rows := min((i+1)*c.geom.T, c.geom.N)
	if c.o.Progress != nil {
		c.o.Progress(rows, c.geom.N)
	}
	// The algorithm that seems to have begun this store goes on with neither a matrix nor predecessors.
	if i < c.there || c.meta.Dense || c.meta.Predecessors {
		return nil
	}
	byRows := engine.AlgorithmThat(func(t plan.Traits) bool { return t.Rows && t.Devices })
	c.reached = tiles.State{Algorithm: byRows, Done: int64(rows)}
	if time.Since(c.synced) >= c.o.Checkpoint && rows < c.geom.N {
		return c.checkpoint(c.reached)
	}
	return c.store.Note(c.reached)
}

// has reports whether a tile that an earlier run has written is that of the part.
func (c *copying) has(src *source, i, j int, buffer []byte) (bool, error) {
	if c.changes(i, j) { // the part's checksum is that of another tile
		return false, nil
	}
	tile, want := buffer[:c.geom.TileBytes()], src.sumsOf(i, j)
	if err := c.store.ReadTileFile(tile, i, j); err != nil {
		return false, err
	}
	sums := c.sumsOf(i, j)
	tiles.Sums(sums, tile)
	return slices.Equal(sums, want), nil
}

// copy copies n tiles of a row from tile (i,j) on.
func (c *copying) copy(src *source, i, j, n int, buffer []byte) error {
	size := c.geom.TileBytes()
	for k := range n {
		tile, sums := buffer[int64(k)*size:][:size], c.sumsOf(i, j+k)
		if err := src.read(tile, sums, i, j+k); err != nil {
			return err
		}
		if c.changes(i, j+k) {
			c.change(tile, i)
			tiles.Sums(sums, tile)
		}
	}
	if err := c.store.WriteTiles(i, j, buffer[:int64(n)*size]); err != nil {
		return err
	}
	c.copied.Add(int64(n) * size)
	return nil
}

// sumsOf are the checksums of a tile of the new store. No two goroutines have the same tile.
func (c *copying) sumsOf(i, j int) []uint32 {
	each := c.meta.SumsPerTile()
	return c.sums[c.geom.Index(i, j)*each:][:each]
}

// changes reports whether a tile of the new store is another than the part's: one on the diagonal that is mirrored,
// or has padding. Parts of rounds have those of the whole.
func (c *copying) changes(i, j int) bool {
	return c.parts[0].stores == nil && i == j && (c.geom.Upper || (i+1)*c.geom.T > c.geom.N)
}

// change makes a tile on the diagonal what it is in a store of all rows. In floating kinds the rows of u and of v may
// say different distances between the two, and where one half is kept, that of the smaller counts.
func (c *copying) change(tile []byte, i int) {
	t := c.geom.T
	for r := max(0, c.geom.N-i*t); r < t; r++ { // padding is vertices without arcs
		c.meta.Kind.Put(tile, r*t+r, 0)
	}
	if c.geom.Upper {
		c.geom.Mirror(tile)
	}
}

// sumsOf are the checksums that the part's solve has left of what is tile (i,j) of the whole.
func (s *source) sumsOf(i, j int) []uint32 {
	each := s.meta.SumsPerTile()
	return s.sums[s.store.Geometry().Index(i-s.first, j)*each:][:each]
}

// read reads what is tile (i,j) of the whole, and its checksums, and fails if these are not those that it was solved
// with.
func (s *source) read(tile []byte, sums []uint32, i, j int) error {
	err := s.store.ReadTileFile(tile, i-s.first, j)
	if err == nil {
		tiles.Sums(sums, tile)
		if err = s.meta.CompareSums(i-s.first, j, 0, sums, s.sumsOf(i, j)); err != nil {
			err = fmt.Errorf("%s: %w: %w", s.store.FileOf(i-s.first, j), disk.ErrCorrupt, err)
		}
	}
	if err == nil {
		return nil
	}
	if now, serr := s.store.Sums(); errors.Is(serr, fs.ErrNotExist) || serr == nil && !slices.Equal(now, s.sums) {
		return s.anew()
	}
	return fmt.Errorf("%w; solve %s, and merge again, which goes on", err,
		cmp.Or(s.again, "this part again, with ooc solve "+text.Quote(s.dir)+" --restart"))
}
