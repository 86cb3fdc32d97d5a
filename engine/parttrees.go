package engine

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"ooc/engine/device"
	"ooc/engine/ranks"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// partLines are the lines of a matrix of which each process has a part. It asks the others for what they have, and
// answers them.
type partLines struct {
	*Problem
	group *ranks.Group
	peers []*peer                 // by rank
	most  int                     // lines that are asked for at once
	asks  [][]int32               // by rank: what is to be written there, as writeHere takes it
	stop  context.CancelCauseFunc // ends the checks of this process

	mu  sync.Mutex
	own storeLines // guarded by mu
}

// peer is a process, with memory for what it sends and is sent, which the network may remember. The one of this
// process has nothing to send.
type peer struct {
	rank int
	out  []byte

	mu sync.Mutex // one question at a time; who asks several takes them in the order of ranks
	in []byte     // guarded by mu
}

// question is what processes ask each other.
type question struct{ What, First, Count int64 }

const (
	askRows  = iota // what is there of rows
	askArcs         // arcs into vertices that follow: the rows of columns whose predecessors they are
	askWrite        // so many words follow, which say what is to be written
	askEnd          // nothing more is asked; count is not 0 where the sender has failed
)

// Tags of questions and answers. The rounds, whose tiles have them too, are over.
const (
	questionTag = ranks.FirstTag
	answerTag   = ranks.FirstTag + 1
)

// Limits of what is asked for at once.
const (
	mostStrip   = 64
	stripMemory = 16 << 20
	peersMemory = 64 << 20 // of all together
)

// errElsewhere ends what a process does where another one has failed, which says why.
var errElsewhere = fmt.Errorf("%w by another rank", task.ErrInterrupted)

// rootPartTrees is rootTrees of all processes that have a part store.
func (p *Problem) rootPartTrees(ctx context.Context, o *Options) (_ lines, err error) {
	part := p.meta.Part
	own := storeLines{p.store, make([]bool, p.geom.Tiles())}
	l := &partLines{Problem: p, group: o.Ranks, asks: make([][]int32, part.Of()), own: own}
	ctx, l.stop = context.WithCancelCause(ctx)
	defer l.stop(nil)
	// No part has more entries of a line.
	share := entry.CeilDiv(p.geom.Side(), part.Block*min(part.Rows, part.Cols)) * part.Block * p.geom.T
	line := share*l.entryBytes() + 2*entry.WordBytes
	l.most = max(1, min(mostStrip, stripMemory/(p.geom.N*l.entryBytes()), peersMemory/(2*part.Of()*line)))
	held := device.Held{On: o.Device}
	defer func() { err = errors.Join(err, held.Close()) }()
	for rank := range part.Of() {
		q := &peer{rank: rank, in: held.Host(int64(l.most * line))}
		if rank != l.group.Rank() {
			q.out = held.Host(int64(l.most * line))
		}
		l.peers = append(l.peers, q)
	}
	if err = p.agree(l.group, held.Err()); err != nil { // before anything is asked
		return l, err
	}
	var answers errgroup.Group
	for _, q := range l.others() {
		answers.Go(func() error { return l.answer(q) })
	}
	err = p.rootTrees(ctx, o.Control, l)
	end := question{What: askEnd}
	if err != nil {
		end.Count = 1
	}
	for _, q := range l.others() {
		if serr := l.put(q.rank, end); err == nil {
			err = serr
		}
	}
	if aerr := answers.Wait(); err == nil || errors.Is(err, errElsewhere) && aerr != nil {
		err = aerr
	}
	if err == nil {
		err = context.Cause(ctx)
	}
	return l, err
}

// entryBytes are a distance and a predecessor.
func (l *partLines) entryBytes() int { return l.meta.Kind.Bytes() + tiles.PredecessorBytes }

// others are the other processes.
func (l *partLines) others() []*peer {
	return slices.DeleteFunc(slices.Clone(l.peers), func(q *peer) bool { return q.rank == l.group.Rank() })
}

// Nothing that is sent or received may be given up on the way.
func (l *partLines) send(to, tag int, data []byte) error {
	return l.group.Send(context.Background(), to, tag, data)
}

func (l *partLines) receive(from, tag int, data []byte) error {
	return l.group.Receive(context.Background(), from, tag, data)
}

// put sends a question.
func (l *partLines) put(to int, q question) error {
	data, _ := binary.Append(nil, binary.LittleEndian, q) // which has a fixed size
	return l.send(to, questionTag, data)
}

// answer answers a process until that asks no more.
func (l *partLines) answer(q *peer) (failed error) {
	head, length, le := make([]byte, binary.Size(question{})), make([]byte, 8), binary.LittleEndian
	for {
		if err := l.receive(q.rank, questionTag, head); err != nil {
			return errors.Join(failed, err)
		}
		var ask question
		_, _ = binary.Decode(head, le, &ask) // as many bytes
		var more []byte
		switch ask.What {
		case askEnd:
			if ask.Count > 0 {
				l.stop(errElsewhere)
			}
			return failed
		case askArcs, askWrite:
			more = q.out[:entry.WordBytes*ask.Count]
			if err := l.receive(q.rank, questionTag, more); err != nil {
				return errors.Join(failed, err)
			}
		}
		n, err := l.here(q.out, ask, slices.Clone(entry.View[int32](more)))
		if err != nil { // this process says why
			n, failed = -1, errors.Join(failed, err)
			l.stop(err)
		}
		le.PutUint64(length, uint64(n))
		if err = l.send(q.rank, answerTag, length); err == nil && n > 0 {
			err = l.send(q.rank, answerTag, q.out[:n])
		}
		if err != nil {
			return errors.Join(failed, err)
		}
	}
}

// here answers a question about what is here, in so many bytes.
func (l *partLines) here(dst []byte, ask question, more []int32) (n int, err error) {
	switch ask.What {
	case askRows:
		for u := ask.First; u < ask.First+ask.Count && err == nil; u++ {
			var row int
			row, err = l.store.ReadHere(dst[n:], int(u), false)
			n += row
		}
	case askArcs:
		column := make([]byte, len(dst)/l.most)
		for _, v := range more {
			var arcs int
			if arcs, err = l.arcsHere(dst[n:], column, int(v)); err != nil {
				break
			}
			n += arcs
		}
	case askWrite:
		err = l.writeHere(more)
	}
	return n, err
}

// arcsHere lists the arcs into v that are shortest paths, from vertices whose rows are here: how many, and each with
// its source and its weight.
func (l *partLines) arcsHere(dst, column []byte, v int) (n int, err error) {
	k, t, le := l.meta.Kind.Bytes(), l.geom.T, binary.LittleEndian
	if _, err = l.store.ReadHere(column, v, true); err != nil {
		return 0, err
	}
	at, count := entry.WordBytes, uint32(0)
	for i := range l.geom.Side() {
		if l.meta.Part.Owner(i, v/t) != l.group.Rank() {
			continue
		}
		distances, predecessors := column[:t*k], column[t*k:]
		for r := range min(t, l.geom.N-i*t) {
			if x := le.Uint32(predecessors[r*tiles.PredecessorBytes:]); int(x) == i*t+r {
				le.PutUint32(dst[at:], x)
				at += tiles.PredecessorBytes + copy(dst[at+tiles.PredecessorBytes:], distances[r*k:(r+1)*k])
				count++
			}
		}
		column = column[t*l.entryBytes():]
	}
	le.PutUint32(dst, count)
	return at, nil
}

// ask asks some processes, given by rank, ascending, and gives their answers to use.
func (l *partLines) ask(of []int, ask question, more []int32, use func(rank int, answer []byte)) (err error) {
	for _, rank := range of {
		q := l.peers[rank]
		q.mu.Lock()
		defer q.mu.Unlock()
		if rank == l.group.Rank() {
			continue
		}
		if err := l.put(rank, ask); err != nil {
			return err
		}
		if more != nil {
			if err := l.send(rank, questionTag, q.in[:copy(q.in, entry.Bytes(more))]); err != nil {
				return err
			}
		}
	}
	length := make([]byte, 8)
	for _, rank := range of {
		q, n := l.peers[rank], 0
		if rank == l.group.Rank() {
			var herr error
			if n, herr = l.here(q.in, ask, more); herr != nil {
				err, n = herr, -1
			}
		} else {
			if rerr := l.receive(rank, answerTag, length); rerr != nil {
				return rerr
			}
			if n = int(int64(binary.LittleEndian.Uint64(length))); n > 0 {
				if rerr := l.receive(rank, answerTag, q.in[:n]); rerr != nil {
					return rerr
				}
			}
		}
		switch {
		case n >= 0:
			use(rank, q.in[:n])
		case err == nil:
			err = errElsewhere
		}
	}
	return err
}

// read puts together what all have of some rows, which are in one row of tiles.
func (l *partLines) read(distances, predecessors []byte, s strip) error {
	has := make([][]int, len(l.peers)) // by rank: tiles of a row
	var of []int
	for x := range l.geom.Side() {
		rank := l.meta.Part.Owner(s.first/l.geom.T, x)
		has[rank] = append(has[rank], x)
	}
	for rank, list := range has {
		if list != nil {
			of = append(of, rank)
		}
	}
	n, t, k, p := l.geom.N, l.geom.T, l.meta.Kind.Bytes(), tiles.PredecessorBytes
	return l.ask(of, question{askRows, int64(s.first), int64(s.count)}, nil, func(rank int, answer []byte) {
		for row := range s.count {
			for _, x := range has[rank] {
				width := min(t, n-x*t)
				copy(distances[(row*n+x*t)*k:], answer[:width*k])
				copy(predecessors[(row*n+x*t)*p:], answer[t*k:t*k+width*p])
				answer = answer[t*(k+p):]
			}
		}
	})
}

func (l *partLines) arcsInto(vertices []int32, _ *rowMender) ([][]shortArc, error) {
	var of []int
	for rank := range l.peers {
		of = append(of, rank)
	}
	lists, k, le := make([][]shortArc, len(vertices)), l.meta.Kind.Bytes(), binary.LittleEndian
	err := l.ask(of, question{What: askArcs, Count: int64(len(vertices))}, vertices, func(_ int, answer []byte) {
		for i := range lists {
			count := le.Uint32(answer)
			answer = answer[entry.WordBytes:]
			for range count {
				weight := answer[tiles.PredecessorBytes:]
				lists[i] = append(lists[i],
					shortArc{int32(le.Uint32(answer)), l.meta.Kind.Value(l.meta.Kind.At(weight, 0))})
				answer = weight[k:]
			}
		}
	})
	for _, list := range lists { // as one process finds them
		slices.SortFunc(list, func(a, b shortArc) int { return cmp.Compare(a.from, b.from) })
	}
	return lists, err
}

// write gathers what each process is to write, and tells it now and then.
func (l *partLines) write(u int, columns, predecessors []int32) error {
	of := make([][2][]int32, len(l.peers)) // by rank: columns and predecessors
	for i, v := range columns {
		x := &of[l.meta.Part.Owner(u/l.geom.T, int(v)/l.geom.T)]
		x[0], x[1] = append(x[0], v), append(x[1], predecessors[i])
	}
	for rank, x := range of {
		words := 2 + 2*len(x[0])
		if words == 2 {
			continue
		}
		if entry.WordBytes*(len(l.asks[rank])+words) > len(l.peers[rank].in) {
			if err := l.tell(rank); err != nil {
				return err
			}
		}
		l.asks[rank] = append(append(append(l.asks[rank], int32(u), int32(len(x[0]))), x[0]...), x[1]...)
	}
	return nil
}

// flush tells all what is left.
func (l *partLines) flush() (err error) {
	for rank := range l.peers {
		err = errors.Join(err, l.tell(rank))
	}
	return err
}

// tell has a process write what it is to write.
func (l *partLines) tell(rank int) error {
	words := l.asks[rank]
	if len(words) == 0 {
		return nil
	}
	l.asks[rank] = words[:0]
	return l.ask([]int{rank}, question{What: askWrite, Count: int64(len(words))}, words, func(int, []byte) {})
}

// writeHere writes what is here of rows: of each, its number, how many columns of it follow, these, and their
// predecessors.
func (l *partLines) writeHere(words []int32) error {
	for len(words) > 0 {
		u, n := int(words[0]), int(words[1])
		l.mu.Lock()
		err := l.own.write(u, words[2:2+n], words[2+n:2+2*n])
		l.mu.Unlock()
		if err != nil {
			return err
		}
		words = words[2+2*n:]
	}
	return nil
}

func (l *partLines) together() int { return l.most }

// strips deals all rows to the processes, each to one that has some of it.
func (l *partLines) strips() (mine []strip) {
	t, side, number := l.geom.T, l.geom.Side(), 0
	for i := range side {
		for first := i * t; first < min((i+1)*t, l.geom.N); first += l.most {
			if l.meta.Part.Owner(i, number%side) == l.group.Rank() {
				mine = append(mine, strip{first, min(l.most, (i+1)*t-first, l.geom.N-first)})
			}
			number++
		}
	}
	return mine
}

// written is read once all have ended.
func (l *partLines) written() []bool { return l.own.tiles }
