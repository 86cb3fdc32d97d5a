package rowsums

import (
	"cmp"
	"errors"
	"math"

	"golang.org/x/sync/errgroup"

	"ooc/engine/searches"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// searching is what makes Sums search.
type searching struct {
	of  *searches.LaneGraph
	all kernels.LaneSearch // without what is a batch's
	ops kernels.SearchOps
}

// pieceArcs is how many arcs into a vertex some threads take. More are shared.
const pieceArcs = 64

// NewSearched is New for rows that a device finds by searches, in a graph of less than 2³¹ arcs.
func NewSearched(g *searches.LaneGraph, d kernels.Device, most, lanes int, questions ...kernels.LaneQuestion) (
	*Sums, error) {
	w := &Sums{variant: g.Variant, vertices: g.Vertices, device: d, searching: &searching{of: g}}
	var ok bool
	if w.ops, ok = kernels.As[kernels.SearchOps](d); !ok {
		return nil, errors.New("the device does not search")
	}
	n, arcs := int64(len(g.Vertices)), int64(len(g.Ends))
	fixed := 16*(n+arcs/pieceArcs) + int64(entry.WordBytes+g.Variant.WeightBytes())*arcs + entry.WordBytes*n
	most, _, _, err := w.fit(fixed, w.searchRoom(lanes), most, lanes, questions)
	if err != nil {
		return nil, err
	}
	load, err := w.takeSearch() // before batches, of which fewer do
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	var loading errgroup.Group
	loading.Go(load)
	opened := w.open(most, lanes, questions)
	if err = cmp.Or(loading.Wait(), opened); err != nil { // which is of memory, if both fail
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// takeSearch takes the device's memory for the graph. load copies it there.
func (w *Sums) takeSearch() (load func() error, _ error) {
	g, pieces := w.of, []int32(nil)
	for v := range g.Vertices {
		first, end := int32(g.Starts[v]), int32(g.Starts[v+1])
		shared := int32(0)
		if end-first > pieceArcs {
			shared = 1
		}
		for ; first < end; first += pieceArcs {
			pieces = append(pieces, int32(v), first, min(first+pieceArcs, end), shared)
		}
	}
	data := [][]byte{entry.Bytes(g.Vertices), entry.Bytes(pieces), entry.Bytes(g.Ends), entry.Bytes(g.Weights)}
	at := make([]kernels.Tile, len(data))
	for i, b := range data {
		at[i].Buf = w.held.Buffer(int64(max(len(b), entry.WordBytes)))
	}
	w.names = at[0]
	w.all = kernels.LaneSearch{Rows: len(g.Vertices), Pieces: at[1], PieceCount: len(pieces) / 4, Ends: at[2],
		Weights: at[3], Arcs: len(g.Ends), Near: g.Near}
	return func() error {
		s, err := w.device.NewStream()
		for i := 0; i < len(data) && err == nil; i++ {
			err = w.held.Copy(s, at[i], data[i])
		}
		if s != nil {
			err = errors.Join(err, s.Close())
		}
		return err
	}, w.held.Err()
}

// searchRoom is the memory of a search beside its rows: sources, and then what the device needs.
func (w *Sums) searchRoom(lanes int) int64 {
	return int64(sourceBytes(lanes) + 5*len(w.vertices) + 1024)
}

func sourceBytes(lanes int) int { return entry.RoundUp(entry.WordBytes*lanes, listAlign) }

func (b *Batch) openSearch() error {
	b.rows = b.held.Buffer(int64(len(b.w.vertices)*b.lanes) * int64(b.w.variant.Bytes()))
	b.lists = b.held.Buffer(b.w.searchRoom(b.lanes))
	b.host = b.held.Host(int64(entry.WordBytes * (b.lanes + 1)))
	return b.held.Err()
}

// search fills the rows with the distances from the sources.
func (b *Batch) search(sources []int32) (err error) {
	l := b.w.all
	l.Lanes, l.Width, l.Sources, l.Count = b.row(0), b.lanes, kernels.Tile{Buf: b.lists}, len(sources)
	l.Memory = kernels.Tile{Buf: b.lists, Off: int64(sourceBytes(b.lanes))}
	host := entry.View[int32](b.host)
	for i, v := range sources {
		host[i] = b.w.of.Rank[v]
	}
	left := b.host[entry.WordBytes*b.lanes:]
	err = b.stream.CopyIn(l.Sources, b.host[:entry.WordBytes*len(sources)])
	for l.Fresh = true; err == nil && (l.Fresh || host[b.lanes] != math.MaxInt32); l.Fresh = false {
		err = cmp.Or(b.w.ops.LaneSearch(b.stream, b.w.variant, l), b.stream.CopyOut(left, l.Memory), b.stream.Sync())
	}
	return err
}
