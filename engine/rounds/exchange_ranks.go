package rounds

import (
	"context"

	"golang.org/x/sync/errgroup"

	"ooc/engine/ranks"
	"ooc/kernels"
)

// carrier is the exchange between parts that are processes of their own. A part has the number of its rank.
type carrier struct {
	ctx  context.Context // ends when this part fails
	link ranks.Link
	near *ranks.Segment // what processes of one host send each other goes through it
}

// Tags is how many there are for tiles. Tiles take them in turn: executors send and receive those of one tag one
// after another, in the order of the steps, which is the same in all parts. It is a variable only for tests.
var Tags = ranks.LastTag - ranks.FirstTag + 1

func tagOf(tile int) int { return tile % Tags }

func (c *carrier) send(to []int, tile, _ int, what parcel) error {
	data, near, tag := what.data, 0, ranks.FirstTag+tagOf(tile)
	for _, rank := range to {
		if c.near.ReadBy(rank) {
			near++
		}
	}
	var place []byte
	var placed bool
	if near > 0 {
		place, placed = c.near.Put(near, data)
	}
	var group errgroup.Group
	for _, rank := range to {
		group.Go(func() error {
			if c.near.ReadBy(rank) {
				if err := c.link.Send(c.ctx, rank, tag, place); err != nil || placed {
					return err
				}
			}
			return c.link.Send(c.ctx, rank, tag, data)
		})
	}
	return group.Wait()
}

func (c *carrier) receive(from, tile, _ int, data []byte) (none kernels.Tile, err error) {
	tag := ranks.FirstTag + tagOf(tile)
	if c.near.Reads(from) {
		place := make([]byte, ranks.PlaceBytes)
		if err := c.link.Receive(c.ctx, from, tag, place); err != nil {
			return none, err
		}
		if taken, err := c.near.Take(from, place, data); taken || err != nil {
			return none, err
		}
	}
	return none, c.link.Receive(c.ctx, from, tag, data)
}
