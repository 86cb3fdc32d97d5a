package sssp

import (
	"context"
	"errors"
	"slices"

	"ooc/engine/feed"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// byTiles multiplies on the device, with kernels.Stream.MinPlus: the sources' distances are a row of tiles.
func (b *batch) byTiles(ctx context.Context) (dist [][]uint32, err error) {
	x := &tileBatch{batch: b, edge: entry.RoundUp(len(b.sources), 64)}
	x.tiles = entry.CeilDiv(b.facts.N, x.edge)
	x.size = int64(x.edge) * int64(x.edge) * entry.WordBytes
	o := feed.Options{Device: b.Device, Memory: 2 * int64(x.tiles) * x.size, Edge: x.edge}
	if x.feed, err = feed.Open(nil, b.arcs, o); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.feed.Close()) }()
	b.sum.Resident = x.feed.Resident()
	if err := x.run(ctx); err != nil {
		return nil, err
	}
	return b.rows(func(i, v int) uint32 { return x.host[x.at(i, v)] }), nil
}

type tileBatch struct {
	*batch
	edge, tiles int
	size        int64 // of a tile, in bytes
	feed        *feed.Feed
	host        []uint32 // the newest distances, tile by tile
	current     int
}

func (x *tileBatch) tile(which, j int) kernels.Tile {
	return kernels.Tile{Buf: x.feed.Memory, Off: (int64(which)*int64(x.tiles) + int64(j)) * x.size}
}

// at is where a source's distance to a vertex is in host.
func (x *tileBatch) at(source, v int) int {
	return (v/x.edge*x.edge+source)*x.edge + v%x.edge
}

func (x *tileBatch) run(ctx context.Context) error {
	x.host = slices.Repeat([]uint32{uint32(x.variant.Unreachable())}, x.tiles*x.edge*x.edge)
	for i, s := range x.sources {
		x.host[x.at(i, s)] = 0
	}
	all := func(which int) kernels.Tile { return x.tile(which, 0) }
	if err := errors.Join(x.feed.Stream.CopyIn(all(0), entry.Bytes(x.host)), x.feed.Stream.Sync()); err != nil {
		return err
	}
	newest := make([]uint32, len(x.host))
	for sweeps := 1; ; sweeps++ {
		from := x.current
		err := x.feed.Pass(func(s kernels.Stream, b kernels.Block, first bool) error {
			// The diagonal is 0: the old distances are in it.
			p := kernels.Product{C: x.tile(1-from, b.Lo/x.edge), B: feed.Tiles(b), Fresh: first}
			for k := range p.B {
				p.A = append(p.A, x.tile(from, b.Row/x.edge+k))
			}
			return s.MinPlus(x.variant, x.edge, []kernels.Product{p})
		})
		if err == nil {
			err = errors.Join(x.feed.Stream.CopyOut(entry.Bytes(newest), all(1-from)), x.feed.Stream.Sync())
		}
		if err == nil {
			err = x.countSweep(ctx, sweeps)
		}
		if err != nil {
			return err
		}
		settled := slices.Equal(newest, x.host)
		x.host, newest, x.current = newest, x.host, 1-from
		if settled {
			return nil
		}
	}
}
