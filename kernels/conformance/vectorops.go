package conformance

import (
	"fmt"
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
			x.weights[i] = x.randomEntry(v, few, false)
		}
	}
	return x
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

// onBlocks cuts the graph into random blocks on the device, compressed rows or pieces of the matrix, and then runs an
// operation on each. Those that share vertices come one after another; first says which is the vertices' first.
func (x *vectorGraph) onBlocks(operation func(k kernels.Block, first bool) error) {
	x.Helper()
	var blocks []kernels.Block
	for lo := 0; lo < x.n; {
		hi := min(x.n, lo+1+x.IntN(x.n))
		if x.IntN(2) == 0 {
			blocks = append(blocks, x.compressed(lo, hi))
		} else {
			edge := hi - lo + x.IntN(20)
			for row := 0; row < x.n; {
				rows := 1 + x.IntN(x.n-row)
				blocks = append(blocks, x.piece(lo, hi, edge, row, rows, x.IntN(2) == 0))
				row += rows
			}
		}
		lo = hi
	}
	for _, k := range blocks {
		x.must(operation(k, k.Row == 0))
	}
	x.must(x.stream.Sync())
}

func (x *vectorGraph) compressed(lo, hi int) kernels.Block {
	offsets, ends, weights := x.arcs(lo, hi)
	return kernels.Block{Lo: lo, Hi: hi, Offsets: x.upload(offsets), Ends: x.upload(ends), Weights: x.upload(weights)}
}

// arcs returns those into some vertices in compressed rows.
func (x *vectorGraph) arcs(lo, hi int) (offsets, ends, weights matrix) {
	offsets = matrix{0}
	for v := lo; v < hi; v++ {
		for u := range x.n {
			if w := x.weights[u*x.n+v]; w != x.v.Unreachable() {
				ends, weights = append(ends, uint64(u)), append(weights, w)
			}
		}
		offsets = append(offsets, uint64(len(ends)))
	}
	return offsets, ends, weights
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

// pulled is the judge of a sweep over one vector: it says whether an entry changed.
func (x *vectorGraph) pulled(dist, next, pred matrix) (changed uint64) {
	copy(next, dist)
	for v := range x.n {
		for u := range x.n {
			if s := lower(x.v, x.v.Unreachable(), dist[u], x.weights[u*x.n+v]); less(x.v, s, next[v]) {
				next[v], pred[v], changed = s, uint64(u), 1
			}
		}
	}
	return changed
}

func (b *bench) pulls(d kernels.VectorOps) {
	for _, v := range entry.Words {
		for range 25 {
			x := b.newVectorGraph(v)
			count, stride := 1+x.IntN(3), x.n+x.IntN(100) // one behind the other, with gaps that nobody is to touch
			dist, changed := x.entries(v, count*stride, few, true), make(matrix, count)
			next, pred := x.garbage(len(dist), wordBytes), x.garbage(len(dist), wordBytes)
			p := kernels.Pull{Dist: x.upload(dist), Next: x.upload(next), Pred: x.upload(pred),
				Changed: x.upload(changed), Group: 1 << x.IntN(11), Count: count, Stride: int64(stride) * wordBytes}
			if count == 1 {
				p.Count = x.IntN(2)
			}
			x.onBlocks(func(k kernels.Block, first bool) error {
				p.Block, p.First = k, first
				return d.Pull(x.stream, v, p)
			})
			for i := range count {
				at := i * stride
				changed[i] = x.pulled(dist[at:][:x.n], next[at:][:x.n], pred[at:][:x.n])
			}
			x.same(v, "next", x.download(p.Next, len(next)), next)
			x.same(v, "predecessors", x.download(p.Pred, len(pred)), pred)
			x.same(v, "dist", x.download(p.Dist, len(dist)), dist)
			x.same(v, "changed", x.download(p.Changed, count), changed)
		}
	}
	x, errs := b.newVectorGraph(entry.I32), map[string]error{}
	t := x.upload(make(matrix, x.n))
	p := kernels.Pull{Block: x.compressed(0, x.n), Dist: t, Next: x.upload(make(matrix, x.n)), Pred: t, Changed: t}
	for _, p.Group = range []int{0, -1, 3, 2 * kernels.MaxGroup} {
		errs[fmt.Sprintf("a group of %d", p.Group)] = d.Pull(x.stream, entry.I32, p)
	}
	b.wantErrors(errs)
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
			x.onBlocks(func(k kernels.Block, first bool) error {
				l.Block, l.First = k, first
				return d.Link(x.stream, v, l)
			})
			x.same(v, "weight", x.download(l.Light, x.n), light)
			x.same(v, "end", x.download(l.Ends, x.n), ends)
		}
	}
}

// first is where the least of some int32 entries is first.
func first(m matrix) (best int) {
	for i, x := range m {
		if int32(x) < int32(m[best]) {
			best = i
		}
	}
	return best
}

func (b *bench) leasts(d kernels.VectorOps) {
	for _, n := range []int{1, 2, 3, 63, 64, 65, 1000, 1 + b.IntN(5000), 1<<16 + b.IntN(1<<17)} {
		for _, spread := range []int32{1, 3, 1 << 20} {
			source := make(matrix, n)
			for i := range source {
				source[i] = uint64(uint32(b.Int32N(2*spread+1) - spread))
			}
			l := kernels.Least{N: n, Source: b.upload(source), Result: b.upload(make(matrix, 3))}
			l.Result.Off = int64(b.IntN(2)) * wordBytes
			b.done(d.Least(b.stream, l))
			best := first(source)
			want := matrix{source[best], uint64(best)}
			b.same(entry.I32Signed, fmt.Sprintf("the least of %d and its place", n), b.download(l.Result, 2), want)
		}
	}
}

// grows takes vertices of small graphs, and then one with many neighbours of very many vertices, and two more.
func (b *bench) grows(d kernels.VectorOps) {
	for range 25 {
		x := b.newVectorGraph(entry.I32)
		offsets, ends, weights := x.arcs(0, x.n) // the arcs into a vertex are to its neighbours here
		b.grow(d, offsets, ends, weights, x.IntN(x.n), 1+x.IntN(x.n))
	}
	n := 1<<16 + 1 + b.IntN(1<<16)
	offsets, u, ends, weights := make(matrix, n+1), b.IntN(n), matrix{}, matrix{}
	for v := range n {
		if b.IntN(3) == 0 {
			ends, weights = append(ends, uint64(v)), append(weights, 1+b.Uint64N(1000))
		}
	}
	entry.Fill(offsets[u+1:], uint64(len(ends))) // the others have none
	b.grow(d, offsets, ends, weights, u, 3)
}

// grow compares some steps of Prim's algorithm from a vertex on with plain ones, with random keys.
func (b *bench) grow(d kernels.VectorOps, offsets, ends, weights matrix, from, steps int) {
	n, least := len(offsets)-1, matrix{b.Uint64N(100), uint64(from)}
	keys, parents, tree := make(matrix, n), make(matrix, n), make(matrix, n)
	for i := range keys {
		keys[i] = pick(b.Rand, uint64(kernels.KeyNone), uint64(kernels.KeyTaken), b.Uint64N(1000), b.Uint64N(20))
	}
	g := kernels.Grow{N: n, Steps: steps, Offsets: b.upload(offsets), Ends: b.upload(ends), Weights: b.upload(weights),
		Keys: b.upload(keys), Parents: b.upload(parents), Tree: b.upload(tree), Least: b.upload(least)}
	for range steps {
		u := least[1]
		tree[u], keys[u] = least[0], uint64(kernels.KeyTaken)
		for k := offsets[u]; k < offsets[u+1]; k++ {
			if v, w := ends[k], weights[k]; w < keys[v] && keys[v] != uint64(kernels.KeyTaken) {
				keys[v], parents[v] = w, u
			}
		}
		best := first(keys)
		least[0], least[1] = keys[best], uint64(best)
	}
	b.done(d.Grow(b.stream, g))
	b.same(entry.I32, "key", b.download(g.Keys, n), keys)
	b.same(entry.I32, "parent", b.download(g.Parents, n), parents)
	b.same(entry.I32, "tree", b.download(g.Tree, n), tree)
	b.same(entry.I32, "least", b.download(g.Least, 2), least)
}
