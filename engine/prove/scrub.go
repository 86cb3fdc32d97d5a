package prove

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"ooc/engine"
	"ooc/engine/internal/parallel"
	"ooc/engine/text"
	"ooc/tiles"
	"ooc/tiles/arrays"
	"ooc/tiles/disk"
)

// ScrubOptions say where a scrub begins and who is told about it.
type ScrubOptions struct {
	From     int                 // the first tile, counted row by row from 0: where one that was stopped goes on
	Progress func(tiles, of int) // called now and then with the tiles that are done; may be nil
	// Damaged: called for each tile that is damaged, with an error that names its file and it; may be nil.
	Damaged func(err error)
}

// scrubbed says what a scrub compared.
type scrubbed struct {
	Tiles   int     `json:"tiles"` // whose checksums were compared
	Bytes   int64   `json:"bytes"`
	Damaged int     `json:"damaged"` // tiles that do not match, or cannot be read
	Next    int     `json:"next"`    // every tile before it was looked at
	Seconds float64 `json:"seconds"`
}

// readAheadTiles is how many tiles ahead the disk is asked to read.
const readAheadTiles = 16

// Scrub compares every tile of a solved store, as it is on disk and not in memory, with the checksum that the solve
// stored, and the stored graph and ids with theirs. It continues after a damaged tile and fails with disk.ErrCorrupt
// in the end. When ctx ends it fails with the cause, and Next is the tile to begin with again.
func Scrub(ctx context.Context, p *engine.Problem, o ScrubOptions) (scrubbed, error) {
	began := time.Now()
	s := &scrub{p: p, o: o, result: scrubbed{Next: o.From}}
	if err := p.Solved(); err != nil {
		return s.result, err
	}
	var err error
	all := p.Geometry().Tiles()
	if s.file, err = openFile(p); s.file != nil {
		defer s.file.Close() // it was read alone
		all = s.file.Blocks()
	} else if err == nil {
		s.sums, err = storedSums(p)
	}
	if err != nil {
		return s.result, err
	}
	if o.From < 0 || o.From >= all {
		return s.result, text.ErrorOf(ErrNoTile, "%s has tiles 0 to %d, and none %d to begin with", p.Dir(), all-1,
			o.From)
	}
	s.seen = make([]bool, all)
	p.Store().DropCache()
	if s.file != nil {
		s.file.DropCache()
	}
	err = parallel.Do(ctx, all-o.From, func() func(int) error {
		buffer, got := make([]byte, p.Geometry().TileBytes()), make([]uint32, p.Meta().SumsPerTile())
		return func(i int) error { return s.tile(o.From+i, buffer, got) }
	}, func() {
		if s.done++; o.Progress != nil {
			o.Progress(s.done, all-o.From)
		}
	})
	s.result.Bytes = int64(s.result.Tiles) * p.Geometry().TileBytes()
	if s.file != nil {
		s.result.Bytes = min(s.file.Bytes(), int64(s.result.Tiles)*arrays.BlockBytes)
	}
	s.result.Seconds = time.Since(began).Seconds()
	if err != nil {
		return s.result, err
	}
	inputs := p.Store().CheckInputs()
	if s.result.Damaged == 0 {
		return s.result, inputs
	}
	if inputs != nil && o.Damaged != nil {
		o.Damaged(inputs) // the error is that of the tiles
	}
	if s.file != nil { // its error names the file, and a way out
		return s.result, fmt.Errorf("%d of %d blocks are damaged: %w", s.result.Damaged, s.result.Tiles, s.first)
	}
	name := tiles.MatrixPath(p.Dir())
	if p.Store().Parts() != nil {
		name = p.Dir()
	}
	return s.result, fmt.Errorf("%s: %w: %d of %d tiles are damaged, %w; solve again with --restart",
		name, disk.ErrCorrupt, s.result.Damaged, s.result.Tiles, s.first)
}

// ErrNoTile is wrapped by the error of a scrub that is to begin with a tile that does not exist.
var ErrNoTile = errors.New("no such tile")

// openFile opens the file that a store without a matrix has; nil: there is a matrix. Close it after use.
func openFile(p *engine.Problem) (*arrays.File, error) {
	if !p.Geometry().Factors {
		return nil, nil
	}
	return arrays.Open(p.Store().FactorsPath(), p.Meta().ID)
}

// storedSums returns the checksums of a solved store.
func storedSums(p *engine.Problem) ([]uint32, error) {
	sums, err := p.Store().Sums()
	if errors.Is(err, fs.ErrNotExist) { // the solve was killed after its last checkpoint
		return nil, fmt.Errorf("%s has no checksums: it is %w to the last step", p.Dir(), engine.ErrUnsolved)
	}
	return sums, err
}

type scrub struct {
	p    *engine.Problem
	o    ScrubOptions
	sums []uint32

	file *arrays.File // of a store without a matrix, whose blocks are the tiles; nil: there is a matrix

	done int // tiles, for Progress alone

	mu     sync.Mutex
	result scrubbed // guarded by mu
	seen   []bool   // by tile; guarded by mu
	first  error    // what is wrong with the first tile found; guarded by mu
}

// tile compares one tile. A damaged tile is noted and does not stop the scrub.
func (s *scrub) tile(t int, buffer []byte, got []uint32) error {
	if ahead := t + readAheadTiles; ahead < len(s.seen) && s.file == nil {
		s.p.Store().Prefetch(s.p.Geometry().TileAt(ahead))
	}
	damage, err := s.compare(t, buffer, got)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.result.Tiles++
	for s.seen[t] = true; s.result.Next < len(s.seen) && s.seen[s.result.Next]; {
		s.result.Next++
	}
	if damage == nil {
		return nil
	}
	if s.result.Damaged++; s.first == nil {
		s.first = damage
	}
	if s.o.Damaged != nil {
		if s.file == nil { // whose errors name their file
			damage = fmt.Errorf("%s: %w", s.p.Store().FileOf(s.p.Geometry().TileAt(t)), damage)
		}
		s.o.Damaged(damage)
	}
	return nil
}

// compare reads a tile, and compares it with its checksum. It fails where the tile cannot be read now, which is no
// damage.
func (s *scrub) compare(t int, buffer []byte, got []uint32) (damage, err error) {
	if s.file != nil {
		err = s.file.Check(t)
	} else {
		i, j := s.p.Geometry().TileAt(t)
		if err = s.p.Store().ReadTileFile(buffer, i, j); err == nil {
			tiles.Sums(got, buffer)
			return s.p.Meta().CompareSums(i, j, 0, got, s.sums[t*len(got):]), nil
		}
	}
	if errors.Is(err, disk.ErrCorrupt) {
		return err, nil
	}
	return nil, err
}
