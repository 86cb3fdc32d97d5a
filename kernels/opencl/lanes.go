package opencl

import (
	"errors"
	"fmt"
	"slices"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

var _ kernels.LaneOps = (*device)(nil)

// lanesProgram is the program of the kernels of lanes.cl; in pieces where an operand lies in several memory objects.
func lanesProgram(v entry.Variant, pieces bool) program {
	return program{variant: v, lanes: true, pieces: pieces}
}

// mostObjects is how many memory objects a launch of lanes.cl may name, as MEMORY_OBJECTS does.
const mostObjects = 32

// laneCall gathers the arguments of kernels of lanes.cl, and keeps the first error.
type laneCall struct {
	ledger.Check
	stream  *stream
	variant entry.Variant
	objects []handle // of all operands
	at      []laneOperand
	pieces  bool
	set     map[string]bool // kernels whose operands are set
}

// laneOperand is where an operand begins: in the first of its buffer's memory objects.
type laneOperand struct {
	first      int // in objects
	off, piece int64
}

// lanesOn begins an operation on so many lanes.
func (d *device) lanesOn(on kernels.Stream, v entry.Variant, width int) *laneCall {
	s, err := d.ownStream(on, v)
	c := &laneCall{Check: ledger.Check{Err: err}, stream: s, variant: v, set: map[string]bool{}}
	c.Lanes(width)
	return c
}

// operand adds an operand of so many bytes, or of as many as its content says.
func (c *laneCall) operand(what string, t kernels.Tile, bytes int64) {
	if c.Err != nil {
		return
	}
	if _, err := c.stream.device.spans(t, bytes); err != nil {
		c.Err = fmt.Errorf("%s: %w", what, err)
		return
	}
	b, unit := kernels.Bare(t.Buf).(*buffer), int64(align)
	if len(b.At.memory) > 1 { // no vector of a processor lies across two
		unit *= 4
	}
	if t.Off%unit != 0 {
		c.Err = fmt.Errorf("%s: at offset %d: want a multiple of %d", what, t.Off, unit)
		return
	}
	first := slices.Index(c.objects, b.At.memory[0])
	if first < 0 {
		first = len(c.objects)
		c.objects = append(c.objects, b.At.memory...)
	}
	c.pieces = c.pieces || len(b.At.memory) > 1
	c.at = append(c.at, laneOperand{first, t.Off, b.At.piece})
}

// sources adds the sources of so many lanes. Where there are none, another operand stands for them.
func (c *laneCall) sources(t, other kernels.Tile, width int) (named int) {
	if t == (kernels.Tile{}) {
		c.operand("sources", other, 0)
		return 0
	}
	c.operand("sources", t, entry.WordBytes*int64(width))
	return 1
}

// operands are the arguments for the operands from the first to the last but one.
func (c *laneCall) operands(first, last int) (args []arg) {
	if c.pieces {
		for i := range mostObjects {
			args = append(args, memoryArg(c.objects[min(i, len(c.objects)-1)]))
		}
	}
	for _, o := range c.at[first:last] {
		if c.pieces {
			args = append(args, long(int64(o.first)<<56|o.off), long(o.piece))
		} else {
			args = append(args, memoryArg(c.objects[o.first]), long(o.off))
		}
	}
	return args
}

// run starts a kernel on all operands, and runOn on some of them. A kernel that ran before in the same operation
// keeps them, and of its numbers all but the last, as many as change.
func (c *laneCall) run(kernel string, groups, items, change int, numbers ...arg) {
	c.runOn(kernel, 0, len(c.at), groups, items, change, numbers...)
}

func (c *laneCall) runOn(kernel string, first, last, groups, items, change int, numbers ...arg) {
	if c.Err != nil || groups == 0 {
		return
	}
	if c.pieces && len(c.objects) > mostObjects {
		c.Err = fmt.Errorf("%w: the operands lie in %d pieces of memory, which the driver makes small; kernels take %d",
			kernels.ErrNoMemory, len(c.objects), mostObjects)
		return
	}
	args := append(c.operands(first, last), numbers...)
	if c.set[kernel] {
		for i := range len(args) - change {
			args[i].kept = true
		}
	}
	c.set[kernel] = true
	c.Err = c.stream.launch(kernelOf{lanesProgram(c.variant, c.pieces), kernel}, groups, items, args)
}

// end has the driver begin, and returns the error of the operation.
func (c *laneCall) end(what string) error {
	if c.Err == nil {
		c.Err = c.stream.flush()
	}
	return in(what, c.Err)
}

// What a group of items of lanes.cl takes on a GPU.
const (
	teamItems = 64 // that have neighbouring lanes of a row, four each
	teams     = serviceItems / teamItems
	teamArcs  = 16 // arcs of a row that a team takes at least before another shares them with it
	acrossUp  = 32 // rows and columns of a patch that is transposed
)

// laneStrip is how many lanes of a row an item, or a team, takes.
func (d *device) laneStrip() int {
	if d.found.cpu {
		return kernels.DeviceLaneUnit
	}
	return 4 * teamItems
}

// Level implements kernels.LaneOps: each range is a launch.
func (d *device) Level(on kernels.Stream, v entry.Variant, l kernels.Level) error {
	c := d.lanesOn(on, v, l.Width)
	rows := c.Level(l.Ranges)
	c.operand("lanes", l.Lanes, int64(rows)*int64(l.Width)*int64(v.Bytes()))
	c.operand("offsets", l.Offsets, entry.WordBytes*(int64(rows)+1))
	c.operand("ends", l.Ends, 0)
	c.operand("weights", l.Weights, 0)
	named := c.sources(l.Sources, l.Lanes, l.Width)
	for _, g := range l.Ranges {
		share, perGroup := 1, 1
		if !d.found.cpu {
			for share < teams && int(g.Degree) >= 2*share*teamArcs {
				share *= 2
			}
			perGroup = teams / share
		}
		c.run("level", entry.CeilDiv(int(g.Hi-g.Lo)*entry.CeilDiv(l.Width, d.laneStrip()), perGroup), d.items(), 3,
			number(l.Width), number(ledger.OneIf[int](l.Fresh)), number(named), number(int(g.Lo)), number(int(g.Hi)),
			number(share))
	}
	return c.end("level")
}

// LaneProduct implements kernels.LaneOps by the kernel of MinPlus.
func (d *device) LaneProduct(on kernels.Stream, v entry.Variant, p kernels.LaneProduct) error {
	c := d.lanesOn(on, v, p.Width)
	if c.Product(&p); c.Err == nil {
		c.Want(!c.stream.pairs, "the stream is one for tiles of pairs")
	}
	if c.Err == nil {
		c.Err = c.stream.laneProduct(v, p)
	}
	return c.end("product of lanes")
}

func (s *stream) laneProduct(v entry.Variant, p kernels.LaneProduct) error {
	at, size := &places{stream: s}, int64(v.Bytes())
	rows := int64(p.Edge) * int64(p.Width) * size
	to := at.operand("result", p.Dst, rows, false, true, true)
	from := at.operand("lanes", p.Src, rows, true, false, true)
	weights := at.operand("weights", p.Weights, int64(p.Edge)*int64(p.Edge)*size, true, false, true)
	if at.err != nil {
		return at.err
	}
	j := &jobs{stream: s, queue: s.device.productQueue(s), kernel: product, variant: v,
		operands: operands{rows: p.Edge, cols: p.Width, lda: p.Edge, ldb: p.Width, ldc: p.Width, ldx: p.Width,
			depth: p.Edge}}
	if err := j.add(job{to, to, true, [][2]place{{weights, from}}}); err != nil {
		return err
	}
	return errors.Join(j.run(), at.putBack())
}

// ArcProduct implements kernels.LaneOps: a group of items takes a row.
func (d *device) ArcProduct(on kernels.Stream, v entry.Variant, a kernels.ArcProduct) error {
	c := d.lanesOn(on, v, a.Edge)
	c.operand("result", a.Dst, int64(a.Edge)*int64(a.Edge)*int64(v.Bytes()))
	c.operand("offsets", a.Offsets, entry.WordBytes*(int64(a.Edge)+1))
	c.operand("ends", a.Ends, 0)
	c.operand("weights", a.Weights, 0)
	c.operand("offsets of the second list", a.Offsets2, 0)
	c.operand("ends of the second list", a.Ends2, 0)
	c.operand("weights of the second list", a.Weights2, 0)
	c.run("arcProduct", a.Edge, d.items(), 0, number(a.Edge), number(ledger.OneIf[int](a.Fresh)))
	return c.end("product of arcs")
}

// LaneBlocks implements kernels.LaneOps.
func (d *device) LaneBlocks(on kernels.Stream, v entry.Variant, b kernels.LaneBlocks) error {
	c := d.lanesOn(on, v, b.Width)
	c.Want(b.Count >= 0, "%d blocks", b.Count)
	const blockBytes = 5 * entry.WordBytes
	c.operand("lanes", b.Lanes, int64(b.Width)*int64(v.Bytes())) // which rows are looked at, Blocks and Terms say
	c.operand("blocks", b.Blocks, blockBytes*int64(b.Count))
	c.operand("terms", b.Terms, 0)
	c.operand("weights", b.Weights, kernels.LaneSlack*int64(v.Bytes()))
	items := 1
	if !d.found.cpu {
		items = 64
	}
	c.run("laneBlocks", b.Count*b.Width/kernels.DeviceLaneUnit, items, 0, number(b.Width),
		number(ledger.OneIf[int](b.Fresh)))
	return c.end("blocks of lanes")
}

// LaneTranspose implements kernels.LaneOps.
func (d *device) LaneTranspose(on kernels.Stream, v entry.Variant, t kernels.LaneTranspose) error {
	c := d.lanesOn(on, v, t.Width)
	c.Transpose(&t)
	columns := int64(t.Side) * int64(t.Edge)
	c.operand("result", t.Dst, columns*int64(t.Width)*int64(v.Bytes()))
	c.operand("lanes", t.Lanes, 0) // which rows are looked at, Columns says
	c.operand("columns", t.Columns, entry.WordBytes*columns)
	named := c.sources(t.Sources, t.Lanes, t.Width)
	c.run("laneTranspose", int(columns/acrossUp)*(t.Width/acrossUp), d.items(), 0, number(t.Width), number(t.Edge),
		number(t.Side), number(named))
	return c.end("transposition of lanes")
}

// LaneSums implements kernels.LaneOps.
func (d *device) LaneSums(on kernels.Stream, v entry.Variant, l kernels.LaneSums) error {
	c := d.lanesOn(on, v, l.Width)
	c.Rows(l.Rows, l.Count, l.Width)
	parts := entry.CeilDiv(l.Rows, kernels.LaneSumRows)
	byRow := l.ByRow
	if byRow == (kernels.Tile{}) {
		byRow = l.ByLane
	}
	// Each kernel takes some that are side by side.
	c.operand("sums of rows", byRow, int64(kernels.LaneSumBytes)*int64(ledger.OneIf[int](l.ByRow == byRow)*l.Rows))
	c.operand("lanes", l.Lanes, int64(l.Rows)*int64(l.Width)*int64(v.Bytes()))
	c.operand("names", l.Names, entry.WordBytes*int64(l.Rows))
	c.operand("sums", l.ByLane, int64(kernels.LaneSumBytes)*int64(l.Width)*int64(parts+1))
	c.runOn("laneSums", 1, 4, parts*l.Width/kernels.DeviceLaneUnit, d.items(), 0, number(l.Width), number(l.Rows))
	c.runOn("laneTotals", 3, 4, entry.CeilDiv(l.Width, d.items()), d.items(), 0, number(l.Width), number(parts))
	if l.ByRow == byRow {
		c.runOn("rowSums", 0, 2, l.Rows, min(d.items(), kernels.DeviceLaneUnit), 0, number(l.Width), number(l.Count))
	}
	return c.end("sums of lanes")
}

// Checksums implements kernels.LaneOps.
func (d *device) Checksums(on kernels.Stream, dst, src kernels.Tile, bytes int64, count int) error {
	// A tile of 1-byte entries; those of kinds are multiples.
	const unit = kernels.DeviceLaneUnit * kernels.DeviceLaneUnit
	c := d.lanesOn(on, entry.I32, kernels.DeviceLaneUnit)
	c.Want(bytes > 0 && bytes%unit == 0 && count >= 0, "%d blocks of %d bytes: want a multiple of %d", count, bytes,
		unit)
	c.operand("result", dst, entry.WordBytes*int64(count))
	c.operand("blocks", src, bytes*int64(count))
	c.run("checksums", min(count, 64*d.found.units), d.items(), 0, long(bytes/entry.WordBytes), number(count))
	return c.end("checksums")
}

// withoutLanes is the device without LaneOps.
type withoutLanes struct {
	kernels.Device
	kernels.TileOps
}

// Driver is that of the device.
func (d withoutLanes) Driver() string { return d.Device.(*device).Driver() }

// Offered is what the device can do: all but LaneOps where it has no numbers of 64 bits, which sums of lanes need.
func (d *device) Offered() kernels.Device {
	if d.found.doubles {
		return d
	}
	return withoutLanes{d, d}
}
