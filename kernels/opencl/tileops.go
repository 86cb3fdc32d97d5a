package opencl

import (
	"errors"
	"fmt"
	"time"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

var _ kernels.TileOps = (*device)(nil)

// ownStream returns a stream of this device that can take an operation of a variant.
func (d *device) ownStream(s kernels.Stream, v entry.Variant) (*stream, error) {
	own, ok := s.(*stream)
	if !ok || own == nil || own.device != d {
		return nil, errors.New("not a stream of this device")
	}
	if v >= entry.VariantCount {
		return nil, fmt.Errorf("no variant %d", v)
	}
	return own, own.alive()
}

// with does an operation on a stream of this device.
func (d *device) with(on kernels.Stream, v entry.Variant, what string, do func(s *stream) error) error {
	s, err := d.ownStream(on, v)
	if err == nil {
		err = do(s)
	}
	return in(what, err)
}

// Pivots implements kernels.TileOps: the tiles are listed once, and then each pivot is a launch.
func (d *device) Pivots(on kernels.Stream, v entry.Variant, t int, tiles []kernels.Tile, lo, hi int) error {
	return d.with(on, v, "pivots", func(s *stream) error { return s.pivots(v, t, tiles, lo, hi) })
}

func (s *stream) pivots(v entry.Variant, t int, tiles []kernels.Tile, lo, hi int) error {
	if err := s.checkShape(v, t); err != nil {
		return err
	}
	p, j := &places{stream: s}, &jobs{stream: s, variant: v}
	at, m, err := ledger.Square(tiles, p.tiles(s.tileBytes(v, t)))
	if err != nil {
		return err
	}
	if lo < 0 || hi < lo || hi > m*t {
		return fmt.Errorf("%d…%d of %d tiles of %d", lo, hi-1, len(tiles), t)
	}
	for _, tile := range at {
		if err := j.one(tile); err != nil {
			return err
		}
	}
	if err := s.send(j.heads); err != nil {
		return err
	}
	unit, items := s.device.unit(t), s.device.items()
	for k := lo; k < hi; k++ {
		if err := s.launch(kernelOf{service(v, s.pairs), "pivot"}, m*m*t*t/unit/items, items,
			j.args(t, m, k, unit)); err != nil {
			return err
		}
	}
	return errors.Join(p.putBack(), s.flush())
}

// one gathers a job of at most one pair, for a kernel that takes no more than one list.
func (j *jobs) one(c place, pair ...place) error {
	var at [3]uint64
	for i, p := range append([]place{c}, pair...) {
		var ok bool
		if at[i], ok = j.address(p); !ok {
			return fmt.Errorf("%w: the tiles lie in more than %d pieces of memory, which the driver makes small",
				kernels.ErrNoMemory, banks)
		}
	}
	j.heads = append(j.heads, listEntry{at[0], 1 | 1<<32})
	if len(pair) > 0 {
		j.pairs = append(j.pairs, listEntry{at[1], at[2]})
	}
	return nil
}

// simple runs a kernel of service.cl on one job.
func (s *stream) simple(v entry.Variant, kernel string, groups int, c, a, b place, numbers ...arg) error {
	j := &jobs{stream: s, variant: v}
	if err := j.one(c, a, b); err != nil {
		return err
	}
	if err := s.send(append(j.heads, j.pairs...)); err != nil {
		return err
	}
	return s.launch(kernelOf{service(v, false), kernel}, groups, s.device.items(), append(j.args(), numbers...))
}

// Differ implements kernels.TileOps.
func (d *device) Differ(on kernels.Stream, flag, a, b kernels.Tile, bytes int64) error {
	return d.with(on, entry.I32, "differ", func(s *stream) error { return s.differ(flag, a, b, bytes) })
}

func (s *stream) differ(flag, a, b kernels.Tile, bytes int64) error {
	if bytes <= 0 {
		return nil
	}
	p := &places{stream: s}
	f := p.operand("flag", flag, entry.WordBytes, true, true, false)
	x, y := p.operand("a", a, bytes, true, false, false), p.operand("b", b, bytes, true, false, false)
	if p.err != nil {
		return p.err
	}
	const share, most = 1 << 12, 1 << 12 // words of an item, and groups
	words := bytes / entry.WordBytes
	groups, each := (words+share-1)/share, int64(share)
	if groups > most {
		groups, each = most, (words+most-1)/most
	}
	if err := s.simple(entry.I32, "differ", int(groups), f, x, y, long(words), number(int(each))); err != nil {
		return err
	}
	return errors.Join(p.putBack(), s.flush())
}

// TransposeTile implements kernels.TileOps.
func (d *device) TransposeTile(on kernels.Stream, v entry.Variant, t int, dst, src kernels.Tile) error {
	return d.with(on, v, "transposition of a tile", func(s *stream) error { return s.transpose(v, t, dst, src) })
}

// patch is PATCH of service.cl.
const patch = 16

func (s *stream) transpose(v entry.Variant, t int, dst, src kernels.Tile) error {
	if dst == src {
		return errors.New("the result is also the operand")
	}
	if err := s.checkShape(v, t); err != nil {
		return err
	}
	p, bytes := &places{stream: s}, int64(t)*int64(t)*int64(v.Bytes())
	to, from := p.operand("result", dst, bytes, false, true, true), p.operand("operand", src, bytes, true, false, true)
	if p.err != nil {
		return p.err
	}
	if err := s.simple(v, "transpose", t/patch*(t/patch), to, from, from, number(t)); err != nil {
		return err
	}
	return errors.Join(p.putBack(), s.flush())
}

// Ceiling measures relaxations with operands in registers, in the program of products, in each process once. It is 0
// where that fails.
func (d *device) Ceiling(v entry.Variant) float64 {
	d.mu.Lock()
	rate, ok := d.ceilings[v]
	d.mu.Unlock()
	if ok {
		return rate
	}
	on, err := d.NewStream()
	if err != nil {
		return 0
	}
	s := on.(*stream)
	rate, err = s.ceiling(v)
	if err = errors.Join(err, s.Close()); err != nil {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ceilings[v] = rate
	return rate
}

// ceiling measures for some hundredths of a second.
func (s *stream) ceiling(v entry.Variant) (rate float64, err error) {
	const (
		enough    = 10 * time.Millisecond
		mostSteps = 1 << 15 // under a second on a slow GPU, whatever the clock says
	)
	d := s.device
	p := d.products(v, false, 1<<10, 1<<10)
	groups, each := d.found.units*64, 64*2*p.shape.items
	if d.found.cpu {
		groups, each = d.found.units*4, d.tunables.rows*p.shape.cols
	}
	operands := make([]byte, 1<<16)
	v.Kind().Fill(operands, v.Kind().Bits(1000))
	if err := s.need(&s.panels, int64(len(operands))); err != nil {
		return 0, err
	}
	if err := s.write(s.panels, operands); err != nil {
		return 0, err
	}
	run := func(steps int) (time.Duration, error) {
		args, began := []arg{memoryArg(objectOf(s.panels)), number(steps), number(1)}, time.Now()
		err := s.launch(kernelOf{p, "ceiling"}, groups, p.shape.items, args)
		err = errors.Join(err, s.idle())
		return time.Since(began), err
	}
	steps, took := 64, time.Duration(0)
	_, err = run(1) // may compile
	for took < enough && err == nil && steps < mostSteps {
		steps *= 2
		took, err = run(steps)
	}
	for range 3 {
		if err == nil {
			took, err = run(steps)
		}
		rate = max(rate, float64(groups)*float64(each)*float64(steps)/took.Seconds())
	}
	return rate, err
}
