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

// stored is a store as a source. A band is some rows of one row of tiles. All are so high but for the last.
type stored struct {
	p      *engine.Problem
	kind   entry.Kind // of entries as they are read
	height int        // of bands
}

func newStored(p *engine.Problem) *stored {
	return &stored{p, p.Meta().Kind.Wide(), bandHeight(p.Geometry().T)}
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

func (s *stored) bands() int { return entry.CeilDiv(s.p.Geometry().RowCount(), s.height) }

// workers is more than there are processors, because some wait for the disk.
func (s *stored) workers() int { return min(2*runtime.GOMAXPROCS(0), maxWorkers) }

func (s *stored) rows(band int) []int32 {
	first := band * s.height
	rows := make([]int32, min(s.height, s.p.Geometry().RowCount()-first))
	for i := range rows {
		rows[i] = int32(s.p.Meta().Sources.Vertex(first + i))
	}
	return rows
}

func (s *stored) row(dst []byte, v int) error {
	place, _ := s.p.Meta().Sources.Index(v)
	return s.p.Store().ReadRow(dst, place)
}

func (s *stored) reader() (reader, error) {
	r := &storeReader{stored: s}
	r.memory = s.kind.Make(r.partRows() * s.p.Geometry().T)
	return r, nil
}

// storeReader reads tiles in parts.
type storeReader struct {
	*stored
	memory []byte
}

func (r *storeReader) close() error { return nil }

// partRows is the number of rows of a part.
func (s *stored) partRows() int {
	return min(s.height, max(1, partBytes/(s.kind.Bytes()*s.p.Geometry().T)))
}

// read goes through a band from the first tile to the last, and through the rows of each.
func (r *storeReader) read(ctx context.Context, band int, all takers) error {
	geom := r.p.Geometry()
	first := band * r.height
	rows := min(r.height, geom.RowCount()-first)
	stride := r.kind.Bytes() * geom.T
	for j := range geom.Side() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.prefetch(first, j)
		for at := 0; at < rows; at += r.partRows() {
			b := &part{at: at, col: j * geom.T, rows: min(r.partRows(), rows-at), cols: min(geom.T, geom.N-j*geom.T), stride: stride}
			b.memory = r.memory[:b.rows*stride]
			row := first + at
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
