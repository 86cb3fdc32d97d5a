package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/internal/newfile"
)

// ExportOptions say what of a matrix to export, and how. The zero value is all of it.
type ExportOptions struct {
	Format      string   // a name in Exporters; "" takes the extension of the file
	Rows, Cols  []int    // vertices, by their rows, in the order they are wanted; nil: all there are
	Unreachable *float64 // stands for what has no path; nil: what the format says
	Overwrite   bool     // replace a file that is there

	// Predecessors, where set, replaces distances: entry [u,v] is the row of the vertex before v on a shortest path
	// from u, and *Predecessors where there is none because v is u or cannot be reached. It goes with format npy and
	// without Cols, and needs the arcs of the store's graph, unless the store keeps predecessors.
	Predecessors *int32
}

// NoPredecessor is what SciPy writes where there is no predecessor.
const NoPredecessor int32 = -9999

// Exporter writes a solved matrix, or a part of it, in one format.
type Exporter struct {
	Name  string // and, after a dot, the extension
	Title string
	write func(ctx context.Context, x *extract, w io.Writer) error
}

// Exporters lists the formats.
var Exporters = []Exporter{
	npyExport,
	csvExport,
	mtxExport,
}

// ErrNoFormat is wrapped by the error of an export to a format that there is not.
var ErrNoFormat = errors.New("no format")

// Export writes distances to a file, compressed if its last extension is .gz or .zst, streamed in at most
// 256 MiB of memory beside the ids. The file appears under its name only once it is whole and synced. It
// fails with ErrUnsolved where distances are not final, with ErrNoVertex for rows and columns that it has
// not, with ErrNoFormat, and with fs.ErrExist where the file is there and not to be overwritten.
func (p *Problem) Export(ctx context.Context, file string, o ExportOptions) error {
	if o.Format == "" {
		o.Format = strings.TrimPrefix(filepath.Ext(graph.Uncompressed(file)), ".")
	}
	e, x, err := p.prepare(o)
	if err != nil {
		return fmt.Errorf("export to %s: %w", file, err)
	}
	err = newfile.Write(file, o.Overwrite, func(w io.Writer) error {
		packed, err := graph.Compress(w, file)
		if err != nil {
			return err
		}
		if err := e.write(ctx, x, packed); err != nil {
			return err
		}
		return packed.Close()
	})
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// ExportTo is Export to a stream, which it neither compresses nor syncs. Options name the format.
func (p *Problem) ExportTo(ctx context.Context, w io.Writer, o ExportOptions) error {
	e, x, err := p.prepare(o)
	if err == nil {
		err = e.write(ctx, x, w)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func (p *Problem) prepare(o ExportOptions) (*Exporter, *extract, error) {
	e, err := exporterFor(o.Format)
	if err != nil {
		return nil, nil, err
	}
	if err := p.Solved(); err != nil {
		return nil, nil, err
	}
	x := &extract{p: p, unreachable: o.Unreachable, stored: p.store.ReadEntries}
	if x.rows, err = p.pickRows(o.Rows); err != nil {
		return nil, nil, err
	}
	if x.cols, err = p.pickColumns(o.Cols); err != nil {
		return nil, nil, err
	}
	if x.ids, err = p.IDs(); err != nil {
		return nil, nil, err
	}
	if o.Predecessors != nil {
		if o.Cols != nil || e.Name != npyExport.Name {
			return nil, nil, fmt.Errorf("%w %q of predecessors of chosen columns: there is .npy, of whole rows", ErrNoFormat, "."+e.Name)
		}
		e = &Exporter{Name: e.Name, write: predecessorWriter(*o.Predecessors)}
		if p.meta.Predecessors {
			x.stored = p.store.ReadEntriesPredecessors
			e.write = storedPredecessorWriter(*o.Predecessors)
		}
	}
	return e, x, nil
}

func exporterFor(name string) (*Exporter, error) {
	var known []string
	for i := range Exporters {
		if strings.EqualFold(name, Exporters[i].Name) {
			return &Exporters[i], nil
		}
		known = append(known, "."+Exporters[i].Name)
	}
	return nil, fmt.Errorf("%w is called %q; there are %s", ErrNoFormat, "."+name, strings.Join(known, ", "))
}
