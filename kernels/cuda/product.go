package cuda

import (
	"errors"
	"fmt"

	"ooc/kernels"
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
	entries       [inlineEntries]entry
}

// maxPairs is how many pairs a job has in one launch. A product of more runs as several, one after another.
const maxPairs = slotEntries / 2

// MinPlus implements kernels.Stream. A batch is one launch, unless its lists fill more than slotEntries.
func (s *stream) MinPlus(v kernels.Variant, t int, products []kernels.Product) error {
	err := s.minPlus(v, t, products)
	if err != nil {
		return fmt.Errorf("cuda: min-plus: %w", err)
	}
	return nil
}

// minPlus checks all products before it launches one.
func (s *stream) minPlus(v kernels.Variant, t int, products []kernels.Product) error {
	if err := checkShape(v, t); err != nil {
		return err
	}
	for i := range products {
		if err := s.device.checkProduct(t, &products[i]); err != nil {
			return fmt.Errorf("product %d: %w", i, err)
		}
	}
	if err := s.alive(); err != nil {
		return err
	}
	for len(products) > 0 {
		if len(products[0].A) > maxPairs {
			if err := s.long(v, t, products[0]); err != nil {
				return err
			}
			products = products[1:]
			continue
		}
		n := fitting(products)
		s.list = list(s.list[:0], products[:n])
		if err := s.multiply(v, s.list, n, tileShape(t)); err != nil {
			return err
		}
		products = products[n:]
	}
	return nil
}

// long runs a product of very many pairs as several.
func (s *stream) long(v kernels.Variant, t int, p kernels.Product) error {
	for len(p.A) > 0 {
		n := min(len(p.A), maxPairs)
		part := kernels.Product{C: p.C, A: p.A[:n], B: p.B[:n], Fresh: p.Fresh}
		s.list = list(s.list[:0], []kernels.Product{part})
		if err := s.multiply(v, s.list, 1, tileShape(t)); err != nil {
			return err
		}
		p.A, p.B, p.Fresh = p.A[n:], p.B[n:], false
	}
	return nil
}

// fitting returns how many of the products one launch takes.
func fitting(products []kernels.Product) int {
	size := 0
	for n := range products {
		pairs := len(products[n].A)
		if size += 1 + pairs; pairs > maxPairs || size > slotEntries {
			return n
		}
	}
	return len(products)
}

// list appends the entries of products that have been checked: first the jobs, then their pairs.
func list(to []entry, products []kernels.Product) []entry {
	at := len(products)
	for i := range products {
		p := &products[i]
		to = append(to, jobEntry(addressOf(p.C), at, len(p.A), p.Fresh))
		at += len(p.A)
	}
	for i := range products {
		p := &products[i]
		for k := range p.A {
			to = append(to, entry{uint64(addressOf(p.A[k])), uint64(addressOf(p.B[k]))})
		}
	}
	return to
}

// addressOf returns the address of a tile that has been checked.
func addressOf(t kernels.Tile) address { return t.Buf.(*buffer).at + address(t.Off) }

func checkShape(v kernels.Variant, t int) error {
	if int(v) >= len(kernels.Variants) {
		return fmt.Errorf("no variant %d", v)
	}
	// Offsets inside a tile are 32-bit in the kernels.
	if t <= 0 || t%baseEdge != 0 || t > 1<<15 {
		return fmt.Errorf("tile edge %d: want a multiple of %d, at most %d", t, baseEdge, 1<<15)
	}
	return nil
}

func (d *Device) checkProduct(t int, p *kernels.Product) error {
	if len(p.A) == 0 || len(p.A) != len(p.B) {
		return fmt.Errorf("%d tiles of A, %d of B: want as many, and one at least", len(p.A), len(p.B))
	}
	if _, err := d.resolveTile(t, p.C); err != nil {
		return fmt.Errorf("tile C: %w", err)
	}
	for i := range p.A {
		if p.A[i] == p.C || p.B[i] == p.C {
			return errors.New("tile C is also an operand")
		}
		if _, err := d.resolveTile(t, p.A[i]); err != nil {
			return fmt.Errorf("tile A[%d]: %w", i, err)
		}
		if _, err := d.resolveTile(t, p.B[i]); err != nil {
			return fmt.Errorf("tile B[%d]: %w", i, err)
		}
	}
	return nil
}

// operandShape tells a launch how its operands lie in memory.
type operandShape struct {
	rows, cols    int // of C
	lda, ldb, ldc int
	depth         int
}

// tileShape is the shape of products of tiles.
func tileShape(t int) operandShape { return operandShape{t, t, t, t, t, t} }

// multiply enqueues n jobs.
func (s *stream) multiply(v kernels.Variant, list []entry, n int, shape operandShape) error {
	if len(list) <= inlineEntries {
		return s.multiplyAt(v, 0, list, n, shape)
	}
	at, err := s.send(list)
	if err != nil {
		return err
	}
	return s.multiplyAt(v, at, nil, n, shape)
}

// multiplyAt enqueues n jobs whose list is on the device at at, or, where that is 0, goes with the launch.
func (s *stream) multiplyAt(v kernels.Variant, at address, list []entry, n int, o operandShape) error {
	p := &productParam{list: at, lda: int32(o.lda), ldb: int32(o.ldb), ldc: int32(o.ldc), depth: int32(o.depth),
		rows: int32(o.rows / baseEdge), cols: int32(o.cols / baseEdge), one: 1}
	copy(p.entries[:], list)
	return s.launch(v, productBlocks, n*int(p.rows)*int(p.cols), paramOf(p))
}
