package enginetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ooc/engine/ranks"
)

// Links returns the links of so many ranks that are goroutines of this process. Whoever sends waits until that is
// received. Where a call's context ends, all of them fail, and so they do once down was called.
func Links(size int) (all []ranks.Link, down func()) {
	n := &network{letters: map[address]chan []byte{}, down: make(chan struct{})}
	for rank := range size {
		all = append(all, &rankLink{n, rank, size})
	}
	return all, n.fail
}

type network struct {
	mu      sync.Mutex
	letters map[address]chan []byte // guarded by mu
	once    sync.Once
	down    chan struct{} // closed where a call's context has ended
}

type address struct{ from, to, tag int }

func (n *network) box(a address) chan []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	box := n.letters[a]
	if box == nil {
		box = make(chan []byte)
		n.letters[a] = box
	}
	return box
}

type rankLink struct {
	*network
	rank, size int
}

func (l *rankLink) Rank() int { return l.rank }
func (l *rankLink) Size() int { return l.size }

func (l *rankLink) Send(ctx context.Context, to, tag int, data []byte) error {
	if tag > ranks.LastTag || to == l.rank {
		return fmt.Errorf("sent to %d by %d under tag %d", to, l.rank, tag)
	}
	select {
	case l.box(address{l.rank, to, tag}) <- append([]byte{}, data...):
		return nil
	case <-ctx.Done():
		l.fail()
		return context.Cause(ctx)
	case <-l.down:
		return errDown
	}
}

func (l *rankLink) Receive(ctx context.Context, from, tag int, data []byte) error {
	select {
	case got := <-l.box(address{from, l.rank, tag}):
		if len(got) != len(data) {
			return fmt.Errorf("%d bytes came, and %d were wanted", len(got), len(data))
		}
		copy(data, got)
		return nil
	case <-ctx.Done():
		l.fail()
		return context.Cause(ctx)
	case <-l.down:
		return errDown
	}
}

var errDown = errors.New("another rank has failed")

func (n *network) fail() { n.once.Do(func() { close(n.down) }) }
