package cuda

import (
	"math"
	"math/bits"
)

// fakePaths runs a kernel of paths.cuh. Hubs are vertices like others.
func fakePaths(k kernel, p *pathParam, blocks int) Result {
	n := int(p.n)
	words, anyAt := at[uint64](p.sums, int(p.words)), at[int32](p.any, int(p.last)+1)
	levels := at[uint64](p.levels, n*int(p.last+1))
	if k == pathCount || k == pathBack || k == pathBackEdges {
		hubs, rest := blocks-int(p.hubBlocks) < 1, at[int32](p.hubs, 1)[0]+at[int32](p.intoHubs, 1)[0]
		if hubs || rest > 0 && p.hubBlocks == 0 {
			return invalidValue
		}
	}
	switch k {
	case pathStart:
		clear(words)
		clear(levels[:n])
		clear(anyAt)
		anyAt[0] = 1
		at[int32](p.hubs, 1)[0], at[int32](p.intoHubs, 1)[0] = 0, 0
		for v := range n {
			at[uint64](p.seen, n)[v] = ^uint64(0) << p.count
		}
	case pathSeed:
		for lane, v := range at[int32](p.sources, int(p.count)) {
			levels[v] |= 1 << lane
			at[uint64](p.seen, n)[v] |= 1 << lane
			at[float64](p.rows, n*pathLanes)[int(v)*pathLanes+lane] = 1
		}
		for _, of := range [][2]address{{p.offsets, p.hubs}, {p.into, p.intoHubs}} {
			offsets, hubs := at[int32](of[0], n+1), at[int32](of[1], int(p.arcs)/pathHub+2)
			for v := range n {
				if offsets[v+1]-offsets[v] > pathHub {
					hubs[0]++
					hubs[hubs[0]] = int32(v)
				}
			}
		}
	case pathCount:
		if anyAt[p.level-1] != 0 {
			fakePathCount(p, levels[n*int(p.level-1):][:n], levels[n*int(p.level):][:n], anyAt, words)
		}
	case pathBack, pathBackEdges:
		if anyAt[p.level] != 0 {
			sums := at[float64](p.sums+8, len(words)-1)
			fakePathBack(p, k == pathBackEdges, levels[n*int(p.level):][:n], levels[n*int(p.level+1):][:n], sums)
		}
	}
	return success
}

// eachLane calls do for each.
func eachLane(lanes uint64, do func(lane int)) {
	for ; lanes != 0; lanes &= lanes - 1 {
		do(bits.TrailingZeros64(lanes))
	}
}

func fakePathCount(p *pathParam, from, to []uint64, anyAt []int32, words []uint64) {
	n := int(p.n)
	offsets, seen, rows := at[int32](p.into, n+1), at[uint64](p.seen, n), at[float64](p.rows, n*pathLanes)
	for v := range n {
		to[v] = 0
		var sum [pathLanes]float64
		for _, u := range at[int32](p.from, int(p.arcs))[offsets[v]:offsets[v+1]] {
			to[v] |= from[u] &^ seen[v]
			eachLane(from[u]&^seen[v], func(i int) { sum[i] += rows[int(u)*pathLanes+i] })
		}
		eachLane(to[v], func(i int) {
			rows[v*pathLanes+i] = sum[i]
			if anyAt[p.level] = 1; sum[i] >= 1<<53 || p.level == p.last {
				words[0] |= 1 << i
			}
		})
		seen[v] |= to[v]
	}
}

func fakePathBack(p *pathParam, edges bool, own, next []uint64, sums []float64) {
	n, unit := int(p.n), int(p.unit)
	offsets, ends := at[int32](p.offsets, n+1), at[int32](p.ends, int(p.arcs))
	rows, ending := at[float64](p.rows, n*pathLanes), at[float64](p.ending, n)
	addUnits := func(x *[pathLanes]float64, lanes uint64, where int, extra bool) {
		for lo := 0; lo < pathLanes; lo += unit {
			mine, sum := lanes>>lo&(^uint64(0)>>(pathLanes-unit)), 0.0
			eachLane(mine, func(i int) { sum += x[lo+i] })
			if extra {
				sum += float64(bits.OnesCount64(mine))
			}
			if mine != 0 {
				sums[lo/unit*int(p.stride)+where] += sum
			}
		}
	}
	for v := range n {
		var sum [pathLanes]float64
		row := rows[v*pathLanes:][:pathLanes]
		for k := offsets[v]; k < offsets[v+1]; k++ {
			lanes, u := own[v]&next[ends[k]], int(ends[k])
			var through [pathLanes]float64
			eachLane(lanes, func(i int) {
				sum[i] += rows[u*pathLanes+i]
				through[i] = row[i] * rows[u*pathLanes+i]
			})
			if edges {
				addUnits(&through, lanes, n+int(k), false)
			}
		}
		eachLane(own[v], func(i int) {
			if sum[i] *= row[i]; p.level == 0 {
				sum[i] = math.Round(sum[i])
			} else {
				row[i] = (ending[v] + sum[i]) / row[i]
			}
		})
		if p.level > 0 || p.endpoints != 0 {
			addUnits(&sum, own[v], v, p.level > 0 && p.endpoints != 0)
		}
	}
}
