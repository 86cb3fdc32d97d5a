package rows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ooc/engine/internal/cancel"
	"ooc/kernels/entry"
	"ooc/tiles/arrays"
)

// Keeper is an Engine whose Ready graphs can be kept in a file.
type Keeper interface {
	Engine
	// Load opens what Save of the Ready has written of a graph of n vertices, for the store of that id. It fails with
	// disk.ErrCorrupt.
	Load(path string, id [16]byte, n int, v entry.Variant) (Ready, error)
}

// saver is the Ready of a Keeper.
type saver interface {
	// Save writes the file at path, durably and all or nothing, in the format of package arrays. It
	// goes on if ctx ends, and fails with disk.ErrNoSpace.
	Save(ctx context.Context, path string, id [16]byte) error
}

// Save writes what a Keeper loads of a Ready of the engine of that name. Of other engines the file says the name alone.
func Save(ctx context.Context, r Ready, engine, path string, id [16]byte) error {
	if s, ok := r.(saver); ok {
		return s.Save(ctx, path, id)
	}
	return arrays.Write(path, id, [][]byte{[]byte(engine)}, &cancel.Begin(ctx, int64(len(engine))).Done)
}

// pairReader is a Ready that finds single distances faster than by their row.
type pairReader interface {
	ReadAt(u, v int) (bits uint64, err error)
}

// Reader answers single questions from a Ready, with entries of its Kind.Wide. What it computes them with is kept until
// Close. Many goroutines may ask at a time.
type Reader struct {
	Ready
	kind entry.Kind
	n    int

	mu   sync.Mutex
	idle []sized // that nobody uses; guarded by mu, as back
	back *Reader // of the reversed graph; nil: not made yet
}

// sized is a Worker for about so many rows.
type sized struct {
	Worker
	rows int
}

// NewReader returns a Reader of a Ready, which it closes, of a graph of a kind.
func NewReader(r Ready, kind entry.Kind) *Reader {
	return &Reader{Ready: r, kind: kind.Wide(), n: len(r.Order())}
}

// ReadRows fills dst with the distances from a few sources, row after row.
func (r *Reader) ReadRows(dst []byte, sources []int) (err error) {
	w := sized{rows: len(sources)}
	r.mu.Lock()
	if i := slices.IndexFunc(r.idle, func(w sized) bool { return w.rows >= len(sources) }); i >= 0 {
		w = r.idle[i]
		r.idle = slices.Delete(r.idle, i, i+1)
	}
	r.mu.Unlock()
	if w.Worker == nil {
		if w.Worker, err = r.NewWorker(len(sources)); err != nil {
			return err
		}
	}
	if err := w.ReadRows(dst, sources); err != nil {
		return errors.Join(err, w.Close())
	}
	r.mu.Lock()
	r.idle = append(r.idle, w)
	r.mu.Unlock()
	return nil
}

// ReadRow fills dst with the distances from u.
func (r *Reader) ReadRow(dst []byte, u int) error { return r.ReadRows(dst, []int{u}) }

// ReadCol fills dst with the distances to v. In floating kinds they may differ from those of rows by rounding.
func (r *Reader) ReadCol(dst []byte, v int) error {
	back, err := r.reversed()
	if err != nil {
		return err
	}
	return back.ReadRow(dst, v)
}

// reversed returns the Reader of the reversed graph.
func (r *Reader) reversed() (*Reader, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.back == nil {
		back, err := r.Reversed()
		if err != nil {
			return nil, err
		}
		if r.back = r; back != r.Ready {
			r.back = NewReader(back, r.kind)
		}
	}
	return r.back, nil
}

// ReadAt returns the bits of the distance from u to v.
func (r *Reader) ReadAt(u, v int) (uint64, error) {
	if u < 0 || u >= r.n || v < 0 || v >= r.n {
		return 0, fmt.Errorf("there is no distance from %d to %d of %d vertices", u, v, r.n)
	}
	if p, ok := r.Ready.(pairReader); ok {
		return p.ReadAt(u, v)
	}
	row := r.kind.Make(r.n)
	err := r.ReadRow(row, u)
	return r.kind.At(row, v), err
}

// Close closes the Ready. Nothing may ask any more.
func (r *Reader) Close() error { return errors.Join(r.Free(), r.Ready.Close()) }

// Free frees what the Reader has kept, and leaves the Ready open. Nothing may ask the Reader any more.
func (r *Reader) Free() (err error) {
	if r.back != nil && r.back != r {
		err = r.back.Free()
	}
	for _, w := range r.idle {
		err = errors.Join(err, w.Close())
	}
	return err
}
