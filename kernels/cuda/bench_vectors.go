package cuda

import (
	"fmt"
	"math/rand/v2"
	"time"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// vectors measures steps over vectors, reductions and pivots of single-stage Floyd–Warshall. The buffer holds random
// entries of F32.
func (b *bench) vectors(edge int) error {
	for _, n := range []int{edge / 8, edge / 2, edge} {
		for _, columnwise := range []bool{false, true} {
			for _, group := range []int{1, 8, 32, 128, 1024} {
				if err := b.pullMatrix(n, n, group, columnwise); err != nil {
					return err
				}
			}
		}
	}
	if err := b.pullMatrix(edge, min(edge, 512), 1, false); err != nil {
		return err
	}
	for _, n := range []int{edge / 8, edge / 2, edge} {
		if err := b.pivotsOf(n, min(n, 1024)); err != nil {
			return err
		}
	}
	for _, n := range []int{1, edge, 16 * edge, edge * edge} {
		if err := b.leastOf(n); err != nil {
			return err
		}
	}
	for _, n := range []int{edge / 64, edge / 2, 2 * edge, 32 * edge} {
		if err := b.sparse(n); err != nil {
			return err
		}
	}
	return nil
}

// microseconds reports the time of one of many operations that are enqueued one after another.
func (b *bench) microseconds(what string, times int, do func(kernels.Stream) error) error {
	took, _, err := b.timed(false, distances, func(s kernels.Stream) error {
		for range times {
			if err := do(s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cuda: bench %s: %w", what, err)
	}
	b.each(BenchRow{What: what, Rate: took.Seconds() * 1e6 / float64(times), Unit: "µs"})
	return nil
}

// at returns a tile at an entry of the buffer.
func (b *bench) at(i int) kernels.Tile {
	return kernels.Tile{Buf: b.buffer, Off: int64(i) * 4}
}

// pullMatrix sweeps over a matrix in pieces of so many columns.
func (b *bench) pullMatrix(n, columns, group int, columnwise bool) error {
	vectors := n * n
	p := kernels.Pull{First: true, Dist: b.at(vectors), Next: b.at(vectors + n), Pred: b.at(vectors + 2*n), Changed: b.at(vectors + 3*n), Group: group}
	how := map[bool]string{false: "rows", true: "columns"}[columnwise]
	what := fmt.Sprintf("f32 sweep over %d×%d, %s, group %d", n, columns, how, group)
	took, _, err := b.timed(false, distances, func(s kernels.Stream) error {
		for lo := 0; lo < n; lo += columns {
			p.Block = kernels.Block{Lo: lo, Hi: lo + columns, Edge: columns, Rows: n, Transposed: columnwise, Weights: b.at(lo * n)}
			if err := b.Pull(s, entry.F32, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cuda: bench %s: %w", what, err)
	}
	b.each(BenchRow{What: what, Rate: float64(n) * float64(n) * 4 / took.Seconds() / 1e9, Unit: "GB/s"})
	return nil
}

// pivotsOf uses pivots on a matrix.
func (b *bench) pivotsOf(n, t int) error {
	tiles := make([]kernels.Tile, n/t*(n/t))
	for i := range tiles {
		tiles[i] = b.tile(distances, entry.F32, t, i)
	}
	const pivots = 64
	return b.relaxed(distances, entry.F32, fmt.Sprintf("f32 pivots of %d, T=%d", n, t), pivots*float64(n)*float64(n), func(s kernels.Stream) error {
		return b.Pivots(s, entry.F32, t, tiles, 0, pivots)
	})
}

// ahead reports the time of one of many operations that are all enqueued before the first one begins: the time that
// the GPU itself needs, however long the host takes.
func (b *bench) ahead(what string, times int, do func(kernels.Stream) error) (err error) {
	s, err := b.NewStream()
	if err != nil {
		return err
	}
	defer func() {
		if closing := s.Close(); err == nil {
			err = closing
		}
	}()
	out, err := b.AllocHost(16)
	if err != nil {
		return err
	}
	defer func() { _ = b.FreeHost(out) }()
	hold := paramOf(&clockParam{unsafe.Pointer(&out[0]), uint64(10 * time.Millisecond)})
	if err = s.(*stream).serve(clockRate, 1, hold); err != nil {
		return err
	}
	from, err := s.Record()
	for range times {
		if err == nil {
			err = do(s)
		}
	}
	if err != nil {
		return err
	}
	to, err := s.Record()
	if err != nil {
		return err
	}
	if err = to.Sync(); err != nil {
		return err
	}
	took, err := to.Since(from)
	b.each(BenchRow{What: what, Rate: took.Seconds() * 1e6 / float64(times), Unit: "µs"})
	return err
}

func (b *bench) leastOf(n int) error {
	l := kernels.Least{N: n, Source: b.at(2), Result: b.at(0)}
	do := func(s kernels.Stream) error { return b.Least(s, l) }
	if err := b.ahead(fmt.Sprintf("least of %d, enqueued ahead", n), 200, do); err != nil {
		return err
	}
	return b.microseconds(fmt.Sprintf("least of %d", n), 100, do)
}

// sparse sweeps over a random graph of 16 arcs a vertex in compressed rows, and takes steps of Prim's algorithm.
func (b *bench) sparse(n int) error {
	const degree = 16
	words := make([]int32, 2*n*degree+6*n+4)
	offsets, rest := words[:n+2], words[n+2:]
	ends, rest := rest[:n*degree], rest[n*degree:]
	weights, keys := rest[:n*degree], rest[n*degree:][:n]
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for v := range n + 1 {
		offsets[v] = int32(v * degree)
	}
	for k := range ends {
		ends[k], weights[k] = int32(r.IntN(n)), int32(r.IntN(1<<16))
	}
	for v := range keys {
		keys[v] = kernels.KeyNone
	}
	s, err := b.NewStream()
	if err == nil {
		err = s.CopyIn(b.at(0), unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*4))
		if e := s.Sync(); err == nil {
			err = e
		}
		if e := s.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		return err
	}
	at := []int{0, n + 2, n + 2 + n*degree, n + 2 + 2*n*degree}
	for _, group := range []int{1, 2, 4, 8, 16, 32} {
		p := kernels.Pull{First: true, Group: group,
			Block: kernels.Block{Hi: n, Offsets: b.at(at[0]), Ends: b.at(at[1]), Weights: b.at(at[2])},
			Dist:  b.at(at[3]), Next: b.at(at[3] + n), Pred: b.at(at[3] + 2*n), Changed: b.at(at[3] + 5*n)}
		if err := b.microseconds(fmt.Sprintf("sweep over %d arcs, group %d", n*degree, group), 10, func(s kernels.Stream) error { return b.Pull(s, entry.I32, p) }); err != nil {
			return err
		}
	}
	g := kernels.Grow{N: n, Offsets: b.at(at[0]), Ends: b.at(at[1]), Weights: b.at(at[2]),
		Keys: b.at(at[3]), Parents: b.at(at[3] + n), Tree: b.at(at[3] + 2*n), Least: b.at(at[3] + 5*n + (n & 1))}
	for _, steps := range []int{1, 1000} {
		g.Steps = steps
		err := b.microseconds(fmt.Sprintf("%d steps of Prim's, %d vertices", steps, n), 1000/steps, func(s kernels.Stream) error { return b.Grow(s, g) })
		if err != nil {
			return err
		}
	}
	return nil
}
