package cuda

import (
	"errors"
	"fmt"

	"ooc/kernels"
)

var _ kernels.Leveller = (*Device)(nil)

// levelParam is Level of levels.cuh.
type levelParam struct {
	offsets, ends, weights address
	lanes, sources         address
	width                  int32
	lo, hi                 int32
	group                  int32
	fresh, pad             int32
}

// turnParam is Turn of levels.cuh.
type turnParam struct {
	to, lanes, columns, sources address
	width, edge, side           int32
	pad                         int32
}

// What a block of levels.cuh takes.
const (
	levelWarps = 8   // warps of a block
	levelStrip = 256 // lanes of a warp
	turnEdge   = 64  // rows and columns
)

// warpArcs is how many arcs of a row a warp takes at least before another shares them with it.
const warpArcs = 16

// Level implements kernels.Leveller: each range is a launch.
func (d *Device) Level(on kernels.Stream, v kernels.Variant, l kernels.Level) error {
	err := d.level(on, v, &l)
	if err != nil {
		return fmt.Errorf("cuda: level: %w", err)
	}
	return nil
}

func (d *Device) level(on kernels.Stream, v kernels.Variant, l *kernels.Level) error {
	s, err := d.streamOf(on, v, l.Width)
	if err != nil {
		return err
	}
	p := &levelParam{width: int32(l.Width)}
	if l.Fresh {
		p.fresh = 1
	}
	rows := 0
	for _, r := range l.Ranges {
		if r.Lo < 0 || r.Hi < r.Lo || r.Degree < 0 {
			return fmt.Errorf("rows from %d to %d with %d arcs: there are none such", r.Lo, r.Hi, r.Degree)
		}
		rows = max(rows, int(r.Hi))
	}
	err = errors.Join(
		d.operand("lanes", &p.lanes, l.Lanes, int64(rows)*int64(l.Width)),
		d.operand("offsets", &p.offsets, l.Offsets, int64(rows+1)),
		d.operand("ends", &p.ends, l.Ends, 0),
		d.operand("weights", &p.weights, l.Weights, 0),
		d.sources(&p.sources, l.Sources, l.Width))
	if err != nil {
		return err
	}
	strips := (l.Width + levelStrip - 1) / levelStrip
	for _, r := range l.Ranges {
		if r.Lo == r.Hi {
			continue
		}
		p.lo, p.hi, p.group = r.Lo, r.Hi, groupFor(int(r.Degree))
		perBlock := levelWarps / int(p.group)
		blocks := (int(r.Hi-r.Lo)*strips + perBlock - 1) / perBlock
		if err := s.launch(v, levelRows, blocks, paramOf(p)); err != nil {
			return err
		}
	}
	return nil
}

// groupFor returns how many warps share the arcs of a row where a row has so many at most.
func groupFor(degree int) int32 {
	group := 1
	for group < levelWarps && degree >= 2*group*warpArcs {
		group *= 2
	}
	return int32(group)
}

// LaneProduct implements kernels.Leveller by the kernel of MinPlus.
func (d *Device) LaneProduct(on kernels.Stream, v kernels.Variant, p kernels.LaneProduct) error {
	err := d.laneProduct(on, v, &p)
	if err != nil {
		return fmt.Errorf("cuda: product of lanes: %w", err)
	}
	return nil
}

func (d *Device) laneProduct(on kernels.Stream, v kernels.Variant, p *kernels.LaneProduct) error {
	s, err := d.streamOf(on, v, p.Width)
	if err != nil {
		return err
	}
	if p.Edge <= 0 || p.Edge%baseEdge != 0 {
		return fmt.Errorf("weights of edge %d: want a multiple of %d", p.Edge, baseEdge)
	}
	if p.Dst == p.Src || p.Dst == p.Weights {
		return errors.New("the result is also an operand")
	}
	var to, from, weights address
	edge, width := int64(p.Edge), int64(p.Width)
	err = errors.Join(
		d.operand("result", &to, p.Dst, edge*width),
		d.operand("lanes", &from, p.Src, edge*width),
		d.operand("weights", &weights, p.Weights, edge*edge))
	if err != nil {
		return err
	}
	list := []entry{jobEntry(to, 1, 1, true), {uint64(weights), uint64(from)}}
	return s.multiply(v, list, 1, operandShape{rows: p.Edge, cols: p.Width, lda: p.Edge, ldb: p.Width, ldc: p.Width, depth: p.Edge})
}

// Turn implements kernels.Leveller.
func (d *Device) Turn(on kernels.Stream, v kernels.Variant, t kernels.Turn) error {
	err := d.turn(on, v, &t)
	if err != nil {
		return fmt.Errorf("cuda: turn: %w", err)
	}
	return nil
}

func (d *Device) turn(on kernels.Stream, v kernels.Variant, t *kernels.Turn) error {
	s, err := d.streamOf(on, v, t.Width)
	if err != nil {
		return err
	}
	if t.Edge <= 0 || t.Edge%turnEdge != 0 || t.Width%t.Edge != 0 || t.Side <= 0 {
		return fmt.Errorf("%d lanes to %d tiles of edge %d: want an edge that is a multiple of %d, and lanes that are one of it", t.Width, t.Side, t.Edge, turnEdge)
	}
	p := &turnParam{width: int32(t.Width), edge: int32(t.Edge), side: int32(t.Side)}
	columns := int64(t.Side) * int64(t.Edge)
	err = errors.Join(
		d.operand("result", &p.to, t.Dst, columns*int64(t.Width)),
		d.operand("lanes", &p.lanes, t.Lanes, 0), // which rows are looked at, Columns says
		d.operand("columns", &p.columns, t.Columns, columns),
		d.sources(&p.sources, t.Sources, t.Width))
	if err != nil {
		return err
	}
	return s.launch(v, turnLanes, int(columns/turnEdge)*(t.Width/turnEdge), paramOf(p))
}

// streamOf returns the stream, if it is one of the device's that is alive, and the lanes are as they should be.
func (d *Device) streamOf(on kernels.Stream, v kernels.Variant, width int) (*stream, error) {
	s, ok := on.(*stream)
	switch {
	case !ok || s == nil || s.device != d:
		return nil, errors.New("not a stream of this device")
	case int(v) >= len(kernels.Variants):
		return nil, fmt.Errorf("no variant %d", v)
	case width <= 0 || width%kernels.WideUnit != 0 || width > 1<<20:
		return nil, fmt.Errorf("%d lanes: want a multiple of %d, at most %d", width, kernels.WideUnit, 1<<20)
	}
	return s, s.alive()
}

// operand finds the address of so many entries.
func (d *Device) operand(what string, at *address, t kernels.Tile, entries int64) (err error) {
	if *at, err = d.resolve(t, entries*kernels.EntryBytes); err == nil && *at%vector != 0 {
		err = fmt.Errorf("at offset %d: want a multiple of %d", t.Off, vector)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// sources finds the address of the sources of so many lanes, if there are any.
func (d *Device) sources(at *address, t kernels.Tile, width int) error {
	if t == (kernels.Tile{}) {
		return nil
	}
	return d.operand("sources", at, t, int64(width))
}
