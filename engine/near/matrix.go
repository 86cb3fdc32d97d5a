package near

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ooc/engine/graph"
	"ooc/engine/graph/packed"
	"ooc/engine/internal/parallel"
	"ooc/engine/newfile"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// format is a format of files of sparse matrices. Every pair is in it, also those at distance 0, and nothing else; the
// diagonal is not.
type format struct {
	Name  string // and, after a dot, the extension
	Title string
	least func(m *matrix) int // bytes of a pair, at least
	write func(ctx context.Context, m *matrix, w io.Writer) error
}

// Formats lists the formats.
var Formats = []format{
	npzFormat,
	mtxFormat,
	csvFormat,
}

// formatOf finds the format that the name of a file asks for.
func formatOf(path string) (*format, error) {
	ext := filepath.Ext(packed.TrimExt(path))
	var known []string
	for i := range Formats {
		name := "." + Formats[i].Name
		if strings.EqualFold(ext, name) {
			return &Formats[i], nil
		}
		known = append(known, name)
	}
	return nil, fmt.Errorf("%s: %w of sparse matrices is called %q; there are %s", path, newfile.ErrNoFormat, ext,
		strings.Join(known, ", "))
}

// matrix is a spool that has every row, in order; its kind is wide.
type matrix struct {
	*spool
	n     int
	pairs int64
	scale int64
	ids   graph.IDs
}

// integers says that distances are written as integers.
func (m *matrix) integers() bool { return !m.kind.Float() && m.scale == 1 }

// values returns the distances of a part, in the input's units.
func (m *matrix) values(part []byte, to []float64) []float64 {
	n := len(part) / m.kind.Bytes()
	to = slices.Grow(to[:0], n)[:n]
	m.kind.Values(to, part)
	if m.scale > 1 {
		for i := range to {
			to[i] /= float64(m.scale)
		}
	}
	return to
}

// each calls do with one part of each record, in the order of the rows.
func (m *matrix) each(ctx context.Context, which int, do func(part []byte) error) error {
	idle := sync.Pool{New: func() any { return new([]byte) }}
	read := func(i int) (*[]byte, error) {
		memory := idle.Get().(*[]byte)
		var err error
		*memory, err = m.read(&m.records[i], which, *memory)
		return memory, err
	}
	return parallel.Ordered(ctx, len(m.records), len(m.records), read, func(memory *[]byte) error {
		defer idle.Put(memory)
		return do(*memory)
	})
}

// lines writes a line for each pair, in order.
func (m *matrix) lines(ctx context.Context, w io.Writer,
	line func(out []byte, row, column int, distance float64) []byte) error {
	encode := func(i int) ([]byte, error) {
		r := &m.records[i]
		var of [parts][]byte
		for which := range parts {
			var err error
			if of[which], err = m.read(r, which, nil); err != nil {
				return nil, err
			}
		}
		out, at := make([]byte, 0, 24*r.pairs), 0
		all, to := m.values(of[distances], nil), entry.View[int32](of[columns])
		for k, count := range entry.View[uint32](of[counts]) {
			for range count {
				out = line(out, int(r.row)+k, int(to[at]), all[at])
				at++
			}
		}
		return out, nil
	}
	return parallel.Ordered(ctx, len(m.records), len(m.records), encode, func(out []byte) error {
		_, err := w.Write(out)
		return err
	})
}

// mtxFormat writes Matrix Market coordinates: https://math.nist.gov/MatrixMarket/formats.html
var mtxFormat = format{
	Name:  "mtx",
	Title: "sparse Matrix Market file: row, column and distance, numbered from 1",
	least: func(*matrix) int { return len("1 1 1\n") },
	write: func(ctx context.Context, m *matrix, w io.Writer) error {
		field := "real"
		if m.integers() {
			field = "integer"
		}
		_, err := fmt.Fprintf(w,
			"%%%%MatrixMarket matrix coordinate %s general\n%% distances of near pairs; a pair that is not here is "+
				"not near, whatever its distance is\n%d %d %d\n",
			field, m.n, m.n, m.pairs)
		if err != nil {
			return err
		}
		number := text.NumbersOf(m.kind, m.scale)
		return m.lines(ctx, w, func(out []byte, row, column int, distance float64) []byte {
			out = append(strconv.AppendInt(out, int64(row)+1, 10), ' ')
			out = append(strconv.AppendInt(out, int64(column)+1, 10), ' ')
			return append(number.Append(out, distance), '\n')
		})
	},
}

// csvFormat writes a table of pairs with the ids of the input, which ooc and pandas.read_csv read.
var csvFormat = format{
	Name:  "csv",
	Title: "table with the columns from, to and distance, a line a pair, with ids",
	least: func(*matrix) int { return len("1,1,1\n") },
	write: func(ctx context.Context, m *matrix, w io.Writer) error {
		if _, err := io.WriteString(w, "from,to,distance\n"); err != nil {
			return err
		}
		number := text.NumbersOf(m.kind, m.scale)
		cell := func(out []byte, row int) []byte { return m.ids.Append(out, row) }
		if m.ids.Text != nil {
			cell = func(out []byte, row int) []byte { return text.AppendCell(out, m.ids.Text[row]) }
		}
		return m.lines(ctx, w, func(out []byte, row, column int, distance float64) []byte {
			out = append(cell(out, row), ',')
			out = append(cell(out, column), ',')
			return append(number.Append(out, distance), '\n')
		})
	},
}

// widest is the greatest number that SciPy keeps in an index of 4 bytes. It is a variable only for tests.
var widest int64 = math.MaxInt32
