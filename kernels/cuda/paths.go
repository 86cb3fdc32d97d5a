package cuda

import (
	"math/bits"

	"ooc/kernels"
	"ooc/kernels/entry"
)

var _ kernels.PathOps = (*Device)(nil)

// pathParam is PathSearch of paths.cuh.
type pathParam struct {
	offsets, ends, into, from, sources, ending address
	rows, seen, levels, any, hubs, intoHubs    address
	sums                                       address
	n, arcs, count, unit                       int32
	level, last, hubBlocks, endpoints          int32
	stride, words                              int64
}

// What paths.cuh takes.
const (
	pathWarps = 8
	pathLanes = 64
	pathHub   = 256
)

// Blocks of a kernel that run on a multiprocessor at once.
const (
	pathBlocks     = 5
	pathEdgeBlocks = 4 // that add up edges
)

// pathPlaces are where the parts of a search's memory are: as in pathParam, from rows on.
func pathPlaces(p kernels.PathSearch) (at [6]int64, all int64) {
	n, levels, hubs := int64(p.Vertices), int64(p.Levels)+1, int64(p.Arcs/pathHub+1)
	for i, bytes := range []int64{8 * pathLanes * n, 8 * n, 8 * n * levels, 4 * levels, 4 * (hubs + 1), 4 * (hubs + 1)} {
		at[i] = all
		all += (bytes + 255) / 256 * 256
	}
	return at, all
}

// PathRoom implements kernels.PathOps.
func (*Device) PathRoom(p kernels.PathSearch) int64 {
	_, all := pathPlaces(p)
	return all
}

// PathSums implements kernels.PathOps.
func (d *Device) PathSums(on kernels.Stream, p kernels.PathSearch) error {
	c := d.on(on, forAll)
	c.Want(p.Vertices > 0 && p.Arcs >= 0 && p.Arcs < 1<<31 && p.Count >= 0 && p.Count <= pathLanes && p.Levels > 0,
		"%d vertices, %d arcs, %d sources, %d levels", p.Vertices, p.Arcs, p.Count, p.Levels)
	c.Want(bits.OnesCount(uint(p.Unit)) == 1 && p.Unit >= 8 && p.Unit <= pathLanes, "%d lanes of a unit", p.Unit)
	if c.Err != nil {
		return c.end("betweenness")
	}
	q := &pathParam{offsets: c.vector("offsets", p.Offsets, p.Vertices+1), ends: c.vector("ends", p.Ends, p.Arcs),
		into: c.vector("offsets into", p.Into, p.Vertices+1), from: c.vector("ends into", p.From, p.Arcs),
		sources: c.vector("sources", p.Sources, p.Count), ending: c.aligned("ending", p.Ending, 8*int64(p.Vertices)),
		sums: c.aligned("sums", p.Sums, p.SumBytes()), n: int32(p.Vertices), arcs: int32(p.Arcs),
		count: int32(p.Count), unit: int32(p.Unit), last: int32(p.Levels), words: p.SumBytes() / 8,
		hubBlocks: int32(min(p.Arcs/pathHub, d.sms))}
	q.stride = (q.words - 1) / int64(pathLanes/p.Unit)
	at, room := pathPlaces(p)
	memory := c.aligned("memory", p.Memory, room)
	for i, part := range []*address{&q.rows, &q.seen, &q.levels, &q.any, &q.hubs, &q.intoHubs} {
		*part = memory + address(at[i])
	}
	back, backBlocks := pathBack, pathBlocks
	if p.Endpoints {
		q.endpoints = 1
	}
	if p.Edges {
		back, backBlocks = pathBackEdges, pathEdgeBlocks
	}
	all := func(perSM int) int { return int(q.hubBlocks) + min(entry.CeilDiv(p.Vertices, pathWarps), perSM*d.sms) }
	c.launch(pathStart, pathBlocks*d.sms, paramOf(q))
	c.launch(pathSeed, entry.CeilDiv(max(p.Vertices, pathLanes), kernelInfo[pathSeed].threads), paramOf(q))
	for q.level = 1; q.level <= q.last; q.level++ {
		c.launch(pathCount, all(pathBlocks), paramOf(q))
	}
	for q.level = q.last - 1; q.level >= 0; q.level-- {
		c.launch(back, all(backBlocks), paramOf(q))
	}
	return c.end("betweenness")
}
