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
func NewSearched(g *searches.LaneGraph, d kernels.Device, columns bool, most, lanes int,
	questions ...kernels.LaneQuestion) (*Sums, error) {
	w := &Sums{variant: g.Variant, vertices: g.Vertices, columns: columns, device: d, searching: &searching{of: g}}
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
	var loading errgroup.Group
	loading.Go(w.loadSearch)
	err = w.open(most, lanes, questions)
	if err = cmp.Or(loading.Wait(), err); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// loadSearch copies the graph to the device.
func (w *Sums) loadSearch() error {
	s, err := w.device.NewStream()
	if err != nil {
		return err
	}
	g := w.of
	pieces := make([]int32, 0, 4*(len(g.Vertices)+len(g.Ends)/pieceArcs))
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
	put := func(data []byte) kernels.Tile { return w.held.Put(s, data, 0) }
	w.names = put(entry.Bytes(g.Vertices))
	w.all = kernels.LaneSearch{Rows: len(g.Vertices), Pieces: put(entry.Bytes(pieces)), PieceCount: len(pieces) / 4,
		Ends: put(entry.Bytes(g.Ends)), Weights: put(entry.Bytes(g.Weights)), Arcs: len(g.Ends), Near: g.Near}
	return cmp.Or(w.held.Err(), s.Close())
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
