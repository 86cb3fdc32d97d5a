package sssp

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"ooc/engine/graph/packed"
	"ooc/engine/internal/npy"
	"ooc/engine/newfile"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// Distance returns the distance from source i, an index into Sources, to vertex v in the input's units; +Inf
// where there is no path.
func (r *Result) Distance(i, v int) float64 {
	return r.Facts.Kind.Distance(uint64(r.Dist[i][v]), r.Facts.Scale)
}

// Name returns the id of a vertex, and - for none.
func (r *Result) Name(v int32) string {
	if v == entry.NoVertex {
		return "-"
	}
	return r.Facts.IDs.Name(int(v))
}

// Text writes a line for each vertex: its id, its distance and the id of its predecessor, separated by tabs; with
// several sources, the source before these. Without a path the distance is "unreachable", and without a
// predecessor that is -.
func (r *Result) Text(w io.Writer) error {
	out, number := bufio.NewWriterSize(w, 1<<16), r.Facts.Numbers()
	cell := func(v int32) string {
		if v == entry.NoVertex {
			return r.Name(v)
		}
		return text.CellOf(r.Name(v))
	}
	for i, s := range r.Sources {
		for v := range r.Facts.N {
			if len(r.Sources) > 1 {
				out.WriteString(cell(int32(s)) + "\t")
			}
			out.WriteString(cell(int32(v)) + "\t" + number.Text(r.Distance(i, v)) + "\t" + cell(r.Pred[i][v]))
			if err := out.WriteByte('\n'); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// NPY writes an array for NumPy, a row a source (one row alone has one dimension), whose entries have the fields
// distance and predecessor: a number of the graph's kind, float64 where weights were scaled, and the row of a vertex
// as int32. Without a path the distance is inf, or in integers the largest there is; without a predecessor that is
// entry.SciPyNoVertex, as SciPy has it.
func (r *Result) NPY(w io.Writer) error {
	descr, shape := "<i4", fmt.Sprintf("(%d, %d)", len(r.Sources), r.Facts.N)
	switch {
	case r.Facts.Scale > 1:
		descr = "<f8"
	case r.Facts.Kind == entry.KindF32:
		descr = "<f4"
	}
	if len(r.Sources) == 1 {
		shape = fmt.Sprintf("(%d,)", r.Facts.N)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(npy.Header(fmt.Sprintf("[('distance', '%s'), ('predecessor', '<i4')]", descr), shape))
	var record []byte
	for i := range r.Sources {
		for v, bits := range r.Dist[i] {
			record = record[:0]
			switch {
			case r.Facts.Scale > 1:
				record = binary.LittleEndian.AppendUint64(record, math.Float64bits(r.Distance(i, v)))
			case r.Facts.Kind == entry.KindI32 && int32(bits) == entry.Inf32:
				record = binary.LittleEndian.AppendUint32(record, math.MaxInt32)
			default:
				record = binary.LittleEndian.AppendUint32(record, bits)
			}
			pred := r.Pred[i][v]
			if pred == entry.NoVertex {
				pred = entry.SciPyNoVertex
			}
			if _, err := out.Write(binary.LittleEndian.AppendUint32(record, uint32(pred))); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// WriteFile writes what solve returns: an array if the name says .npy, else text, compressed if .gz or .zst follows.
// The file appears once it is whole; one that is there fails with fs.ErrExist unless it is to be overwritten. A pipe
// is opened before solve is called, so that a reader is there for all of it.
func WriteFile(path string, overwrite bool, solve func() (*Result, error)) (r *Result, err error) {
	err = newfile.File{Path: path, Overwrite: overwrite}.Write(func(w io.Writer) (err error) {
		if r, err = solve(); err != nil {
			return err
		}
		out, err := packed.NewWriter(w, path)
		if err != nil {
			return err
		}
		write := r.Text
		if strings.EqualFold(filepath.Ext(packed.TrimExt(path)), ".npy") {
			write = r.NPY
		}
		if err := write(out); err != nil {
			return err
		}
		return out.Close()
	})
	return r, err
}
