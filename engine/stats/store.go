package stats

import (
	"context"
	"runtime"

	"ooc/engine"
	"ooc/kernels/entry"
)

const (
	partBytes  = 256 << 10 // is read at a time: it stays in the processor's second cache
	bandRows   = 512       // at most: bands, not tiles, are shared out, so that few large tiles keep all busy
	maxWorkers = 16
	aheadBytes = 8 << 20 // asked of the disk before it is read
)

// newStored returns a store as a source. A band is some rows of one row of tiles. Readers are more than there are
// processors, because some wait for the disk.
func newStored(p *engine.Problem) source {
	geom, sources := p.Geometry(), p.Meta().Sources
	s := source{
		order: make([]int32, geom.RowCount()), height: bandHeight(geom.T),
		hands: min(2*runtime.GOMAXPROCS(0), maxWorkers),
		missed: missedIn(p.Meta().Kind.Wide(), geom.N, func(dst []byte, v int) error {
			place, _ := sources.Index(v)
			return p.Store().ReadRow(dst, place)
		}),
		close: func() error { return nil },
	}
	for i := range s.order {
		s.order[i] = int32(sources.Vertex(i))
	}
	s.reader = func(int) (reader, error) {
		r := &storeReader{p: p, kind: p.Meta().Kind.Wide()}
		r.most = min(s.height, max(1, partBytes/(r.kind.Bytes()*geom.T)))
		r.memory = r.kind.Make(r.most * geom.T)
		return r, nil
	}
	return s
}

// bandHeight cuts rows of tiles into equal bands, multiples of 64 rows.
func bandHeight(tile int) int {
	height := 64
	for h := 64; h <= min(tile, bandRows); h += 64 {
		if tile%h == 0 {
			height = h
		}
	}
	return height
}

// storeReader reads tiles in parts.
type storeReader struct {
	p      *engine.Problem
	kind   entry.Kind // of entries as they are read
	most   int        // rows of a part
	memory []byte
}

func (r *storeReader) Close() error { return nil }

// read goes through a band from the first tile to the last, and through the rows of each.
func (r *storeReader) read(ctx context.Context, lo, hi int, all takers) error {
	geom := r.p.Geometry()
	stride := r.kind.Bytes() * geom.T
	for j := range geom.Side() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.prefetch(lo, j)
		for row := lo; row < hi; row += r.most {
			b := &part{at: row - lo, col: j * geom.T, rows: min(r.most, hi-row), stride: stride}
			b.cols = min(geom.T, geom.N-j*geom.T)
			b.memory = r.memory[:b.rows*stride]
			if err := r.p.Store().ReadEntries(b.memory, row/geom.T, j, row%geom.T*geom.T); err != nil {
				return err
			}
			all.add(b)
		}
	}
	return nil
}

// prefetch asks for tiles right of column j, once for each: with the first band of a row of tiles. Tiles too
// large for it are read in pieces so long that the system reads ahead by itself.
func (r *storeReader) prefetch(row, j int) {
	geom := r.p.Geometry()
	if ahead := int(aheadBytes / geom.TileBytes()); row%geom.T == 0 && ahead > 0 {
		from := j + ahead
		if j == 0 {
			from = 1
		}
		for k := from; k <= min(j+ahead, geom.Side()-1); k++ {
			r.p.Store().Prefetch(row/geom.T, k)
		}
	}
}
