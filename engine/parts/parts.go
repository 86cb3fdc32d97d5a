package parts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"

	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/class"
)

// errOther is wrapped by the error of stores that cannot be put together: they are no parts, or not those of one
// matrix, or some are missing, or the store that they are to be merged into is that of something else.
var errOther = class.New(class.Input, "not the parts of one matrix")

// Rows returns the rows of part i of k, from 1 on, of a matrix of n rows in tiles of edge t. It fails if there are
// fewer rows of tiles than parts.
func Rows(n, t, i, k int) (tiles.RowSet, error) {
	side := entry.CeilDiv(n, t)
	if k > side {
		return nil, fmt.Errorf("%d rows are only %s of tiles of edge %d, and a part has at least one: ask for fewer "+
			"parts, or smaller tiles", n, english.Plural(side, "row", ""), t)
	}
	first, end := span(side, i, k)
	rows := make(tiles.RowSet, 0, (end-first)*t)
	for v := first * t; v < min(end*t, n); v++ {
		rows = append(rows, int32(v))
	}
	return rows, nil
}

// span returns which of the rows of tiles are part i of k: from first on, up to end, which is not one of them.
func span(side, i, k int) (first, end int) {
	return int(int64(side) * int64(i-1) / int64(k)), int(int64(side) * int64(i) / int64(k))
}

// Options say how Merge goes about it. All may be left out.
type Options struct {
	Command    []string           // the command line, for the record
	Checkpoint time.Duration      // between checkpoints; 0: a minute
	Progress   func(rows, of int) // called now and then, with those of earlier runs; by one goroutine at a time
	Resumed    func(rows, of int) // called where rows of an earlier run are there
}

// result says what Merge did.
type result struct {
	Store    string  `json:"store"`
	Parts    int     `json:"parts"`
	Vertices int     `json:"vertices"`
	Arcs     int64   `json:"arcs"`
	Kind     string  `json:"kind"`
	Layout   string  `json:"layout"`
	Bytes    int64   `json:"bytes"`        // of the matrix
	Copied   int64   `json:"bytes_copied"` // by this run
	Resumed  int     `json:"resumed_rows"` // copied by an earlier run
	Already  bool    `json:"already_merged"`
	Seconds  float64 `json:"seconds"`
}

// Merge makes the store out of the stores of all parts, in any order: parts of rows, or those of rounds, also as the
// folder that holds them. Of a symmetric graph it keeps one half, as a solve does. It goes on with a store that it
// has begun before. When ctx ends it takes a checkpoint and fails with task.ErrInterrupted.
//
// Before anything is written it fails for stores that cannot be put together, with engine.ErrUnsolved for a part that
// is not solved, lock.ErrLocked for one that another process has, lock.ErrNotStore for a folder of something else,
// also in the place of the new store, and with disk.ErrNoSpace. A part that turns out to be damaged ends it with
// disk.ErrCorrupt; what was copied before that is kept.
func Merge(ctx context.Context, out string, dirs []string, o Options) (*result, error) {
	began := time.Now()
	if err := vacant(out, dirs); err != nil {
		return nil, err
	}
	w, err := look(ctx, dirs)
	if err != nil {
		return nil, err
	}
	c, err := w.begin(out, o)
	if err != nil {
		return nil, err
	}
	g := c.geom
	r := &result{Store: out, Parts: w.count(), Vertices: g.N, Arcs: w.meta.Arcs, Kind: string(w.meta.Kind),
		Layout: string(g.Layout()),
		Bytes:  g.MatrixBytes(), Resumed: int(c.safe)}
	if r.Already, err = c.finished(); err == nil && !r.Already {
		if c.there > 0 && o.Resumed != nil {
			o.Resumed(r.Resumed, g.N)
		}
		err = c.run(ctx)
	}
	r.Copied, r.Seconds = c.copied.Load(), time.Since(began).Seconds()
	return r, errors.Join(err, c.store.Close())
}
