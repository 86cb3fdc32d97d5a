// Package ranks owns what the processes that share one solve say to each other: a Link carries bytes between them,
// and a Group has rank 0, which decides for all, tell the others what to do, and gather what they have to say.
//
// # Units and invariants
//
// Any two processes exchange messages in the order in which they were sent. Messages are as encoding/gob makes them,
// and are understood by processes of the same version of the program: Tell and Gather of strings alone come first, to
// make sure of that.
package ranks

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"sync/atomic"
)

// Link carries bytes between processes. Its methods may be called by many goroutines. Once a ctx has ended while a
// call waited, it need not carry anything any more.
type Link interface {
	Rank() int
	Size() int
	// Send gives data to another process under a tag, and returns when it may be written over.
	Send(ctx context.Context, to, tag int, data []byte) error
	// Receive fills data with what another process sends under a tag: as many bytes.
	Receive(ctx context.Context, from, tag int, data []byte) error
}

// Tags of messages. Those from FirstTag to LastTag are for others.
const (
	headTag  = 0
	moreTag  = 1
	FirstTag = 2
	LastTag  = 1<<19 - 1 // what every known library can carry
)

// ErrOver is the error of a process that is told by rank 0 that there is nothing more to do.
var ErrOver = errors.New("rank 0 has ended the work")

// Group are the processes that share a solve.
type Group struct {
	Link
	busy, over atomic.Bool
}

// NewGroup returns the group of a link.
func NewGroup(l Link) *Group { return &Group{Link: l} }

// piece is how long a piece of a message is: short enough for a network library to copy it, since Go may move or give
// back what it lies in.
const piece = 4096

// Put sends a message to another process; nil: there is nothing more to do.
func (g *Group) Put(ctx context.Context, to int, v any) error {
	var text bytes.Buffer
	text.Write(make([]byte, 8))
	if v != nil {
		if err := gob.NewEncoder(&text).Encode(v); err != nil {
			return err
		}
	}
	data := text.Bytes()
	binary.LittleEndian.PutUint64(data, uint64(len(data)))
	data = append(data, make([]byte, (piece-len(data)%piece)%piece)...)
	for at, tag := 0, headTag; at < len(data); at, tag = at+piece, moreTag {
		if err := g.Send(ctx, to, tag, data[at:at+piece]); err != nil {
			return fmt.Errorf("to rank %d: %w", to, err)
		}
	}
	return nil
}

// longest is more than any message has.
const longest = 1 << 32

// Get receives a message of another process into what v points to. It fails with ErrOver where that was Leave's.
func (g *Group) Get(ctx context.Context, from int, v any) error {
	data := make([]byte, piece)
	if err := g.Receive(ctx, from, headTag, data); err != nil {
		return fmt.Errorf("from rank %d: %w", from, err)
	}
	length := binary.LittleEndian.Uint64(data)
	if length < 8 || length > longest {
		return fmt.Errorf("from rank %d: a message of %d bytes", from, length)
	}
	for uint64(len(data)) < length {
		at := len(data)
		data = append(data, make([]byte, piece)...)
		if err := g.Receive(ctx, from, moreTag, data[at:]); err != nil {
			return fmt.Errorf("from rank %d: %w", from, err)
		}
	}
	if length == 8 {
		g.over.Store(true)
		return ErrOver
	}
	if err := gob.NewDecoder(bytes.NewReader(data[8:length])).Decode(v); err != nil {
		return fmt.Errorf("from rank %d: %w", from, err)
	}
	return nil
}

// Tell sends a message of rank 0 to all others, who call Hear.
func (g *Group) Tell(ctx context.Context, v any) error {
	for to := 1; to < g.Size(); to++ {
		if err := g.Put(ctx, to, v); err != nil {
			return err
		}
	}
	return nil
}

// Hear receives what rank 0 tells.
func (g *Group) Hear(ctx context.Context, v any) error { return g.Get(ctx, 0, v) }

// Spread makes what v points to on rank 0 that of all processes, which call it together.
func (g *Group) Spread(ctx context.Context, v any) error {
	if g.Rank() > 0 {
		return g.Hear(ctx, v)
	}
	return g.Tell(ctx, v)
}

// Gather brings what each process has to say to rank 0, which gets a list by rank; the others get none.
func Gather[T any](ctx context.Context, g *Group, v T) ([]T, error) {
	if g.Rank() > 0 {
		return nil, g.Put(ctx, 0, v)
	}
	all := make([]T, g.Size())
	all[0] = v
	for from := 1; from < len(all); from++ {
		if err := g.Get(ctx, from, &all[from]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// All brings what each process has to say to all of them, in a list by rank.
func All[T any](ctx context.Context, g *Group, v T) (all []T, err error) {
	if all, err = Gather(ctx, g, v); err == nil {
		err = g.Spread(ctx, &all)
	}
	if err == nil && len(all) != g.Size() {
		err = fmt.Errorf("%d ranks are told of, and there are %d", len(all), g.Size())
	}
	return all, err
}

// Begin says that the others work from now on, and do not wait for what rank 0 tells.
func (g *Group) Begin() { g.busy.Store(true) }

// Busy reports whether the others work, and do not know yet that this is at an end.
func (g *Group) Busy() bool { return g.busy.Load() && !g.over.Load() }

// Over says that the others know that the work is at an end, and wait for nothing more.
func (g *Group) Over() { g.over.Store(true) }

// Leave tells the others, who wait for what rank 0 tells, that there is nothing more to do, unless they know.
func (g *Group) Leave(ctx context.Context) error {
	if g.Rank() > 0 || g.over.Swap(true) {
		return nil
	}
	return g.Tell(ctx, nil)
}
