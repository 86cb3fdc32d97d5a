package cpu

import (
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"ooc/kernels/internal/ledger"
)

const (
	packedBytes = maxDepth * maxPanel // a panel of B
	// copiedStride: no power of two: spreads over cache sets; holds wideDepth of the largest pairs.
	copiedStride = wideDepth*16 + 64
	copiedBytes  = maxHeight * copiedStride               // a strip of A
	blockBytes   = baseEdge * baseEdge * 2 * 8            // a block in closure, of the largest pairs
	scratchBytes = packedBytes + copiedBytes + blockBytes // of one worker
)

// worker is the scratch memory of one thread.
type worker struct {
	packed *byte // a panel of B
	copied *byte // a strip of A, copiedStride bytes a row
	block  *byte // baseEdge² entries, and as many predecessors
}

// job is an operation cut into tasks 0…n-1.
type job struct {
	task func(w *worker, i int)
	n    int
	next int           // first task not yet taken; guarded by pool.mu
	left int           // tasks not yet done; guarded by pool.mu
	done chan struct{} // closed when left is 0
}

// pool runs the tasks of all waiting jobs, one of each in turn.
type pool struct {
	workers errgroup.Group
	scratch []ledger.Memory

	mu     sync.Mutex
	wake   sync.Cond // a job came, or closed; its lock is mu
	jobs   []*job    // with tasks not yet taken; guarded by mu
	turn   int       // index into jobs; guarded by mu
	closed bool      // guarded by mu
}

func newPool(threads int) (*pool, error) {
	p := &pool{}
	p.wake.L = &p.mu
	for range threads {
		m, err := ledger.Map(scratchBytes, true)
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		p.scratch = append(p.scratch, m)
		w := &worker{packed: &m.Data[0], copied: &m.Data[packedBytes],
			block: &m.Data[packedBytes+copiedBytes]}
		p.workers.Go(func() error { p.work(w); return nil })
	}
	return p, nil
}

// run runs task(w, i) for all i < n on the workers and returns when all are done.
func (p *pool) run(n int, task func(w *worker, i int)) {
	if n == 0 {
		return
	}
	j := &job{task: task, n: n, left: n, done: make(chan struct{})}
	p.mu.Lock()
	p.jobs = append(p.jobs, j)
	p.mu.Unlock()
	p.wake.Broadcast()
	<-j.done
}

// work takes tasks until the pool closes.
func (p *pool) work(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.jobs) == 0 {
			if p.closed {
				return
			}
			p.wake.Wait()
		}
		j, i := p.take()
		p.mu.Unlock()
		j.task(w, i)
		p.mu.Lock()
		if j.left--; j.left == 0 {
			close(j.done)
		}
	}
}

// take returns the next task of the job whose turn it is. The caller holds mu, and jobs is not empty.
func (p *pool) take() (*job, int) {
	p.turn %= len(p.jobs)
	j := p.jobs[p.turn]
	i := j.next
	if j.next++; j.next == j.n {
		p.jobs = append(p.jobs[:p.turn], p.jobs[p.turn+1:]...)
	} else {
		p.turn++
	}
	return j, i
}

// close waits for the workers, which first finish the jobs they have.
func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.wake.Broadcast()
	err := p.workers.Wait()
	for _, m := range p.scratch {
		err = errors.Join(err, m.Unmap())
	}
	return err
}
