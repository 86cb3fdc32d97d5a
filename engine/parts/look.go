package parts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/tiles"
	"ooc/tiles/lock"
)

// part is what is known of the store of a part.
type part struct {
	dir string
	// stores: those that are opened as one: the parts of rounds, which have all rows together; nil: dir is one store.
	stores     []string
	meta       tiles.Meta
	first, end int // rows of tiles
}

// whole is what the parts make together.
type whole struct {
	parts  []part     // in the order of their rows
	meta   tiles.Meta // of the new store
	state  tiles.State
	graph  *graph.Graph
	ids    tiles.IDs
	digest string // of the graph
}

// vacant fails where no store can be made, before anything is read.
func vacant(out string, dirs []string) error {
	to, err := os.Stat(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i, dir := range dirs {
		at, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if to != nil && os.SameFile(at, to) {
			return text.ErrorOf(errOther, "%s is to be made, and cannot be a part of itself", out)
		}
		for _, other := range dirs[:i] {
			if was, err := os.Stat(other); err == nil && os.SameFile(at, was) {
				return text.ErrorOf(errOther, "%s and %s are the same store", other, dir)
			}
		}
	}
	return tiles.Vacant(out)
}

// look looks at all parts, and reads the graph of each.
func look(ctx context.Context, dirs []string) (*whole, error) {
	w := &whole{}
	stores, err := ofRounds(dirs)
	if err != nil {
		return nil, err
	}
	if stores != nil {
		if err := w.add(dirs[0], stores); err != nil {
			return nil, err
		}
		return w, nil
	}
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: %w", task.ErrInterrupted, context.Cause(ctx))
		}
		if err := w.add(dir, nil); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(w.parts, func(a, b part) int { return a.first - b.first })
	return w, w.complete()
}

// count is how many stores there are.
func (w *whole) count() (n int) {
	for _, p := range w.parts {
		n += max(1, len(p.stores))
	}
	return n
}

// add looks at a part, and compares it with the first.
func (w *whole) add(dir string, stores []string) error {
	x := part{dir: dir, stores: stores}
	p, err := x.open()
	if err != nil {
		return err
	}
	defer p.Close()
	goOn := "ooc solve " + text.Quote(dir)
	locks := []string{dir}
	if stores != nil {
		goOn, locks = p.ClusterCommand(), stores
	}
	for _, d := range locks {
		if err := lock.CheckFree(d); err != nil {
			return err
		}
	}
	if x.meta = *p.Meta(); stores != nil {
		x.end = p.Geometry().Side()
	} else if x.first, x.end, err = rowsOf(p); err != nil {
		return err
	}
	if err := p.Solved(); errors.Is(err, engine.ErrUnsolved) && stores == nil {
		return fmt.Errorf("%w; go on with: %s", err, goOn)
	} else if err != nil {
		return err
	}
	if _, err := p.Store().Sums(); errors.Is(err, fs.ErrNotExist) { // the solve was killed in its last step
		return fmt.Errorf("%s has no checksums: it is %w to the last step; go on with: %s", dir, engine.ErrUnsolved,
			goOn)
	} else if err != nil {
		return err
	}
	state, _, err := p.Store().State()
	if err != nil {
		return err
	}
	if len(w.parts) > 0 {
		if err := w.same(&x.meta, dir); err != nil {
			return err
		}
	}
	g, digest := (*graph.Graph)(nil), x.meta.Input.SHA256
	if !x.meta.Dense {
		if g, err = p.Graph(); err != nil {
			return err
		}
		digest = g.Digest()
	}
	ids, err := p.Store().IDs()
	if err != nil {
		return err
	}
	if len(w.parts) == 0 {
		w.graph, w.ids, w.digest = g, ids, digest
		w.meta, w.state = x.meta, tiles.State{Algorithm: state.Algorithm}
		if stores == nil { // a solve of all rows keeps one half of a symmetric matrix, and so does the new store
			w.meta.Sources, w.meta.Layout = nil, tiles.Square
			if g.Symmetric {
				w.meta.Layout = tiles.Upper
			}
		}
	}
	switch {
	case digest != w.digest:
		return text.ErrorOf(errOther, "%s is of another graph than %s: their arcs differ", dir, w.parts[0].dir)
	case x.meta.IDBase != w.meta.IDBase || !slices.Equal(ids.Numeric, w.ids.Numeric) ||
		!slices.Equal(ids.Text, w.ids.Text):
		return text.ErrorOf(errOther, "%s is of another graph than %s: their vertices have other ids",
			dir, w.parts[0].dir)
	}
	w.state.Elapsed += state.Elapsed
	w.parts = append(w.parts, x)
	return nil
}

// open opens a part for reading.
func (p *part) open() (*engine.Problem, error) {
	if p.stores != nil {
		return engine.OpenParts(p.dir, p.stores)
	}
	return engine.OpenReadOnly(p.dir)
}

// ofRounds lists the stores of parts of rounds that dirs are, or hold; nil where they are other stores.
func ofRounds(dirs []string) (stores []string, err error) {
	other := ""
	for _, dir := range dirs {
		list := tiles.PartsIn(dir)
		if stores = append(stores, list...); list == nil {
			other = dir
		}
	}
	if stores != nil && other != "" {
		return nil, text.ErrorOf(errOther,
			"%s is a part of rounds over several processes, and %s is none: name all such parts, or the folder that "+
				"holds them, and nothing else", stores[0], other)
	}
	return stores, nil
}

// rowsOf returns the rows of tiles that a part has.
func rowsOf(p *engine.Problem) (first, end int, err error) {
	m, dir := p.Meta(), p.Dir()
	none := func(format string, args ...any) (int, int, error) {
		return 0, 0, text.ErrorOf(errOther, "%s %s; ooc solve GRAPH --sources part:I/K makes parts", dir,
			fmt.Sprintf(format, args...))
	}
	k := len(m.Sources)
	switch {
	case k == 0:
		return none("is no part: it keeps %s of all rows",
			map[bool]string{true: "factors", false: "distances"}[p.Geometry().Factors])
	case m.Predecessors:
		return none("keeps predecessors")
	}
	lo, hi := int(m.Sources[0]), int(m.Sources[k-1])+1
	if hi-lo != k || lo%m.T != 0 || hi%m.T != 0 && hi != m.N {
		return none("is no part: its rows are not consecutive rows of tiles of edge %d", m.T)
	}
	return lo / m.T, (hi + m.T - 1) / m.T, nil
}

// same compares what store.json says of a part with what it says of the first.
func (w *whole) same(m *tiles.Meta, dir string) error {
	f, first := &w.parts[0].meta, w.parts[0].dir
	if m.N != f.N {
		return text.ErrorOf(errOther, "%s is of a graph of %d vertices, and %s of one of %d", first, f.N, dir, m.N)
	}
	for _, a := range []struct {
		what     string
		one, two any
	}{{"kind", f.Kind, m.Kind}, {"scale", f.Scale, m.Scale}, {"tiles of edge", f.T, m.T}} {
		if a.one != a.two {
			return text.ErrorOf(errOther, "%s has %s %v, and %s %v: solve all parts with the same flags",
				first, a.what, a.one, dir, a.two)
		}
	}
	return nil
}

// complete fails unless each row is in one part.
func (w *whole) complete() error {
	side, next, input := w.meta.Geometry().Side(), 0, w.meta.Input.Name
	var lack []string // rows
	for i, p := range append(slices.Clone(w.parts), part{first: side, end: side}) {
		if p.first < next {
			before := w.parts[i-1]
			if before.first == p.first && before.end == p.end {
				return text.ErrorOf(errOther, "%s and %s are the same part%s: name one of them", before.dir, p.dir,
					w.named(&p))
			}
			return text.ErrorOf(errOther,
				"%s and %s have some of the same rows: they were divided into another number of parts", before.dir,
				p.dir)
		}
		if p.first > next {
			lack = append(lack, fmt.Sprintf("%d to %d", next*w.meta.T, min(p.first*w.meta.T, w.meta.N)-1))
		}
		next = p.end
	}
	if lack == nil {
		return nil
	}
	k := w.divided()
	if k == 0 {
		return text.ErrorOf(errOther, "missing: rows %s of %s, counted from 0; "+
			"the parts that are there were not divided into one number of parts",
			strings.Join(lack, ", "), input)
	}
	lack = nil // parts
	for i := 1; i <= k; i++ {
		if !slices.ContainsFunc(w.parts, func(p part) bool { return number(p, side, k) == i }) {
			lack = append(lack, fmt.Sprintf("part:%d/%d", i, k))
		}
	}
	return text.ErrorOf(errOther, "missing: %s of %s; solve that, with ooc solve %s --sources %s "+
		"and the flags of the other parts, and name its store too",
		strings.Join(lack, ", "), input, text.Quote(input), lack[0])
}

// divided returns the least number of parts of which all that are there can be; 0 if they were not divided into one
// number.
func (w *whole) divided() int {
	side := w.meta.Geometry().Side()
	for k := 1; k <= side; k++ {
		if !slices.ContainsFunc(w.parts, func(p part) bool { return number(p, side, k) == 0 }) {
			return k
		}
	}
	return 0
}

// number returns which part of k a part is, 0 if none.
func number(p part, side, k int) int {
	for i := 1; i <= k; i++ {
		if first, end := span(side, i, k); first == p.first && end == p.end {
			return i
		}
	}
	return 0
}

// named says which part one is, if that can be told.
func (w *whole) named(p *part) string {
	k := w.divided()
	if k == 0 {
		return ""
	}
	return fmt.Sprintf(", part:%d/%d", number(*p, w.meta.Geometry().Side(), k), k)
}
