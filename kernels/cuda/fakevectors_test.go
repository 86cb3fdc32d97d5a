package cuda

import (
	"bytes"
	"math"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// fakeVectors runs a kernel of vectors.cuh in plain Go: each group of threads is one loop.
func fakeVectors(k kernel, v entry.Variant, blocks int, p unsafe.Pointer, size uintptr) Result {
	switch q := (*pullParam)(p); k {
	case links:
		l := (*linkParam)(p)
		if size != unsafe.Sizeof(*l) {
			return invalidValue
		}
		return fakeGroups(k, &l.block, blocks, l.group, func(to int) { fakeLink(v, l, to) })
	case rankOne, pairRankOne:
		if r := (*rankParam)(p); size == unsafe.Sizeof(*r) &&
			blocks == int(r.m*r.m)*int(r.t/baseEdge)*int(r.t/baseEdge) {
			if k == pairRankOne {
				fakePairRankOne(v, r)
			} else {
				fakeRankOne(v, r)
			}
			return success
		}
		return invalidValue
	default:
		if size != unsafe.Sizeof(*q) {
			return invalidValue
		}
		for i := range blocks / int(q.blocks) {
			one := *q
			step := address(int64(i) * q.stride * 4)
			one.dist, one.next, one.pred, one.changed = q.dist+step, q.next+step, q.pred+step, q.changed+address(i*4)
			if r := fakeGroups(k, &q.block, int(q.blocks), q.group,
				func(to int) { fakePull(v, &one, to) }); r != success {
				return r
			}
		}
		return success
	}
}

// fakeGroups calls do for each vertex that has a group of threads.
func fakeGroups(k kernel, b *blockParam, blocks int, group int32, do func(i int)) Result {
	if int(group) > kernelInfo[k].threads {
		return invalidValue
	}
	for i := range min(blocks*(kernelInfo[k].threads/int(group)), int(b.hi-b.lo)) {
		do(i)
	}
	return success
}

// arcsInto calls take for each arc into vertex i of a block, in ascending order.
func arcsInto(b *blockParam, i int, take func(u int, w uint32)) {
	if b.edge == 0 {
		offsets := at[int32](b.offsets, i+2)
		for k := offsets[i]; k < offsets[i+1]; k++ {
			take(int(at[int32](b.ends, int(k)+1)[k]), at[uint32](b.weights, int(k)+1)[k])
		}
		return
	}
	w := at[uint32](b.weights, int(b.rows)*int(b.edge))
	for k := range int(b.rows) {
		if b.transposed != 0 {
			take(int(b.row)+k, w[i*int(b.rows)+k])
		} else {
			take(int(b.row)+k, w[k*int(b.edge)+i])
		}
	}
}

func fakeBelow(v entry.Variant, a, b uint32) bool {
	if v.Float() {
		return math.Float32frombits(a) < math.Float32frombits(b)
	}
	return int32(a) < int32(b)
}

func fakeSum(v entry.Variant, a, b uint32) uint32 {
	if v.Float() {
		return math.Float32bits(math.Float32frombits(a) + math.Float32frombits(b))
	}
	return a + b
}

func fakePull(v entry.Variant, p *pullParam, i int) {
	to := int(p.block.lo) + i
	dist, next, n := p.dist, at[uint32](p.next, to+1), to+1
	has := next[to]
	if p.first != 0 {
		has = at[uint32](dist, n)[to]
	}
	least, from := has, -1
	if v == entry.I32Signed && int32(least) > entry.Limit32 {
		least = uint32(entry.Limit32)
	}
	arcsInto(&p.block, i, func(u int, w uint32) {
		if s := fakeSum(v, at[uint32](dist, u+1)[u], w); fakeBelow(v, s, least) && fakeBelow(v, s, infinityOf(v)) {
			least, from = s, u
		}
	})
	if from >= 0 {
		has = least
		at[int32](p.pred, n)[to] = int32(from)
		at[int32](p.changed, 1)[0] = 1
	}
	next[to] = has
}

func fakeLink(v entry.Variant, p *linkParam, i int) {
	to := int(p.block.lo) + i
	light, ends := at[uint32](p.light, to+1), at[int32](p.ends, to+1)
	if p.first != 0 {
		light[to], ends[to] = infinityOf(v), entry.NoVertex
	}
	component := func(u int) uint32 { return at[uint32](p.component, u+1)[u] }
	arcsInto(&p.block, i, func(u int, w uint32) {
		if component(u) != component(to) && fakeBelow(v, w, light[to]) {
			light[to], ends[to] = w, int32(u)
		}
	})
}

func fakeRankOne(v entry.Variant, p *rankParam) {
	q := &pivotParam{list: p.list, t: p.t, m: p.m}
	n, k, t := int(p.m*p.t), int(p.k), int(p.t)
	for i := range n {
		a := values(v, placeOf(v, q, i, k), 1)[0]
		for j := 0; j < n; j += t {
			c := values(v, placeOf(v, q, i, j), t)
			relaxValues(v, c, a, values(v, placeOf(v, q, k, j), t))
			store(v, placeOf(v, q, i, j), 0, c)
		}
	}
}

// serve runs a kernel of reduce.cuh in plain Go.
func (f *fake) serve(name string, threads, blocks int, p unsafe.Pointer) Result {
	for k, info := range kernelInfo {
		if name != info.name {
			continue
		}
		switch {
		case threads != info.threads:
			return invalidValue
		case f.lazy:
			return success
		}
		switch {
		case kernel(k) >= pathStart:
			return fakePaths(kernel(k), (*pathParam)(p), blocks)
		case kernel(k) >= bitRows1:
			return fakeBitRows(kernel(k), (*bitRowsParam)(p), blocks)
		case kernel(k) >= bitClear:
			return fakeBits(kernel(k), (*bitParam)(p), blocks)
		}
		switch kernel(k) {
		case differs:
			if d := (*differParam)(p); !bytes.Equal(at[byte](d.a, int(d.bytes)), at[byte](d.b, int(d.bytes))) {
				at[int32](d.flag, 1)[0] = 1
			}
		case least:
			return fakeLeast((*leastParam)(p), blocks)
		case tileSums:
			return fakeSums((*sumsParam)(p), blocks)
		case growTake:
			fakeTake((*growParam)(p))
		case growSteps:
			if blocks != 1 {
				return invalidValue
			}
			for range (*growParam)(p).steps {
				fakeTake((*growParam)(p))
				if r := fakeLeast(&(*growParam)(p).least, 1); r != success {
					return r
				}
			}
		}
		return success
	}
	return notFound
}

// fakeLeast wants the counter to be 0, and the results of all blocks to have room.
func fakeLeast(p *leastParam, blocks int) Result {
	if at[uint32](p.arrived, 1)[0] != 0 || blocks > leastBlocks {
		return invalidValue
	}
	clear(at[uint64](p.parts, blocks))
	source, result := at[int32](p.source, int(p.n)), at[int32](p.result, 2)
	best := 0
	for i, x := range source {
		if x < source[best] {
			best = i
		}
	}
	result[0], result[1] = source[best], int32(best)
	return success
}

func fakeTake(p *growParam) {
	least := at[int32](p.least.result, 2)
	u := int(least[1])
	keys, parents := at[int32](p.keys, int(p.least.n)), at[int32](p.parents, int(p.least.n))
	at[int32](p.tree, u+1)[u], keys[u] = least[0], kernels.KeyTaken
	offsets := at[int32](p.offsets, u+2)
	for k := offsets[u]; k < offsets[u+1]; k++ {
		v, w := at[int32](p.ends, int(k)+1)[k], at[int32](p.weights, int(k)+1)[k]
		if w < keys[v] && keys[v] != kernels.KeyTaken {
			keys[v], parents[v] = w, int32(u)
		}
	}
}
