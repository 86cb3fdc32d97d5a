package opencl

import (
	"fmt"
	"math/bits"
	"strings"

	"ooc/kernels/entry"
)

// tunables are what makes kernels fast on some hardware and not on other.
type tunables struct {
	vendor string // part of the vendor's name; "": of any

	// launch: relaxations of a launch, about: long ones keep others from the device, and systems stop what takes
	// seconds on a GPU with a screen.
	launch int
	queues int // that products of all streams share; 0: each stream's own

	// Of kernels for GPUs.
	block int // rows and columns of C of a group, where the edge of tiles is a multiple; 64 elsewhere
	slab  int // depth of what passes through local memory at once
	band  int // blocks in a column before the next column
	mixed int // 1: some additions are multiplications

	// Of kernels for processors.
	rows, vectors int // of C in registers
	depth         int // rows of B that are copied
	strip         int // rows of C of an item
}

// smallBlock divides the edge of every tile.
const smallBlock = 64

// gpus are tunables of GPUs, the first that fits the vendor. docs/opencl.md says where they are from.
var gpus = []tunables{
	{vendor: "NVIDIA", block: 64, slab: 16, band: 16, mixed: 1, launch: 1 << 36, queues: 2},
	{block: 64, slab: 8, band: 16, launch: 1 << 34, queues: 2},
}

// processors are tunables of processors, by 32-bit integers in a vector: the registers of AVX-512 hold twice what
// others' do, and are twice as many.
var processors = map[int]tunables{
	16: {rows: 8, vectors: 2, depth: 128, strip: 64, launch: 1 << 37},
	8:  {rows: 4, vectors: 2, depth: 128, strip: 64, launch: 1 << 37},
	4:  {rows: 4, vectors: 2, depth: 128, strip: 64, launch: 1 << 37},
}

// choose returns the tunables of a device.
func choose(f *Found) (tunables, error) {
	if f.cpu {
		lanes := 1 << (bits.Len(uint(max(f.lanes, 1))) - 1)
		return processors[min(max(lanes, 4), 16)], nil
	}
	for _, t := range gpus {
		if !strings.Contains(f.Vendor, t.vendor) {
			continue
		}
		if f.group < int64(t.block/8*(t.block/8)) || f.local < t.localBytes(t.block, 4) {
			t.block = smallBlock
		}
		if f.group < 256 || f.local < t.localBytes(t.block, 4) {
			return t, fmt.Errorf("%w: it has groups of %d items and %d bytes of local memory; the kernels need "+
				"256 and %d",
				ErrNoDevice, f.group, f.local, t.localBytes(t.block, 4))
		}
		return t, nil
	}
	panic("opencl: the table of tunables has no line for any device")
}

// localBytes is the local memory of a group of a product.
func (t *tunables) localBytes(block, entryBytes int) int64 {
	return int64(2 * t.slab * (2*block + 4) * entryBytes)
}

// shape is how a program cuts products into groups.
type shape struct {
	rows, cols int // of C, of a group
	items      int // of a group
}

// serviceItems are the items of a group of a kernel of service.cl on a GPU, and of those of pairs.
const serviceItems = 256

// items are the items of a group of a kernel that has as many on all GPUs.
func (d *device) items() int {
	if d.found.cpu {
		return 1
	}
	return serviceItems
}

// unit is how many of a row's entries an item of service.cl takes.
func (d *device) unit(row int) int {
	if d.found.cpu {
		return row
	}
	return 1
}

// products returns the program for products of so many rows and columns, multiples of 64.
func (d *device) products(v entry.Variant, pairs bool, rows, cols int) program {
	p := program{variant: v, pairs: pairs}
	if d.found.cpu {
		p.shape = shape{rows: d.tunables.strip, cols: d.lanes(v) * d.tunables.vectors, items: 1}
		return p
	}
	if pairs {
		p.shape = shape{smallBlock, smallBlock, serviceItems}
		return p
	}
	b := d.tunables.block
	if rows%b != 0 || cols%b != 0 || v.Bytes() == 8 { // 64 entries of 8 bytes take an item's registers
		b = smallBlock
	}
	p.shape = shape{rows: b, cols: b, items: b / 8 * (b / 8)}
	return p
}

// lanes is how many entries a vector of a processor holds; OpenCL has none of more than 16.
func (d *device) lanes(v entry.Variant) int {
	width := 1 << (bits.Len(uint(max(d.found.lanes, 1))) - 1)
	return min(16, max(4, min(width, 16))*4/v.Bytes())
}

// options are those of the driver's compiler.
func (d *device) options(p program) string {
	t, slab := &d.tunables, d.tunables.slab
	if p.variant.Bytes() == 8 {
		slab = min(slab, 8)
	}
	o := fmt.Sprintf("-cl-std=CL1.2 -D%s -DBLOCK=%d -DITEMS=%d",
		strings.ToUpper(strings.ReplaceAll(p.variant.String(), "-", "_")), p.shape.rows, d.items())
	if d.found.cpu {
		o += fmt.Sprintf(" -DCPU -DLANES=%d -DROWS=%d -DPAIR_ROWS=%d -DVECTORS=%d -DDEPTH=%d", d.lanes(p.variant),
			t.rows, t.rows/2, t.vectors, t.depth)
	} else {
		o += fmt.Sprintf(" -DSLAB=%d -DPAIR_SLAB=%d -DBAND=%d -DMIXED=%d", slab, pairSlab, t.band, t.mixed)
	}
	if p.pairs {
		o += " -DPAIRED"
	}
	if p.lanes && !d.found.cpu {
		o += " -DLANES=4"
	}
	if p.pieces {
		o += " -DPIECES"
	}
	return o
}

// pairSlab is the slab of products of pairs on GPUs: 12 KB of local memory, of doubles 25.
const pairSlab = 16
