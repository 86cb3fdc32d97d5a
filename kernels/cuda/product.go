package cuda

import (
	"fmt"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// inlineEntries is kInline of common.cuh: entries that travel with a launch.
const inlineEntries = 240

// productParam is Product of common.cuh.
type productParam struct {
	list          address // 0: entries holds it
	lda, ldb, ldc int32   // entries from a row to the next
	depth         int32   // of each pair
	rows, cols    int32   // blocks of C in each job
	one           int32   // 1
	pad           [3]int32
	entries       [inlineEntries]listEntry
}

// MinPlus implements kernels.Stream. A batch is one launch, unless its lists fill more than slotEntries.
func (s *stream) MinPlus(v entry.Variant, t int, products []kernels.Product) error {
	return in("min-plus", s.minPlus(v, t, products))
}

// minPlus checks all products before it launches one.
func (s *stream) minPlus(v entry.Variant, t int, products []kernels.Product) error {
	if err := s.form.checkShape(v, t); err != nil {
		return err
	}
	for i := range products {
		if err := s.device.checkProduct(s.form, v, t, &products[i]); err != nil {
			return fmt.Errorf("product %d: %w", i, err)
		}
	}
	if err := s.alive(); err != nil {
		return err
	}
	for len(products) > 0 {
		if len(products[0].A) > s.form.maxPairs(t) {
			if err := s.long(v, t, products[0]); err != nil {
				return err
			}
			products = products[1:]
			continue
		}
		n := s.form.fitting(t, products)
		s.list = s.form.list(s.list[:0], products[:n])
		if err := s.multiply(v, s.list, n, tileShape(t)); err != nil {
			return err
		}
		products = products[n:]
	}
	return nil
}

// long runs a product of very many pairs as several products.
func (s *stream) long(v entry.Variant, t int, p kernels.Product) error {
	for len(p.A) > 0 {
		n := min(len(p.A), s.form.maxPairs(t))
		part := kernels.Product{C: p.C, A: p.A[:n], B: p.B[:n], Fresh: p.Fresh, Before: p.Before}
		s.list = s.form.list(s.list[:0], []kernels.Product{part})
		if err := s.multiply(v, s.list, 1, tileShape(t)); err != nil {
			return err
		}
		p.A, p.B, p.Fresh = p.A[n:], p.B[n:], false
	}
	return nil
}

// fitting returns how many of the products fit one launch.
func (f *form) fitting(t int, products []kernels.Product) int {
	size := 0
	for n := range products {
		pairs := len(products[n].A)
		if size += 1 + f.begins + pairs; pairs > f.maxPairs(t) || size > slotEntries {
			return n
		}
	}
	return len(products)
}

// list appends the entries of products that have been checked: first the jobs, then what each begins as, and its pairs.
func (f *form) list(to []listEntry, products []kernels.Product) []listEntry {
	at := len(products)
	for i := range products {
		p := &products[i]
		to = append(to, jobEntry(addressOf(p.C), at, len(p.A), p.Fresh && f.begins == 0))
		at += f.begins + len(p.A)
	}
	for i := range products {
		p := &products[i]
		if f.begins > 0 {
			to = append(to, beginning(p))
		}
		for k := range p.A {
			to = append(to, listEntry{uint64(addressOf(p.A[k])), uint64(addressOf(p.B[k]))})
		}
	}
	return to
}

// checkShape returns an error where there are no tiles of edge t.
func (f *form) checkShape(v entry.Variant, t int) error {
	if err := f.check(v); err != nil {
		return err
	}
	// Offsets inside a tile are 32-bit in the kernels.
	if t <= 0 || t%baseEdge != 0 || t > 1<<15 {
		return fmt.Errorf("tile edge %d: want a multiple of %d, at most %d", t, baseEdge, 1<<15)
	}
	return nil
}

// checkProduct wants all tiles of a product to be there.
func (d *Device) checkProduct(f *form, v entry.Variant, t int, p *kernels.Product) error {
	_, err := ledger.Product(p, f.begins > 0, func(tile kernels.Tile, _, _ bool) (none struct{}, err error) {
		_, err = d.resolveTile(f, v, t, tile)
		return none, err
	})
	return err
}

// operandShape is how the operands of a launch lie in memory.
type operandShape struct {
	rows, cols    int // of C
	lda, ldb, ldc int
	depth         int
}

// tileShape is the shape of products of tiles.
func tileShape(t int) operandShape { return operandShape{t, t, t, t, t, t} }

// multiply enqueues n jobs.
func (s *stream) multiply(v entry.Variant, list []listEntry, n int, shape operandShape) error {
	if len(list) <= inlineEntries {
		return s.multiplyAt(v, 0, list, n, shape)
	}
	at, err := s.send(list)
	if err != nil {
		return err
	}
	return s.multiplyAt(v, at, nil, n, shape)
}

// multiplyAt enqueues n jobs. Their list is on the device at the address at; if that is 0, it goes with the launch.
func (s *stream) multiplyAt(v entry.Variant, at address, list []listEntry, n int, o operandShape) error {
	p := &productParam{list: at, lda: int32(o.lda), ldb: int32(o.ldb), ldc: int32(o.ldc), depth: int32(o.depth),
		rows: int32(o.rows / baseEdge), cols: int32(o.cols / baseEdge), one: 1}
	copy(p.entries[:], list)
	return s.launch(v, s.form.product, n*int(p.rows)*int(p.cols), paramOf(p))
}
