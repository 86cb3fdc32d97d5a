package cuda

import (
	"math"
	"sort"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// fakeLaneStats answers what a kernel of lanestats.cuh answers, block by block.
func fakeLaneStats(k kernel, v entry.Variant, p unsafe.Pointer, blocks int) {
	for block := range blocks {
		switch k {
		case laneBelow:
			fakeLaneBelow(v, (*laneEdgesParam)(p), block)
		case laneBins:
			fakeLaneBins(v, (*laneEdgesParam)(p), block)
		case laneNearest:
			fakeLaneNearest(v, (*laneNearestParam)(p), block)
		case nearestOfAll:
			fakeNearestOfAll(v, (*laneNearestParam)(p), block)
		}
	}
}

// eachOf calls take for the entries of a block's strip of lanes in its part of the rows.
func eachOf(v entry.Variant, lanes address, width, rows, partRows, block int, take func(row, lane int, d float64)) {
	strips := entry.CeilDiv(width, statStrip)
	part, first := block/strips, block%strips*statStrip
	for row := part * partRows; row < min(rows, (part+1)*partRows); row++ {
		for i, d := range values(v, lanes+address((row*width+first)*v.Bytes()), min(statStrip, width-first)) {
			take(row, first+i, d)
		}
	}
}

func fakeLaneBelow(v entry.Variant, p *laneEdgesParam, block int) {
	width, edges := int(p.width), values(v, p.edges, int(p.edge))
	counts := at[int32](p.counts, width*len(edges))
	eachOf(v, p.lanes, width, int(p.rows), belowRows, block, func(_, lane int, d float64) {
		for j, edge := range edges {
			if d < edge {
				counts[j*width+lane]++
			}
		}
	})
}

func fakeLaneBins(v entry.Variant, p *laneEdgesParam, block int) {
	edges := values(v, p.edges, int(p.edge))
	counts := at[int64](p.counts, len(edges)+1)
	eachOf(v, p.lanes, int(p.width), int(p.rows), binRows, block, func(_, lane int, d float64) {
		if lane < int(p.count) && !math.IsInf(d, 1) {
			counts[sort.Search(len(edges), func(i int) bool { return edges[i] > d })]++
		}
	})
}

// fakeList is the list of a lane.
type fakeList struct {
	v       entry.Variant
	near    []kernels.LaneNear // from the first of the lane on
	k, step int
}

func (l fakeList) clear() fakeList {
	for i := range l.k {
		l.near[i*l.step] = kernels.LaneNear{Name: -1}
	}
	return l
}

func (l fakeList) add(n kernels.LaneNear) {
	if n.Name < 0 {
		return
	}
	kind := l.v.Kind().Wide()
	for i := range l.k {
		o := &l.near[i*l.step]
		x, y := kind.Value(n.Distance), kind.Value(o.Distance)
		if o.Name < 0 || x < y || x == y && n.Name < o.Name {
			*o, n = n, *o
			if n.Name < 0 {
				return
			}
		}
	}
}

func fakeLaneNearest(v entry.Variant, p *laneNearestParam, block int) {
	width, k, rows, part := int(p.width), int(p.k), int(p.rows), block/entry.CeilDiv(int(p.width), statStrip)
	names, lists := at[int32](p.names, rows), at[kernels.LaneNear](p.parts, (part+1)*k*width)[part*k*width:]
	begun := map[int]bool{}
	eachOf(v, p.lanes, width, rows, int(p.partRows), block, func(row, lane int, d float64) {
		l := fakeList{v, lists[lane:], k, width}
		if !begun[lane] {
			begun[lane] = true
			l.clear()
		}
		if !math.IsInf(d, 1) {
			l.add(kernels.LaneNear{Distance: v.Kind().Wide().Bits(d), Name: names[row]})
		}
	})
}

func fakeNearestOfAll(v entry.Variant, p *laneNearestParam, block int) {
	width, k, parts := int(p.width), int(p.k), entry.CeilDiv(int(p.rows), int(p.partRows))
	all, lists := at[kernels.LaneNear](p.all, k*width), at[kernels.LaneNear](p.parts, max(1, parts)*k*width)
	for lane := block * statStrip; lane < min(width, (block+1)*statStrip); lane++ {
		l := fakeList{v, all[lane:], k, width}.clear()
		for i := range parts * k {
			l.add(lists[i*width+lane])
		}
	}
}
