package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ooc/engine/graph"
	"ooc/tiles"
)

// Weights is the matrix that a solve begins with: *graph.Graph, or *graph.Dense, whose entries stay in their
// file. Its methods may be called by several goroutines.
type Weights interface {
	// Facts are what the store is made and planned by.
	Facts() graph.Facts
	// Check proves that a matrix of the kind can hold every distance.
	Check() error
	// FillTile writes tile (i, j) of edge t, row by row, into dst, 4·t·t bytes.
	FillTile(dst []byte, t, i, j int) error
}

var (
	_ Weights = (*graph.Graph)(nil)
	_ Weights = (*graph.Dense)(nil)
)

// ErrInput is wrapped by the error of a call that needs the input of a store which keeps no graph, because it
// was a matrix, where that input is missing or has changed.
var ErrInput = errors.New("the input is needed again")

// Spool returns what makes a file in a folder to hold size bytes for as long as it is open. It reserves the
// space at once, and fails with tiles.ErrNoSpace where that is not there.
func Spool(dir string) func(size int64) (*os.File, error) {
	return func(size int64) (*os.File, error) {
		f, err := os.CreateTemp(dir, ".ooc-spool-*")
		if err != nil {
			return nil, err
		}
		os.Remove(f.Name()) // where an open file can be removed, nothing is left of it whatever happens
		if err := tiles.Reserve(f, size); err != nil {
			return nil, errors.Join(err, f.Close(), removed(f.Name()))
		}
		return f, nil
	}
}

// removed removes a file that may be gone already.
func removed(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// weights returns what the tiles of the matrix are filled from: the stored graph, or a matrix in a file, which
// is at path now, or where it was at the import if path is "".
func (p *Problem) weights(path string) (Weights, error) {
	if p.given != nil {
		return p.given, nil
	}
	if !p.meta.Dense {
		return p.Graph()
	}
	d, err := p.dense(path)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// dense returns the matrix that the store was made from, once it is known to be the same.
func (p *Problem) dense(path string) (*graph.Dense, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.matrix != nil {
		return p.matrix, nil
	}
	from := p.meta.Input
	if path == "" && from.ModTime.IsZero() {
		return nil, fmt.Errorf("%s: %w: %s, which nobody keeps; solve it once more with --restart", p.Dir(), ErrInput, from.Name)
	}
	if path == "" {
		path = from.Name
	}
	d, err := graph.OpenDense(path, p.inputOptions())
	if err == nil {
		if err = sameMatrix(d, from); err != nil {
			err = errors.Join(err, d.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w to fill it from: %w", p.Dir(), ErrInput, err)
	}
	p.matrix = d
	return d, nil
}

// inputOptions are those that make of a matrix what the store was made of.
func (p *Problem) inputOptions() graph.Options {
	m := &p.meta
	o := graph.Options{Kind: graph.Kind(m.Kind), Directed: &m.Directed, NoArc: m.Input.NoArc, Spool: Spool(filepath.Dir(p.Dir()))}
	if m.Scale > 1 {
		o.Scale = m.Scale
	}
	return o
}

// sameMatrix compares size and time, and the checksum only where they differ.
func sameMatrix(d *graph.Dense, from tiles.Input) error {
	now := d.Source()
	if now.Size == from.Size && now.ModTime.Equal(from.ModTime) {
		return nil
	}
	sum, err := d.SHA256()
	if err == nil && sum != from.SHA256 {
		err = fmt.Errorf("%s is not what it was at the import; put that back, or begin again with --restart", now.Name)
	}
	return err
}
