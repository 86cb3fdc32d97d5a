package cpu

import (
	"math/rand/v2"
	"testing"

	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/entry"
)

// TestCloseHalf compares closures of symmetric blocks with those that compute both halves, on every path. A block in
// which one entry is not its mirror's is not symmetric.
func TestCloseHalf(t *testing.T) {
	r := rand.New(rand.NewPCG(conformance.Seed(t), 0))
	for _, v := range []entry.Variant{entry.I32, entry.F32, entry.U16, entry.F64} {
		for _, shape := range [][2]int{{64, 1}, {320, 2}, {64, 6}, {832, 1}} {
			edge, m := shape[0], shape[1]
			n, kind := m*edge, v.Kind()
			in := entriesFor(r, v, n*n, false)
			place := func(i, j int) int { return ((i/edge*m+j/edge)*edge+i%edge)*edge + j%edge }
			for i := range n {
				for j := range i {
					kind.Put(in, place(i, j), kind.At(in, place(j, i)))
				}
			}
			closed := func(t *testing.T, path string, half bool) []byte {
				rig := newRig(t, Options{Path: path, Threads: 1 + r.IntN(3)})
				return rig.transform(v, edge, in, func(tiles []kernels.Tile) error {
					rig.must(rig.stream.Sync())
					x, err := rig.stream.(*stream).shape(v, edge)
					rig.must(err)
					p, err := rig.device.newPivot(edge, v.Bytes(), tiles)
					rig.must(err)
					c, pool := &closer{pivot: p, arithmetic: x}, rig.device.pool
					if half {
						c.transpose = rig.device.path.transpose.of(v.Bytes())
						// One entry that is not its mirror's is found.
						i, j := r.IntN(n), r.IntN(n-1)
						if j >= i {
							j++
						}
						other, is := c.at(i, j).p, c.symmetric(span{0, n}, pool.run)
						*other ^= 1
						if not := c.symmetric(span{0, n}, pool.run); !is || not {
							t.Errorf("%s T=%d m=%d: symmetric is %v, and with another entry %v", v, edge, m, is, not)
						}
						*other ^= 1
					}
					c.all(pool)
					return nil
				})
			}
			eachPath(t, func(t *testing.T, path string) {
				want := closed(t, path, false)
				if at := first(closed(t, path, true), want); at >= 0 {
					t.Errorf("%s T=%d m=%d: byte %d differs", v, edge, m, at)
				}
			})
		}
	}
}
