package cuda

import (
	"fmt"
	"math"
	"slices"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// form is the kind of a stream's tiles (with or without predecessors), and how operations on them differ.
type form struct {
	product, diagonal, panels kernel
	rankOne                   kernel
	begins                    int // entries that tell, in a list, what C begins as, before a job's pairs: 1 or none
	depth                     int // of all pairs of a job in one launch, at most
}

// chunk is kChunk of pairs.cuh.
const chunk = 8

var (
	distances = &form{productBlocks, diagonal, panels, rankOne, 0, math.MaxInt32}
	// Where an entry was lowered last is noted in 16 bits, as the number of a chunk.
	pairs = &form{pairProduct, pairDiagonal, pairPanels, pairRankOne, 1, chunk * math.MaxUint16}
)

// entryBytes is the size of an entry.
func (f *form) entryBytes(v entry.Variant) int64 {
	if f == pairs {
		return int64(v.Kind().PairBytes())
	}
	return int64(v.Bytes())
}

// check returns an error where there are no tiles of the form in a variant.
func (f *form) check(v entry.Variant) error {
	if !slices.Contains(f.product.variants(), v) {
		return fmt.Errorf("no variant %d%s", v, f)
	}
	return nil
}

// String is for rows of Bench: it says whether predecessors are kept.
func (f *form) String() string {
	if f == pairs {
		return ", predecessors"
	}
	return ""
}

// NewTrackingStream creates a stream for tiles of pairs.
func (d *Device) NewTrackingStream() (kernels.Stream, error) { return d.newStream(pairs) }

// maxPairs is the most pairs of tiles of edge t that a job has in one launch. A product with more runs as several, one
// after another.
func (f *form) maxPairs(t int) int { return min(slotEntries/2, f.depth/t) }

// beginning is the list entry that says what C begins as.
func beginning(p *kernels.Product) listEntry {
	if p.Fresh {
		return listEntry{x: uint64(addressOf(p.Before))}
	}
	return listEntry{x: uint64(addressOf(p.C))}
}
