package opencl

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// listEntry is Job of common.cl: a job, or the operands of a pair.
type listEntry struct{ x, y uint64 }

const listBytes = 16

// product is the kernel of products.
const product = "product"

// banks is how many memory objects a launch may name, as MEMORY of common.cl does.
const banks = 8

// mostEntries are in the list of one launch.
const mostEntries = 1 << 16

// operands is how the operands of a launch lie in memory.
type operands struct {
	rows, cols    int // of C
	lda, ldb, ldc int // entries from a row to the next
	ldx           int // the same of what C begins as, in products of pairs
	depth         int
}

// jobs are products that are gathered for a launch.
type jobs struct {
	stream  *stream
	queue   handle
	kernel  string
	variant entry.Variant
	operands
	memory []handle
	heads  []listEntry // y: where the pairs begin, among pairs
	pairs  []listEntry
}

// job is one product: c becomes the minimum of itself, unless it is fresh, and the products of pairs. Of tiles of
// pairs it begins as the place begin.
type job struct {
	c, begin place
	fresh    bool
	pairs    [][2]place
}

// address returns where a place is for a kernel, false if the launch can name no more memory.
func (j *jobs) address(p place) (uint64, bool) {
	i := slices.Index(j.memory, p.memory)
	if i < 0 {
		if len(j.memory) == banks {
			return 0, false
		}
		i = len(j.memory)
		j.memory = append(j.memory, p.memory)
	}
	return uint64(i)<<56 | uint64(p.off), true
}

// add gathers a job. What was gathered before is launched when there is no room; a job of many pairs runs in several
// launches.
func (j *jobs) add(a job) error {
	for len(a.pairs) > 0 {
		n := j.fit(a)
		if n == len(a.pairs) {
			return nil
		}
		if n == 0 && len(j.heads) == 0 {
			return errors.New("a product of tiles does not fit one launch")
		}
		if err := j.run(); err != nil {
			return err
		}
		if n > 0 {
			a.pairs, a.fresh, a.begin = a.pairs[n:], false, a.c
		}
	}
	return nil
}

// fit gathers as many pairs of a job as there is room for.
func (j *jobs) fit(a job) int {
	memory, first := len(j.memory), len(j.pairs)
	c, ok := j.address(a.c)
	if ok && j.stream.pairs {
		var begin uint64
		begin, ok = j.address(a.begin)
		j.pairs = append(j.pairs, listEntry{x: begin})
	}
	n := 0
	for ok && n < len(a.pairs) && len(j.heads)+len(j.pairs) < mostEntries-1 &&
		(n == 0 && len(j.heads) == 0 || j.relaxations() < j.stream.device.tunables.launch) {
		before := len(j.memory)
		x, ok1 := j.address(a.pairs[n][0])
		y, ok2 := j.address(a.pairs[n][1])
		if !ok1 || !ok2 {
			j.memory = j.memory[:before]
			break
		}
		j.pairs = append(j.pairs, listEntry{x, y})
		n++
	}
	if n == 0 {
		j.memory, j.pairs = j.memory[:memory], j.pairs[:first]
		return 0
	}
	head := listEntry{c, uint64(first) | uint64(n)<<32}
	if a.fresh {
		head.y |= 1 << 63
	}
	j.heads = append(j.heads, head)
	return n
}

func (j *jobs) relaxations() int { return len(j.pairs) * j.rows * j.cols * j.depth }

// list returns what was gathered: heads, then pairs.
func (j *jobs) list() []listEntry {
	all := slices.Concat(j.heads, j.pairs)
	for i := range j.heads {
		all[i].y += uint64(len(j.heads))
	}
	return all
}

// run launches what was gathered.
func (j *jobs) run() error {
	if len(j.heads) == 0 {
		return nil
	}
	s := j.stream
	if err := s.send(j.list()); err != nil {
		return err
	}
	p, n := s.device.products(j.variant, s.pairs, j.rows, j.cols), len(j.heads)
	groups, items := n*(j.rows/p.shape.rows)*(j.cols/p.shape.cols), p.shape.items
	args := j.args(j.lda, j.ldb, j.ldc, j.ldx, j.depth, j.rows/p.shape.rows, j.cols/p.shape.cols, 1)
	switch j.kernel {
	case diagonal:
		groups, items = 1, s.device.items()
	case putPanel:
		unit := s.device.unit(j.cols)
		p, items = service(j.variant, s.pairs), s.device.items()
		groups, args = n*j.rows*j.cols/unit/items, j.args(j.rows, j.cols, j.ldc, unit)
	}
	j.memory, j.heads, j.pairs = nil, nil, nil
	return s.launchOn(j.queue, kernelOf{p, j.kernel}, groups, items, args)
}

// args are the arguments of a kernel: memory, the list, and numbers.
func (j *jobs) args(numbers ...int) []arg {
	args := make([]arg, 0, banks+1+len(numbers))
	for i := range banks {
		args = append(args, memoryArg(j.memory[min(i, len(j.memory)-1)]))
	}
	args = append(args, memoryArg(objectOf(j.stream.list)))
	for _, x := range numbers {
		args = append(args, number(x))
	}
	return args
}

// send enqueues the upload of a list.
func (s *stream) send(list []listEntry) error {
	bytes := int64(len(list)) * listBytes
	if bytes > s.list.Bytes {
		if err := s.need(&s.list, max(2*bytes, 1<<12)); err != nil {
			return err
		}
	}
	return s.write(s.list, unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), bytes))
}

// MinPlus implements kernels.Stream.
func (s *stream) MinPlus(v entry.Variant, t int, products []kernels.Product) error {
	return in("min-plus", s.minPlus(v, t, products))
}

// minPlus finds all operands before it launches anything.
func (s *stream) minPlus(v entry.Variant, t int, products []kernels.Product) error {
	if err := s.checkShape(v, t); err != nil {
		return err
	}
	p, todo := &places{stream: s}, make([]job, len(products))
	for i := range products {
		var err error
		if todo[i], err = p.product(s.tileBytes(v, t), &products[i]); err != nil {
			return fmt.Errorf("product %d: %w", i, err)
		}
	}
	j := &jobs{stream: s, queue: s.device.productQueue(s), kernel: product, variant: v,
		operands: operands{t, t, t, t, t, t, t}}
	for _, one := range todo {
		if err := j.add(one); err != nil {
			return err
		}
	}
	return errors.Join(j.run(), p.putBack(), s.flush())
}

// product checks a product and finds its operands.
func (p *places) product(bytes int64, x *kernels.Product) (job, error) {
	o, err := ledger.Product(x, p.stream.pairs, p.tiles(bytes))
	j := job{c: o.C, begin: o.C, fresh: x.Fresh}
	if x.Fresh && p.stream.pairs {
		j.begin = o.Before
	}
	for i := range o.A {
		j.pairs = append(j.pairs, [2]place{o.A[i], o.B[i]})
	}
	return j, err
}

// checkShape returns an error where the stream has no tiles of edge t.
func (s *stream) checkShape(v entry.Variant, t int) error {
	if v >= entry.VariantCount || s.pairs && !slices.Contains(entry.Paired, v) {
		return fmt.Errorf("no variant %d", v)
	}
	if t <= 0 || t%smallBlock != 0 || t > 1<<15 { // kernels count entries in 32 bits
		return fmt.Errorf("tile edge %d: want a multiple of %d, at most %d", t, smallBlock, 1<<15)
	}
	return s.alive()
}

// entryBytes is the size of an entry of the stream's tiles.
func (s *stream) entryBytes(v entry.Variant) int {
	if s.pairs {
		return v.Kind().PairBytes()
	}
	return v.Bytes()
}

func (s *stream) tileBytes(v entry.Variant, t int) int64 {
	return int64(t) * int64(t) * int64(s.entryBytes(v))
}
