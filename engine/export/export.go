package export

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ooc/engine"
	"ooc/engine/graph/packed"
	"ooc/engine/idfile"
	"ooc/engine/newfile"
	"ooc/kernels/entry"
)

// Options say what of a matrix to export, and how. The zero value is all of it.
type Options struct {
	Format      string   // a name in Formats; "" takes the extension of the file
	Rows, Cols  []int    // vertices, by their rows, in the order they are wanted; nil: all there are
	Unreachable *float64 // stands for what has no path; nil: what the format says
	Overwrite   bool     // replace a file that is there

	// Predecessors, where set, replaces distances: entry [u,v] is the row of the vertex before v on a shortest path
	// from u, and *Predecessors where there is none because v is u or cannot be reached. It goes with format npy and
	// without Cols, and needs the arcs of the store's graph, unless the store keeps predecessors.
	Predecessors *int32
}

// format writes a solved matrix, or a part of it, in one format.
type format struct {
	Name  string // and, after a dot, the extension
	Title string
	write func(ctx context.Context, x *extract, w io.Writer) error
}

// Formats lists the formats.
var Formats = []format{
	npyFormat,
	csvFormat,
	mtxFormat,
}

// File writes distances to a file, and compresses it if its last extension is .gz or .zst. It takes at most 256 MiB
// of memory beside the ids. The file appears under its name only once it is whole and synced. Errors:
// engine.ErrUnsolved if the distances are not final, graph.ErrNoVertex if the store lacks a row or column,
// newfile.ErrNoFormat, and fs.ErrExist if the file exists and may not be overwritten.
func File(ctx context.Context, p *engine.Problem, file string, o Options) error {
	if o.Format == "" {
		o.Format = strings.TrimPrefix(filepath.Ext(packed.TrimExt(file)), ".")
	}
	e, x, err := prepare(p, o)
	if err != nil {
		return fmt.Errorf("export to %s: %w", file, err)
	}
	err = newfile.File{Path: file, Overwrite: o.Overwrite}.Write(func(w io.Writer) error {
		out, err := packed.NewWriter(w, file)
		if err != nil {
			return err
		}
		if err := x.write(ctx, e, out); err != nil {
			return err
		}
		return out.Close()
	})
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// Write is File to a stream, which it neither compresses nor syncs. Options name the format.
func Write(ctx context.Context, p *engine.Problem, w io.Writer, o Options) error {
	e, x, err := prepare(p, o)
	if err == nil {
		err = x.write(ctx, e, w)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// write writes in a format, and fails if another process has begun the store again meanwhile.
func (x *extract) write(ctx context.Context, e *format, w io.Writer) error {
	if err := e.write(ctx, x, w); err != nil {
		return err
	}
	return x.p.Solved()
}

func prepare(p *engine.Problem, o Options) (*format, *extract, error) {
	e, err := formatOf(o.Format)
	if err != nil {
		return nil, nil, err
	}
	if err := p.Solved(); err != nil {
		return nil, nil, err
	}
	x, err := pick(p, o)
	if err != nil {
		return nil, nil, err
	}
	x.stored, x.size = p.Store().ReadEntries, p.Meta().Kind.Wide().Bytes()
	if o.Predecessors != nil {
		if o.Cols != nil || e.Name != npyFormat.Name {
			return nil, nil, fmt.Errorf("%w %q of predecessors of chosen columns: there is .npy, of whole rows",
				newfile.ErrNoFormat, "."+e.Name)
		}
		e = &format{Name: e.Name, write: writePredecessors}
		if p.Meta().Predecessors {
			x.stored, x.size = p.Store().ReadEntriesPredecessors, entry.WordBytes
			e.write = writeStoredPredecessors
		}
	}
	x.ready, err = p.Ready()
	return e, x, err
}

func formatOf(name string) (*format, error) {
	var known []string
	for i := range Formats {
		if strings.EqualFold(name, Formats[i].Name) {
			return &Formats[i], nil
		}
		known = append(known, "."+Formats[i].Name)
	}
	return nil, fmt.Errorf("%w is called %q; there are %s", newfile.ErrNoFormat, "."+name, strings.Join(known, ", "))
}

// NewIDs is idfile.New for the rows and columns of what the options pick. It fails with graph.ErrNoVertex too, for
// those that the store has not.
func (o Options) NewIDs(p *engine.Problem, file newfile.File) (*idfile.File, error) {
	x, err := pick(p, o)
	if err != nil {
		return nil, err
	}
	return idfile.New(file, idfile.Axis{N: x.rows.n, IDs: x.ids, Vertex: x.rowVertex},
		idfile.Axis{N: x.cols.n, IDs: x.ids, Vertex: x.cols.number})
}
