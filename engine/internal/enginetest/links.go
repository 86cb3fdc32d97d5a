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
	n := &network{}
	n.down, n.fail = context.WithCancel(context.Background())
	for rank := range size {
		all = append(all, &rankLink{n, rank, size})
	}
	return all, n.fail
}

type network struct {
	boxes sync.Map        // from address to chan []byte
	down  context.Context // ends where a call's context has ended
	fail  func()
}

type address struct{ from, to, tag int }

func (n *network) box(a address) chan []byte {
	box, _ := n.boxes.LoadOrStore(a, make(chan []byte))
	return box.(chan []byte)
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
	_, err := l.pass(ctx, nil, l.box(address{l.rank, to, tag}), append([]byte{}, data...))
	return err
}

func (l *rankLink) Receive(ctx context.Context, from, tag int, data []byte) error {
	got, err := l.pass(ctx, l.box(address{from, l.rank, tag}), nil, nil)
	if err == nil && len(got) != len(data) {
		err = fmt.Errorf("%d bytes came, and %d were wanted", len(got), len(data))
	}
	copy(data, got)
	return err
}

// pass waits until a letter has come, or until it has gone.
func (l *rankLink) pass(ctx context.Context, in <-chan []byte, out chan<- []byte, letter []byte) ([]byte, error) {
	select {
	case letter = <-in:
		return letter, nil
	case out <- letter:
		return nil, nil
	case <-ctx.Done():
		l.fail()
		return nil, context.Cause(ctx)
	case <-l.down.Done():
		return nil, errDown
	}
}

var errDown = errors.New("another rank has failed")
