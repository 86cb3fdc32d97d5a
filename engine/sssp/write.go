package sssp

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/newfile"
	"ooc/kernels"
)

// Distance returns the distance from source i, an index into Sources, to vertex v in the input's units; +Inf
// where there is no path.
func (r *Result) Distance(i, v int) float64 {
	bits := r.Dist[i][v]
	switch {
	case r.Facts.Kind == graph.KindF32:
		return float64(math.Float32frombits(bits)) / float64(r.Facts.Scale)
	case int32(bits) == kernels.Inf32:
		return math.Inf(1)
	}
	return float64(int32(bits)) / float64(r.Facts.Scale)
}

// Name returns the id of a vertex, and - for none.
func (r *Result) Name(v int32) string {
	if v == kernels.NoVertex {
		return "-"
	}
	return r.Facts.IDs.Name(int(v))
}

// Text writes a line for each vertex: its id, its distance and the id of its predecessor, separated by tabs; with
// several sources, the source before these. Without a path the distance is "unreachable", and without a
// predecessor that is -.
func (r *Result) Text(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for i, s := range r.Sources {
		for v := range r.Facts.N {
			if len(r.Sources) > 1 {
				out.WriteString(r.Name(int32(s)) + "\t")
			}
			out.WriteString(r.Name(int32(v)) + "\t" + r.number(i, v) + "\t" + r.Name(r.Pred[i][v]))
			if err := out.WriteByte('\n'); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// number prints a distance: in i32 with every digit, else with the nine that a float32 has at most.
func (r *Result) number(i, v int) string {
	d := r.Distance(i, v)
	if math.IsInf(d, 1) {
		return "unreachable"
	}
	if r.Facts.Kind == graph.KindF32 && (d != math.Trunc(d) || math.Abs(d) >= 1e15) {
		return strconv.FormatFloat(d, 'g', 9, 64)
	}
	return strconv.FormatFloat(d, 'f', -1, 64)
}

// NPY writes an array for NumPy, a row a source (one row alone has one dimension), whose entries have the fields
// distance and predecessor: a number of the graph's kind, float64 where weights were scaled, and the row of a vertex
// as int32. Without a path the distance is inf, or in integers the largest there is; without a predecessor that is
// engine.NoPredecessor, as SciPy has it.
func (r *Result) NPY(w io.Writer) error {
	descr, shape := "<i4", fmt.Sprintf("(%d, %d)", len(r.Sources), r.Facts.N)
	switch {
	case r.Facts.Scale > 1:
		descr = "<f8"
	case r.Facts.Kind == graph.KindF32:
		descr = "<f4"
	}
	if len(r.Sources) == 1 {
		shape = fmt.Sprintf("(%d,)", r.Facts.N)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(engine.NPYHeader(fmt.Sprintf("[('distance', '%s'), ('predecessor', '<i4')]", descr), shape))
	var entry []byte
	for i := range r.Sources {
		for v, bits := range r.Dist[i] {
			entry = entry[:0]
			switch {
			case r.Facts.Scale > 1:
				entry = binary.LittleEndian.AppendUint64(entry, math.Float64bits(r.Distance(i, v)))
			case r.Facts.Kind == graph.KindI32 && int32(bits) == kernels.Inf32:
				entry = binary.LittleEndian.AppendUint32(entry, math.MaxInt32)
			default:
				entry = binary.LittleEndian.AppendUint32(entry, bits)
			}
			pred := r.Pred[i][v]
			if pred == kernels.NoVertex {
				pred = engine.NoPredecessor
			}
			if _, err := out.Write(binary.LittleEndian.AppendUint32(entry, uint32(pred))); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// WriteFile writes an array if the name says .npy, else text, compressed if .gz or .zst follows. The file appears
// once it is whole; one that is there fails with fs.ErrExist unless it is to be overwritten.
func (r *Result) WriteFile(path string, overwrite bool) error {
	return newfile.Write(path, overwrite, func(w io.Writer) error {
		packed, err := graph.Compress(w, path)
		if err != nil {
			return err
		}
		write := r.Text
		if strings.EqualFold(filepath.Ext(graph.Uncompressed(path)), ".npy") {
			write = r.NPY
		}
		if err := write(packed); err != nil {
			return err
		}
		return packed.Close()
	})
}
