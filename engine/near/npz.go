package near

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"ooc/engine/internal/npy"
	"ooc/kernels/entry"
)

// npzFormat writes what scipy.sparse.load_npz reads: an archive of arrays, the members of a csr_array, not compressed
// (https://docs.scipy.org/doc/scipy/reference/generated/scipy.sparse.save_npz.html). Members of 4 GiB and more are
// ZIP64.
var npzFormat = format{
	Name:  "npz",
	Title: "SciPy's sparse matrix (CSR), for scipy.sparse.load_npz",
	least: func(m *matrix) int { return columnBytes + m.kind.Bytes() },
	write: func(ctx context.Context, m *matrix, w io.Writer) error {
		z := zip.NewWriter(w)
		for _, a := range m.arrays(ctx) {
			to, err := z.CreateHeader(&zip.FileHeader{Name: a.name + ".npy", Method: zip.Store})
			if err != nil {
				return err
			}
			if _, err := to.Write(npy.Header("'"+a.descr+"'", a.shape)); err != nil {
				return err
			}
			if err := a.write(to); err != nil {
				return err
			}
		}
		return z.Close()
	},
}

// array is a member of the archive.
type array struct {
	name, descr, shape string
	write              func(w io.Writer) error
}

func (m *matrix) arrays(ctx context.Context) []array {
	index, wide := "<i4", max(m.pairs, int64(m.n)) > widest
	if wide {
		index = "<i8"
	}
	value := m.kind.NumPy()
	if m.scale > 1 {
		value = "<f8"
	}
	list := func(n int64) string { return fmt.Sprintf("(%d,)", n) }
	return []array{
		{"format", "|S3", "()", func(w io.Writer) error {
			_, err := io.WriteString(w, "csr")
			return err
		}},
		{"shape", "<i8", list(2),
			func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, [2]int64{int64(m.n), int64(m.n)}) }},
		{"indptr", index, list(int64(m.n) + 1), func(w io.Writer) error { return m.starts(ctx, w, wide) }},
		{"indices", index, list(m.pairs), func(w io.Writer) error {
			return m.each(ctx, columns, func(part []byte) error {
				if wide {
					part = converted[int64](entry.View[int32](part))
				}
				_, err := w.Write(part)
				return err
			})
		}},
		{"data", value, list(m.pairs), func(w io.Writer) error {
			var memory []float64
			return m.each(ctx, distances, func(part []byte) error {
				if m.scale > 1 {
					memory = m.values(part, memory)
					part = entry.Bytes(memory)
				}
				_, err := w.Write(part)
				return err
			})
		}},
	}
}

// starts writes where each row begins among the pairs, and where the last one ends.
func (m *matrix) starts(ctx context.Context, w io.Writer, wide bool) error {
	at := int64(0)
	put := func(all []int64) error {
		part := entry.Bytes(all)
		if !wide {
			part = converted[int32](all)
		}
		_, err := w.Write(part)
		return err
	}
	if err := put([]int64{0}); err != nil {
		return err
	}
	return m.each(ctx, counts, func(part []byte) error {
		var ends []int64
		for _, n := range entry.View[uint32](part) {
			at += int64(n)
			ends = append(ends, at)
		}
		return put(ends)
	})
}

// converted returns the bytes of numbers of another type.
func converted[To, From int32 | int64](from []From) []byte {
	to := make([]To, len(from))
	for i, x := range from {
		to[i] = To(x)
	}
	return entry.Bytes(to)
}
