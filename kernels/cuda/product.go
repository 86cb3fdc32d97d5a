package cuda

import (
	"errors"
	"fmt"
	"unsafe"

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
	pad           [4]int32
	entries       [inlineEntries]entry
}

// job is a product of tiles as the kernel sees it.
type job struct {
	c     address
	pairs []entry
	fresh bool
}

// maxPairs is how many pairs a job has in one launch; the rest is a job of the next.
const maxPairs = slotEntries / 2

// MinPlus implements kernels.Stream. A batch is one launch, unless its lists fill more than slotEntries.
func (s *stream) MinPlus(v kernels.Variant, t int, products []kernels.Product) error {
	err := s.minPlus(v, t, products)
	if err != nil {
		return fmt.Errorf("cuda: min-plus: %w", err)
	}
	return nil
}

func (s *stream) minPlus(v kernels.Variant, t int, products []kernels.Product) error {
	if err := checkShape(v, t); err != nil {
		return err
	}
	jobs := make([]job, len(products))
	for i, p := range products {
		var err error
		if jobs[i], err = s.device.resolveProduct(t, p); err != nil {
			return fmt.Errorf("product %d: %w", i, err)
		}
	}
	if err := s.alive(); err != nil {
		return err
	}
	for len(jobs) > 0 {
		var list []entry
		var n int
		list, n, jobs = pack(jobs)
		if err := s.multiply(v, list, n, tileShape(t)); err != nil {
			return err
		}
	}
	return nil
}

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

func (d *Device) resolveProduct(t int, p kernels.Product) (job, error) {
	if len(p.A) == 0 || len(p.A) != len(p.B) {
		return job{}, fmt.Errorf("%d tiles of A, %d of B: want as many, and one at least", len(p.A), len(p.B))
	}
	j := job{pairs: make([]entry, len(p.A)), fresh: p.Fresh}
	var err error
	if j.c, err = d.resolveTile(t, p.C); err != nil {
		return j, fmt.Errorf("tile C: %w", err)
	}
	for i := range p.A {
		if p.A[i] == p.C || p.B[i] == p.C {
			return j, errors.New("tile C is also an operand")
		}
		a, err := d.resolveTile(t, p.A[i])
		if err != nil {
			return j, fmt.Errorf("tile A[%d]: %w", i, err)
		}
		b, err := d.resolveTile(t, p.B[i])
		if err != nil {
			return j, fmt.Errorf("tile B[%d]: %w", i, err)
		}
		j.pairs[i] = entry{uint64(a), uint64(b)}
	}
	return j, nil
}

// pack lists as many jobs as one launch takes: first the jobs, then their pairs. It returns the list, the
// number of jobs in it, and what is left. A job of very many pairs is cut; its rest runs after it.
func pack(jobs []job) (list []entry, n int, rest []job) {
	size := 0
	for n < len(jobs) && len(jobs[n].pairs) <= maxPairs && size+1+len(jobs[n].pairs) <= slotEntries {
		size += 1 + len(jobs[n].pairs)
		n++
	}
	if n == 0 {
		head, tail := jobs[0], jobs[0]
		head.pairs, tail.pairs, tail.fresh = head.pairs[:maxPairs], tail.pairs[maxPairs:], false
		rest = append([]job{tail}, jobs[1:]...)
		jobs, n = []job{head}, 1
	} else {
		rest = jobs[n:]
	}
	list = make([]entry, n, n+size)
	for i, j := range jobs[:n] {
		list[i] = jobEntry(j.c, len(list), len(j.pairs), j.fresh)
		list = append(list, j.pairs...)
	}
	return list, n, rest
}

// operandShape tells a launch how its operands lie in memory.
type operandShape struct {
	t             int // edge of C
	lda, ldb, ldc int
	depth         int
}

// tileShape is the shape of products of tiles.
func tileShape(t int) operandShape { return operandShape{t, t, t, t, t} }

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
	k, edge := s.device.blockFor(o.t, n)
	blocks := o.t / edge
	p := &productParam{list: at, lda: int32(o.lda), ldb: int32(o.ldb), ldc: int32(o.ldc), depth: int32(o.depth),
		rows: int32(blocks), cols: int32(blocks)}
	copy(p.entries[:], list)
	return s.launch(v, k, n*blocks*blocks, unsafe.Pointer(p))
}

// blockFor chooses the kernel: that of large blocks, which reads less, unless they would not fill the GPU.
func (d *Device) blockFor(t, jobs int) (k kernel, edge int) {
	if t%128 == 0 && (t/128)*(t/128)*jobs >= d.sms {
		return product128, 128
	}
	return product64, 64
}
