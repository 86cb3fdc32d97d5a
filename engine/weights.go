package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/kernels/entry"
	"ooc/tiles/class"
	"ooc/tiles/disk"
)

var (
	_ graph.Weights = (*graph.Graph)(nil)
	_ graph.Weights = (*dense.Matrix)(nil)
)

// ErrInput is wrapped by the error of a call that needs the input of a store which keeps no graph, because it
// was a matrix, where that input is missing or has changed.
var ErrInput = class.New(class.Input, "the input is needed again")

// Spool returns a function that makes a file of the given size in a folder. The file exists for as long as it is
// open. Its space is reserved at once; without enough space the function fails with disk.ErrNoSpace.
func Spool(dir string) func(size int64) (*os.File, error) {
	return func(size int64) (*os.File, error) {
		f, remove, err := disk.Nameless(dir, ".ooc-spool-*")
		if err != nil {
			return nil, err
		}
		if err := disk.Reserve(f, size); err != nil {
			return nil, errors.Join(err, f.Close(), remove())
		}
		return f, nil
	}
}

// weights returns what the tiles of the matrix are filled from: the stored graph, or a matrix in a file, which
// is at path now, or where it was at the import if path is "".
func (p *Problem) weights(path string) (graph.Weights, error) {
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

// OpenInput opens what the tiles of a new matrix are filled from, as Options.Input has it.
func (p *Problem) OpenInput(path string) error {
	_, err := p.weights(path)
	return err
}

// dense opens the matrix that the store was made from, and makes sure that it is the same.
func (p *Problem) dense(path string) (*dense.Matrix, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.matrix != nil {
		return p.matrix, nil
	}
	from := p.meta.Input
	if path == "" && from.ModTime.IsZero() {
		return nil, fmt.Errorf("%s: %w: %s, which is not kept; solve it once more with --restart", p.Dir(), ErrInput,
			from.Name)
	}
	if path == "" {
		path = from.Name
	}
	d, err := dense.Open(path, p.inputOptions())
	if err == nil {
		now, same := d.Source(), false
		if same, err = isInput(&from, now.Name, now.Size, now.ModTime, d.SHA256); err == nil && !same {
			err = fmt.Errorf("%s %s", now.Name, notAsImported)
		}
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}
	if err != nil {
		return nil, p.otherMatrix(err)
	}
	p.matrix = d
	return d, nil
}

// Matrix returns the matrix that the store was made from, opened where it was then, after making sure that it is the
// same. It fails with ErrInput if it is missing or has changed.
func (p *Problem) Matrix() (*dense.Matrix, error) { return p.dense("") }

// ByColumn reports whether the matrix that the store was made from is open and is read by columns, because its
// columns, and not its rows, lie together in the file.
func (p *Problem) ByColumn() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.matrix != nil && p.matrix.ByColumn()
}

// inputOptions are the options that the store's matrix was read with.
func (p *Problem) inputOptions() dense.Options {
	m := &p.meta
	o := dense.Options{Kind: entry.Kind(m.Kind), Directed: &m.Directed, NoArc: m.Input.NoArc,
		Unweighted: m.Input.Unweighted, Spool: Spool(filepath.Dir(p.Dir()))}
	if m.Scale > 1 {
		o.Scale = m.Scale
	}
	return o
}

const notAsImported = "is not what it was at the import; put that back, or solve the file itself with --restart"

// otherMatrix is the error of a matrix that tiles cannot be filled from.
func (p *Problem) otherMatrix(err error) error {
	return fmt.Errorf("%s: %w: %w", p.Dir(), ErrInput, err)
}
