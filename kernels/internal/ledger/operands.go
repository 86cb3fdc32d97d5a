package ledger

import (
	"errors"
	"fmt"
	"math"

	"ooc/kernels"
)

// find returns where a tile lies. It is told whether the tile is read, and whether it is written.
type find[V any] = func(t kernels.Tile, read, written bool) (V, error)

// Operands are where the tiles of a product lie. Before is that of products that are fresh and of pairs.
type Operands[V any] struct {
	C, Before V
	A, B      []V
}

// Product checks a product and finds its tiles.
func Product[V any](p *kernels.Product, pairs bool, find find[V]) (o Operands[V], err error) {
	n := len(p.A)
	if n == 0 || n != len(p.B) {
		return o, fmt.Errorf("%d tiles of A, %d of B: want as many, and one at least", n, len(p.B))
	}
	if o.C, err = find(p.C, !p.Fresh, true); err != nil {
		return o, fmt.Errorf("tile C: %w", err)
	}
	if p.Fresh && pairs {
		if o.Before, err = find(p.Before, true, false); err != nil {
			return o, fmt.Errorf("tile Before: %w", err)
		}
	}
	o.A, o.B = make([]V, n), make([]V, n)
	for i := range n {
		if p.A[i] == p.C || p.B[i] == p.C {
			return o, errors.New("tile C is also an operand")
		}
		if o.A[i], err = find(p.A[i], true, false); err != nil {
			return o, fmt.Errorf("tile A[%d]: %w", i, err)
		}
		if o.B[i], err = find(p.B[i], true, false); err != nil {
			return o, fmt.Errorf("tile B[%d]: %w", i, err)
		}
	}
	return o, nil
}

// Square finds m×m tiles that are read and written.
func Square[V any](tiles []kernels.Tile, find find[V]) (at []V, m int, err error) {
	m = int(math.Round(math.Sqrt(float64(len(tiles)))))
	if m == 0 || m*m != len(tiles) {
		return nil, 0, fmt.Errorf("%d tiles make no square", len(tiles))
	}
	at = make([]V, len(tiles))
	for i, tile := range tiles {
		if at[i], err = find(tile, true, true); err != nil {
			return nil, 0, fmt.Errorf("tile (%d,%d): %w", i/m, i%m, err)
		}
	}
	return at, m, nil
}
