package rounds

import (
	"context"

	"golang.org/x/sync/errgroup"

	"ooc/engine/ranks"
	"ooc/tiles"
)

// carrier is the exchange between parts that are processes of their own. A part has the number of its rank.
type carrier struct {
	ctx  context.Context // ends when this part fails
	link ranks.Link
	geom tiles.Geometry
}

// tag is that of a tile of a panel. A tile is in the panels of two rounds at most, those of its row and of its column: done is past both in the
// later one.
func (c *carrier) tag(tile, done int) int {
	tag := ranks.FirstTag + 2*tile
	if i, j := c.geom.TileAt(tile); done > max(i, j) {
		tag++
	}
	return tag
}

// mostCarried is how many tiles a matrix may have whose panels are carried: so many pairs of tags there are.
const mostCarried = (ranks.LastTag - ranks.FirstTag) / 2

func (c *carrier) send(to []int, tile, done int, data []byte) error {
	if len(to) == 1 {
		return c.link.Send(c.ctx, to[0], c.tag(tile, done), data)
	}
	var group errgroup.Group
	for _, rank := range to {
		group.Go(func() error { return c.link.Send(c.ctx, rank, c.tag(tile, done), data) })
	}
	return group.Wait()
}

func (c *carrier) receive(from, tile, done int, data []byte) error {
	return c.link.Receive(c.ctx, from, c.tag(tile, done), data)
}
