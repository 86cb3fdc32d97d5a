package tiles

import "ooc/tiles/shape"

// What package shape says of matrices, under the names by which other packages know it.
type (
	Geometry = shape.Geometry
	Layout   = shape.Layout
	RowSet   = shape.RowSet
	Dealt    = shape.Dealt
)

// The layouts, the largest edge of a tile, and where the first starts in dist.npy.
const (
	Square  = shape.Square
	Rows    = shape.Rows
	Factors = shape.Factors
	Upper   = shape.Upper

	MaxT = shape.MaxT

	npyHeaderLen = shape.HeaderLen
)

// PredecessorBytes is what a predecessor takes in an entry, behind the distance.
const PredecessorBytes = 4
