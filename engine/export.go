package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"ooc/kernels"
	"ooc/tiles"
)

// Exporter writes a solved matrix in one format.
type Exporter struct {
	Ext   string // of the file, with the dot
	Write func(ctx context.Context, p *Problem, w io.Writer) error
}

// Exporters lists the formats by file extension.
var Exporters = []Exporter{
	{".npy", exportNPY},
}

// ErrNoFormat is wrapped by the error of an export to a file whose extension names no format.
var ErrNoFormat = errors.New("no format")

// Export writes the distances to a file whose extension names the format, streamed in at most 256 MiB of
// memory. The file appears under its name only once it is whole and synced. It fails with ErrUnsolved
// where distances are not final, and with fs.ErrExist where the file is there and not to be overwritten.
func (p *Problem) Export(ctx context.Context, file string, overwrite bool) (err error) {
	var e *Exporter
	for i := range Exporters {
		if strings.EqualFold(filepath.Ext(file), Exporters[i].Ext) {
			e = &Exporters[i]
		}
	}
	if e == nil {
		return fmt.Errorf("export to %s: %w for extension %q: known is %s", file, ErrNoFormat, filepath.Ext(file), Exporters[0].Ext)
	}
	if _, err := os.Lstat(file); err == nil && !overwrite {
		return &fs.PathError{Op: "export to", Path: file, Err: fs.ErrExist}
	}
	if err := p.Solved(); err != nil {
		return err
	}
	part := filepath.Join(filepath.Dir(file), fmt.Sprintf(".%s.%x", filepath.Base(file), rand.Uint64()))
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("export to %s: %w", file, err)
		}
	}()
	if err = e.Write(ctx, p, f); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// exportBlock is the size of each of the two blocks that an export holds.
const exportBlock = 32 << 20

// exportNPY writes an n×n NumPy array in C order: the store's kind, or float64 where a scale is undone.
// Unreachable is inf in floating kinds and the type's maximum in integer kinds.
func exportNPY(ctx context.Context, p *Problem, w io.Writer) error {
	descr, convert, size := "<f4", copyEntries, 4
	switch {
	case p.meta.Scale > 1:
		descr, convert, size = "<f8", p.unscale, 8
	case p.meta.Kind == tiles.I32:
		descr, convert = "<i4", widenInf
	}
	if _, err := w.Write(npyHeader2D(descr, p.geom.N)); err != nil {
		return err
	}
	return p.eachBlock(ctx, size, convert, w.Write)
}

// npyHeader2D is NumPy's format 1.0 header of an n×n array, padded so that the data is 64-byte aligned:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
func npyHeader2D(descr string, n int) []byte {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, n, n)
	pad := (64 - (10+len(dict)+1)%64) % 64
	dict += strings.Repeat(" ", pad) + "\n"
	head := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(head[8:], uint16(len(dict)))
	return append(head, dict...)
}

// eachBlock reads the rows in blocks, converts their entries to elements of the given size on the fly,
// and writes each block while the next is read.
func (p *Problem) eachBlock(ctx context.Context, size int, convert func(dst, src []byte), write func([]byte) (int, error)) error {
	n := p.geom.N
	rows := min(n, max(1, exportBlock/(n*size)))
	free, full := make(chan []byte, 2), make(chan []byte)
	for range cap(free) {
		free <- make([]byte, rows*n*size)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(full)
		raw := entries(n)
		for first := 0; first < n; first += rows {
			var block []byte
			select {
			case block = <-free:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			count := min(rows, n-first)
			for r := range count {
				if err := p.store.ReadRow(raw, first+r); err != nil {
					return err
				}
				convert(block[r*n*size:(r+1)*n*size], raw)
			}
			select {
			case full <- block[:count*n*size]:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	g.Go(func() error {
		for block := range full {
			if _, err := write(block); err != nil {
				return err
			}
			free <- block[:cap(block)]
		}
		return nil
	})
	return g.Wait()
}

func copyEntries(dst, src []byte) { copy(dst, src) }

// widenInf replaces the sentinel by the largest int32.
func widenInf(dst, src []byte) {
	out := words32(dst)
	for i, bits := range words32(src) {
		if int32(bits) == kernels.Inf32 {
			bits = math.MaxInt32
		}
		out[i] = bits
	}
}

func (p *Problem) unscale(dst, src []byte) {
	for i, bits := range words32(src) {
		binary.LittleEndian.PutUint64(dst[8*i:], math.Float64bits(p.distance(bits)))
	}
}
