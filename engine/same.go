package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"ooc/kernels/entry"
	"ooc/tiles"
)

// ErrChanged is what a *ChangedError matches with errors.Is.
var ErrChanged = errors.New("the store was made from something else")

// Aspect is what a store differs in from what is wanted.
type Aspect string

// The aspects, in the order in which they are compared.
const (
	OfKind         Aspect = "kind"
	OfScale        Aspect = "scale"
	OfTile         Aspect = "tile"
	OfKeep         Aspect = "keep"
	OfLayout       Aspect = "layout"
	OfPredecessors Aspect = "predecessors"
	OfSources      Aspect = "sources"
	OfDirection    Aspect = "direction"
	OfFormat       Aspect = "format"
	OfColumns      Aspect = "columns"
	OfNoArc        Aspect = "no-arc"
	OfBase         Aspect = "base"
	OfInput        Aspect = "input"
)

// ChangedError says what a store differs in from what is wanted. It matches ErrChanged.
type ChangedError struct {
	Store string
	In    Aspect
	Was   string // what the store was made with; "" where that is long, or no text
}

// Error names the store, the aspect and its value in the store.
func (e *ChangedError) Error() string {
	text := e.Store + ": " + ErrChanged.Error() + ": another " + string(e.In)
	if e.Was != "" {
		text += ", " + strconv.Quote(e.Was)
	}
	return text
}

// Is reports whether target is ErrChanged.
func (e *ChangedError) Is(target error) bool { return target == ErrChanged }

// Wanted is what a store must be to be continued. Zero fields accept it as it is. The fields about the input are what its
// reader was told.
type Wanted struct {
	Kind         entry.Kind
	Scale        int64
	Tile         int
	Keep         Keep
	Layout       tiles.Layout
	Predecessors bool         // they have to be there
	Sources      tiles.RowSet // nil: whichever rows it has

	Directed                     *bool
	Format, Columns, NoArc, Base string
}

// Differs fails with a *ChangedError if the store is not what is wanted.
func (p *Problem) Differs(w Wanted) error {
	m := &p.meta
	in := &m.Input
	for _, a := range []struct {
		in     Aspect
		was    string
		differ bool
	}{
		{OfKind, string(m.Kind), w.Kind != "" && w.Kind != m.Kind},
		{OfScale, strconv.FormatInt(m.Scale, 10), w.Scale > 0 && w.Scale != m.Scale},
		{OfTile, strconv.Itoa(m.T), w.Tile > 0 && w.Tile != m.T},
		{OfKeep, string(p.Keeps()), w.Keep != "" && w.Keep != p.Keeps()},
		{OfLayout, string(p.geom.Layout()), w.Layout != "" && w.Layout != p.geom.Layout()},
		{OfPredecessors, "", w.Predecessors && !m.Predecessors},
		{OfSources, "", w.Sources != nil && !p.sameRows(w.Sources)},
		{OfDirection, map[bool]string{true: "directed", false: "undirected"}[m.Directed], w.Directed != nil && *w.Directed != m.Directed},
		{OfFormat, in.Format, w.Format != "" && w.Format != in.Format},
		{OfColumns, in.Columns, w.Columns != "" && w.Columns != in.Columns},
		{OfNoArc, in.NoArc, w.NoArc != "" && w.NoArc != cmp.Or(in.NoArc, "inf")},
		{OfBase, in.Base, w.Base != "" && w.Base != in.Base},
	} {
		if a.differ {
			return &ChangedError{p.Dir(), a.in, a.was}
		}
	}
	return nil
}

// sameRows reports whether the store has these rows. A store with all rows keeps no list of them.
func (p *Problem) sameRows(rows tiles.RowSet) bool {
	if len(p.meta.Sources) == 0 {
		return len(rows) == p.meta.N
	}
	return slices.Equal(rows, p.meta.Sources)
}

// SameInput fails with a *ChangedError if a file is not what the store was made from.
func (p *Problem) SameInput(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	same, err := isInput(&p.meta.Input, path, info.Size(), info.ModTime(), func() (string, error) { return fileSHA256(ctx, path) })
	if err == nil && !same {
		err = &ChangedError{p.Dir(), OfInput, ""}
	}
	return err
}

// isInput compares path, size and time with those of an input, and the checksum only if they differ. Files of different paths are
// alike in size and time where an archive has been unpacked.
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
	if _, err := io.Copy(h, readerFunc(func(b []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return f.Read(b)
	})); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

type readerFunc func([]byte) (int, error)

func (r readerFunc) Read(b []byte) (int, error) { return r(b) }
