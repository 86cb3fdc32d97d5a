package sparse

import (
	"fmt"
	"slices"

	"ooc/kernels"
)

// Lists hold the ends of arcs. The ends of a rank are a part of one list, which it mostly shares with others: along a
// path of the elimination tree each rank has the ends of the rank above it, and that rank. Such ranks follow one
// another. So the lists of a large elimination have half as many ends as there are arcs, and a Search goes through
// ranks that share one together.
type Lists struct {
	Offsets []int32 // those of the arcs: a rank has as many ends as weights
	First   []int32 // by rank: where its ends begin in Ends
	Ends    []int32
}

// newLists shares the ends of arcs.
func newLists(a *kernels.Arcs) *Lists {
	n := len(a.Offsets) - 1
	l := &Lists{Offsets: a.Offsets, First: make([]int32, n)}
	var above []int32 // the ends of the rank before
	for r := range n {
		row := a.Ends[a.Offsets[r]:a.Offsets[r+1]]
		if last := len(row) - 1; last >= 0 && int(row[last]) == r-1 && slices.Equal(row[:last], above) {
			l.First[r] = l.First[r-1]
			l.Ends = append(l.Ends, row[last])
		} else {
			l.First[r] = int32(len(l.Ends))
			l.Ends = append(l.Ends, row...)
		}
		above = row
	}
	return l
}

// Of returns the ends of a rank, ascending.
func (l *Lists) Of(r int32) []int32 { return l.Ends[l.First[r]:][:l.Offsets[r+1]-l.Offsets[r]] }

// top returns the highest rank up the tree from r, no higher than the given one, with which it shares its list.
func (l *Lists) top(r, highest int32) int32 {
	for r > highest && l.First[r] == l.First[r-1] {
		row := l.Of(r)
		if last := len(row) - 1; last < 0 || row[last] != r-1 || l.Offsets[r]-l.Offsets[r-1] != int32(last) {
			break
		}
		r--
	}
	return r
}

// check fails where the ends of a rank are not in the list.
func (l *Lists) check() error {
	if len(l.First) != len(l.Offsets)-1 {
		return fmt.Errorf("%w: lists of %d ranks", ErrParts, len(l.First))
	}
	for r, first := range l.First {
		if first < 0 || int64(first)+int64(l.Offsets[r+1])-int64(l.Offsets[r]) > int64(len(l.Ends)) {
			return fmt.Errorf("%w: the ends of rank %d", ErrParts, r)
		}
	}
	return nil
}

// expand lists the ends arc by arc. It fails where an arc leads to no rank that it may lead to.
func (l *Lists) expand() ([]int32, error) {
	ends := make([]int32, 0, l.Offsets[len(l.First)])
	for r := range int32(len(l.First)) {
		row := l.Of(r)
		for _, end := range row {
			if uint32(end) >= uint32(r) {
				return nil, badArc(r, end)
			}
		}
		ends = append(ends, row...)
	}
	return ends, nil
}

// badArc returns the error of an arc that leads to no rank that it may lead to.
func badArc(r, end int32) error {
	return fmt.Errorf("%w: an arc of rank %d leads to %d", ErrParts, r, end)
}

// Lists returns those of the arcs up and down, which are one where these lead to the same ranks.
func (e *Elimination) Lists() (up, down *Lists) {
	e.lists.Do(func() {
		if e.upLists != nil {
			return
		}
		e.upLists = newLists(e.Up)
		if e.downLists = e.upLists; !sameEnds(e.Up, e.Down) {
			e.downLists = newLists(e.Down)
		}
	})
	return e.upLists, e.downLists
}

// sameEnds reports whether two sets of arcs have one array of ends.
func sameEnds(a, b *kernels.Arcs) bool {
	return a == b || len(a.Ends) > 0 && len(a.Ends) == len(b.Ends) && &a.Ends[0] == &b.Ends[0]
}
