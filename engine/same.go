package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/class"
)

// errChanged is the class of a *ChangedError.
var errChanged = class.New(class.Input, "the store was made from something else")

// ChangedError says what a store differs in from what is wanted.
type ChangedError struct {
	Store string
	// In: kind, scale, tile, keep, layout, predecessors, sources, direction, format, columns, no-arc,
	// unweighted, base or input.
	In     string
	Was    string // what the store was made with; "" where that is nothing, or unknown
	Wanted string // likewise
	Left   bool   // to the default, which is Wanted
}

// Error names the store, the aspect, and what it is in the store and should be.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s: %v: %s %q, and not %q", e.Store, errChanged, e.In, e.Was, e.Wanted)
}

// Unwrap gives the error its class.
func (e *ChangedError) Unwrap() error { return errChanged }

// Wanted is what a store shall be. Zero fields are left to their defaults. The fields about the input are what its
// reader is told.
type Wanted struct {
	Kind         entry.Kind
	Scale        int64
	Tile         int
	Keep         string // as Problem.Keeps has it
	Layout       tiles.Layout
	Predecessors bool
	Unweighted   bool
	Sources      tiles.RowSet // nil: all

	Directed                     *bool
	DirectedByDefault            bool
	Format, Columns, NoArc, Base string
}

// Differences lists what the store is not as it is wanted: first what was asked for, then what was left to a default
// with which the answers would be others. So a store that keeps predecessors beside what is wanted does not differ.
func (p *Problem) Differences(w Wanted) []*ChangedError {
	m := &p.meta
	in := &m.Input
	asked := in.Asked
	if asked == nil { // then nothing is known to have been left to a default
		asked = &tiles.Asked{Kind: string(m.Kind), Direction: direction(&m.Directed)}
	}
	noArc := cmp.Or(in.NoArc, "inf")
	if sameNumber(noArc, w.NoArc) {
		noArc = w.NoArc
	}
	var list, left []*ChangedError
	for _, a := range []struct {
		in          string
		was, wanted string
		usual       string // the default
		isUsual     bool   // the store is what the default makes
	}{
		{"kind", string(m.Kind), string(w.Kind), "i32 or f32, by the weights", m.Kind == entry.KindI32 ||
			asked.Kind == ""},
		{"scale", number(m.Scale), number(w.Scale), "1", m.Scale == 1},
		{"tile", number(int64(m.T)), number(int64(w.Tile)), "", true},
		{"keep", p.Keeps(), w.Keep, "", true},
		{"layout", string(p.geom.Layout()), string(w.Layout), "", true},
		{"predecessors", kept(m.Predecessors), kept(w.Predecessors), "", true},
		{"sources", p.namesOf(m.Sources), p.namesOf(w.Sources), "all vertices", len(m.Sources) == 0},
		{"direction", direction(&m.Directed), direction(w.Directed), direction(&w.DirectedByDefault),
			asked.Direction == "" || m.Directed == w.DirectedByDefault},
		{"format", in.Format, w.Format, "by the content", asked.Format == ""},
		{"columns", in.Columns, w.Columns, "by their names or places", in.Columns == ""},
		{"no-arc", noArc, w.NoArc, "inf", sameNumber(noArc, "inf")},
		{"unweighted", kept(in.Unweighted), kept(w.Unweighted), "the weights of the input", !in.Unweighted},
		{"base", in.Base, w.Base, "that of the format", in.Base == ""},
	} {
		differs := a.was != a.wanted
		if a.in == "sources" && w.Sources != nil {
			differs = !slices.Equal(w.Sources, m.Sources)
			if len(m.Sources) == 0 { // a store with all rows keeps no list of them
				differs = len(w.Sources) != m.N
			}
		}
		switch {
		case a.wanted != "" && differs:
			list = append(list, &ChangedError{p.Dir(), a.in, a.was, a.wanted, false})
		case a.wanted == "" && !a.isUsual:
			left = append(left, &ChangedError{p.Dir(), a.in, a.was, a.usual, true})
		}
	}
	return append(list, left...)
}

// sameNumber reports whether two texts are one number, as 9 and 9.0 are.
func sameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil || math.Abs(x) >= 1<<53 && !math.IsInf(x, 0) { // of which two may look the same
		return a == b
	}
	return x == y || x != x && y != y
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func kept(predecessors bool) string {
	if predecessors {
		return "true"
	}
	return ""
}

func direction(directed *bool) string {
	switch {
	case directed == nil:
		return ""
	case *directed:
		return "directed"
	}
	return "undirected"
}

// namesOf names some of the vertices of rows, "" for all.
func (p *Problem) namesOf(rows tiles.RowSet) string {
	if rows == nil {
		return ""
	}
	ids, err := p.IDs()
	if err != nil || len(rows) == 0 {
		return fmt.Sprintf("of %d vertices", len(rows))
	}
	const most = 5
	var names []string
	for _, v := range rows[:min(most, len(rows))] {
		names = append(names, ids.Name(int(v)))
	}
	list := text.Line(strings.Join(names, ","))
	if more := len(rows) - most; more > 0 {
		list += fmt.Sprintf(",… (%d more)", more)
	}
	return list
}

// SameInput fails with a *ChangedError if a file is not what the store was made from.
func (p *Problem) SameInput(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	same, err := isInput(&p.meta.Input, path, info.Size(), info.ModTime(),
		func() (string, error) { return fileSHA256(ctx, path) })
	if err == nil && !same {
		err = &ChangedError{p.Dir(), "input", p.meta.Input.Name, path, false}
	}
	return err
}

// isInput compares path, size and time with those of an input, and the checksum only if they differ. Files of
// different paths are alike in size and time where an archive has been unpacked.
func isInput(in *tiles.Input, path string, size int64, modified time.Time, sum func() (string, error)) (bool, error) {
	if size == in.Size && modified.Equal(in.ModTime) {
		if abs, err := filepath.Abs(path); path == in.Name || err == nil && abs == in.Name {
			return true, nil
		}
	}
	s, err := sum()
	return s == in.SHA256, err
}

func fileSHA256(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	for err == nil {
		if _, err = io.CopyN(h, f, 16<<20); ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}
	if err != io.EOF {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
