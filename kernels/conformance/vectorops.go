package conformance

import (
	"slices"
	"testing"

	"ooc/kernels"
	"ooc/kernels/entry"
)

func (b *bench) vectorOps(d kernels.VectorOps) {
	b.Run("Pull", func(t *testing.T) { b.with(t).pulls(d) })
	b.Run("Link", func(t *testing.T) { b.with(t).links(d) })
	b.Run("Least", func(t *testing.T) { b.with(t).leasts(d) })
	b.Run("Grow", func(t *testing.T) { b.with(t).grows(d) })
}

// vectorGraph is a random graph: the weights of its arcs by beginning and end, unreachable for none.
type vectorGraph struct {
	*bench
	v       entry.Variant
	n       int
	weights matrix
}

func (b *bench) newVectorGraph(v entry.Variant) *vectorGraph {
	x := &vectorGraph{bench: b, v: v, n: 1 + b.IntN(300)}
	x.weights = make(matrix, x.n*x.n)
	degree := b.IntN(8)
	for i := range x.weights {
		x.weights[i] = v.Unreachable()
		if b.IntN(x.n) < degree {
			x.weights[i] = x.number()
		}
	}
	return x
}

// number is a random weight, small so that sums are often equal.
func (x *vectorGraph) number() uint64 {
	w := x.IntN(20)
	if x.v.Signed() {
		w -= 10
	}
	if x.v.Float() {
		return fbits(float32(w) / 3)
	}
	return uint64(uint32(w))
}

// vector returns random entries, a third of them unreachable.
func (x *vectorGraph) vector() matrix {
	m := make(matrix, x.n)
	for i := range m {
		if m[i] = x.number(); x.IntN(3) == 0 {
			m[i] = x.v.Unreachable()
		}
	}
	return m
}

// upload copies words to memory of their own on the device.
func (b *bench) upload(m matrix) kernels.Tile { return b.uploadAs(m, wordBytes) }

func (b *bench) uploadAs(m matrix, size int) kernels.Tile {
	b.Helper()
	t := kernels.Tile{Buf: b.alloc(int64(max(1, len(m)) * size))}
	if memory := m.pack(size); len(m) > 0 {
		b.done(b.stream.CopyIn(t, memory))
	}
	return t
}

func (b *bench) download(t kernels.Tile, n int) matrix { return b.downloadAs(t, n, wordBytes) }

func (b *bench) downloadAs(t kernels.Tile, n, size int) matrix {
	b.Helper()
	memory := make([]byte, n*size)
	b.done(b.stream.CopyOut(memory, t))
	return unpack(memory, size)
}

// blocks cuts the vectorGraph into random blocks on the device: compressed rows, or pieces of the matrix. Those that
// share vertices come one after another; first says which of them is the vertices' first.
func (x *vectorGraph) blocks() (blocks []kernels.Block, first []bool) {
	for lo := 0; lo < x.n; {
		hi := min(x.n, lo+1+x.IntN(x.n))
		if x.IntN(2) == 0 {
			blocks, first = append(blocks, x.compressed(lo, hi)), append(first, true)
		} else {
			edge := hi - lo + x.IntN(20)
			for row := 0; row < x.n; {
				rows := 1 + x.IntN(x.n-row)
				blocks, first = append(blocks, x.piece(lo, hi, edge, row, rows, x.IntN(2) == 0)), append(first, row == 0)
				row += rows
			}
		}
		lo = hi
	}
	return blocks, first
}

func (x *vectorGraph) compressed(lo, hi int) kernels.Block {
	offsets, ends, weights := matrix{0}, matrix{}, matrix{}
	for v := lo; v < hi; v++ {
		for u := range x.n {
			if w := x.weights[u*x.n+v]; w != x.v.Unreachable() {
				ends, weights = append(ends, uint64(u)), append(weights, w)
			}
		}
		offsets = append(offsets, uint64(len(ends)))
	}
	return kernels.Block{Lo: lo, Hi: hi, Offsets: x.upload(offsets), Ends: x.upload(ends), Weights: x.upload(weights)}
}

func (x *vectorGraph) piece(lo, hi, edge, row, rows int, transposed bool) kernels.Block {
	m := x.garbage(rows*edge, wordBytes) // padding is not looked at
	for r := range rows {
		for c := range hi - lo {
			at := r*edge + c
			if transposed {
				at = c*rows + r
			}
			m[at] = x.weights[(row+r)*x.n+lo+c]
		}
	}
	return kernels.Block{Lo: lo, Hi: hi, Edge: edge, Row: row, Rows: rows, Transposed: transposed, Weights: x.upload(m)}
}

// less reports whether an entry is less than another.
func less(v entry.Variant, x, y uint64) bool {
	return v.Kind().Value(x) < v.Kind().Value(y)
}

// pulled is the judge of a sweep.
func (x *vectorGraph) pulled(dist, pred matrix) (next, after matrix, changed uint64) {
	next, after = slices.Clone(dist), slices.Clone(pred)
	for v := range x.n {
		for u := range x.n {
			if s := lower(x.v, x.v.Unreachable(), dist[u], x.weights[u*x.n+v]); less(x.v, s, next[v]) {
				next[v], after[v], changed = s, uint64(u), 1
			}
		}
	}
	return next, after, changed
}

func (b *bench) pulls(d kernels.VectorOps) {
	for _, v := range entry.Words {
		for range 25 {
			x := b.newVectorGraph(v)
			count, stride := 1+x.IntN(3), x.n+x.IntN(100)
			var dist, pred, want, after, changed matrix
			for range count { // one behind the other, with gaps that nobody is to touch
				d, p, gap := x.vector(), x.garbage(x.n, wordBytes), x.garbage(stride-x.n, wordBytes)
				next, preds, did := x.pulled(d, p)
				dist, pred, changed = slices.Concat(dist, d, gap), slices.Concat(pred, p, gap), append(changed, did)
				want, after = slices.Concat(want, next, gap), slices.Concat(after, preds, gap)
			}
			junk := slices.Clone(want) // whose gaps are to stay
			for i := range junk {
				if i%stride < x.n {
					junk[i] = uint64(x.Uint32())
				}
			}
			p := kernels.Pull{Dist: x.upload(dist), Next: x.upload(junk), Pred: x.upload(pred), Changed: x.upload(make(matrix, count)), Group: 1 << x.IntN(11),
				Count: count, Stride: int64(stride) * wordBytes}
			if count == 1 {
				p.Count = x.IntN(2)
			}
			blocks, first := x.blocks()
			for i := range blocks {
				p.Block, p.First = blocks[i], first[i]
				x.must(d.Pull(x.stream, v, p))
			}
			x.must(x.stream.Sync())
			x.same(v, "next", x.download(p.Next, len(want)), want)
			x.same(v, "predecessors", x.download(p.Pred, len(after)), after)
			x.same(v, "dist", x.download(p.Dist, len(dist)), dist)
			x.same(v, "changed", x.download(p.Changed, count), changed)
		}
	}
	for _, group := range []int{0, -1, 3, 2 * kernels.MaxGroup} {
		x := b.newVectorGraph(entry.I32)
		t := x.upload(x.vector())
		if d.Pull(x.stream, entry.I32, kernels.Pull{Block: x.compressed(0, x.n), Dist: t, Next: x.upload(x.vector()), Pred: t, Changed: t, Group: group}) == nil {
			b.Errorf("a group of %d was not refused", group)
		}
	}
}

func (b *bench) links(d kernels.VectorOps) {
	for _, v := range entry.Words {
		for range 25 {
			x := b.newVectorGraph(v)
			component := make(matrix, x.n)
			for i := range component {
				component[i] = uint64(x.IntN(1 + x.n/3))
			}
			light, ends := make(matrix, x.n), make(matrix, x.n)
			l := kernels.Link{Component: x.upload(component), Light: x.upload(light), Ends: x.upload(ends)}
			for to := range x.n {
				none := entry.NoVertex
				light[to], ends[to] = v.Unreachable(), uint64(uint32(none))
				for u := range x.n {
					if w := x.weights[u*x.n+to]; component[u] != component[to] && less(v, w, light[to]) {
						light[to], ends[to] = w, uint64(u)
					}
				}
			}
			blocks, first := x.blocks()
			for i := range blocks {
				l.Block, l.First = blocks[i], first[i]
				x.must(d.Link(x.stream, v, l))
			}
			x.must(x.stream.Sync())
			x.same(v, "weight", x.download(l.Light, x.n), light)
			x.same(v, "end", x.download(l.Ends, x.n), ends)
		}
	}
}

func (b *bench) leasts(d kernels.VectorOps) {
	for _, n := range []int{1, 2, 3, 63, 64, 65, 1000, 1 + b.IntN(5000), 1<<16 + b.IntN(1<<17)} {
		for _, spread := range []int32{1, 3, 1 << 20} {
			source := make(matrix, n)
			for i := range source {
				source[i] = uint64(uint32(b.Int32N(2*spread+1) - spread))
			}
			best := 0
			for i, x := range source {
				if int32(x) < int32(source[best]) {
					best = i
				}
			}
			l := kernels.Least{N: n, Source: b.upload(source), Result: b.upload(make(matrix, 3))}
			l.Result.Off = int64(b.IntN(2)) * wordBytes
			b.done(d.Least(b.stream, l))
			if got := b.download(l.Result, 2); got[0] != source[best] || int(got[1]) != best {
				b.Fatalf("the least of %d is %d at %d, want %d at %d", n, int32(got[0]), got[1], int32(source[best]), best)
			}
		}
	}
}

func (b *bench) grows(d kernels.VectorOps) {
	for range 25 {
		x := b.newVectorGraph(entry.I32)
		at := x.compressed(0, x.n)
		keys, parents, tree := make(matrix, x.n), make(matrix, x.n), make(matrix, x.n)
		for i := range keys {
			keys[i] = [...]uint64{uint64(kernels.KeyNone), uint64(kernels.KeyTaken), x.number()}[x.IntN(3)]
		}
		least := matrix{x.Uint64N(100), uint64(x.IntN(x.n))}
		neighbours := func(u int, offer func(v int, w uint64)) {
			for v := range x.n { // the arcs into u are its neighbours here
				if w := x.weights[v*x.n+u]; w != x.v.Unreachable() {
					offer(v, w)
				}
			}
		}
		x.growSteps(d, at, keys, parents, tree, least, 1+x.IntN(x.n), neighbours)
	}
	b.growMany(d)
}

// growSteps compares some steps with plain ones.
func (x *vectorGraph) growSteps(d kernels.VectorOps, at kernels.Block, keys, parents, tree, least matrix, steps int, neighbours func(u int, offer func(v int, w uint64))) {
	g := kernels.Grow{N: x.n, Steps: steps, Offsets: at.Offsets, Ends: at.Ends, Weights: at.Weights, Keys: x.upload(keys), Parents: x.upload(parents),
		Tree: x.upload(tree), Least: x.upload(least)}
	for range steps {
		u := int(least[1])
		tree[u], keys[u] = least[0], uint64(kernels.KeyTaken)
		neighbours(u, func(v int, w uint64) {
			if int32(w) < int32(keys[v]) && keys[v] != uint64(kernels.KeyTaken) {
				keys[v], parents[v] = w, uint64(u)
			}
		})
		best := 0
		for i := range keys {
			if int32(keys[i]) < int32(keys[best]) {
				best = i
			}
		}
		least[0], least[1] = keys[best], uint64(best)
	}
	x.done(d.Grow(x.stream, g))
	x.same(x.v, "key", x.download(g.Keys, x.n), keys)
	x.same(x.v, "parent", x.download(g.Parents, x.n), parents)
	x.same(x.v, "tree", x.download(g.Tree, x.n), tree)
	x.same(x.v, "least", x.download(g.Least, 2), least)
}

// growMany takes a vertex with many neighbours of very many vertices, and two more.
func (b *bench) growMany(d kernels.VectorOps) {
	x := &vectorGraph{bench: b, v: entry.I32, n: 1<<16 + 1 + b.IntN(1<<16)}
	keys, offsets := make(matrix, x.n), make(matrix, x.n+1)
	u, ends, weights := b.IntN(x.n), matrix{}, matrix{}
	for v := range x.n {
		keys[v] = [...]uint64{uint64(kernels.KeyNone), uint64(kernels.KeyTaken), 2 + x.Uint64N(1000)}[x.IntN(3)]
		if x.IntN(3) == 0 {
			ends, weights = append(ends, uint64(v)), append(weights, 1+x.Uint64N(1000))
		}
	}
	for v := u + 1; v <= x.n; v++ {
		offsets[v] = uint64(len(ends)) // the others have none
	}
	at := kernels.Block{Offsets: b.upload(offsets), Ends: b.upload(ends), Weights: b.upload(weights)}
	x.growSteps(d, at, keys, make(matrix, x.n), make(matrix, x.n), matrix{5, uint64(u)}, 3, func(of int, offer func(v int, w uint64)) {
		for k, v := range ends {
			if of == u {
				offer(int(v), weights[k])
			}
		}
	})
}
