// Package mpi calls the MPI library of a cluster, which it loads at run time: one program for Open MPI, for MPICH and
// its relatives, and for the standard ABI of MPI 5. It needs no C compiler. On other systems than Linux it builds,
// and Start fails with ErrAbsent.
//
// # Units and invariants
//
// One thread of the system makes all calls, so the library need not be safe for threads. Buffers of a few KiB may lie
// anywhere; longer ones must lie in memory that stays where it is and is never given back to the system while the
// process lives in rounds (kernels.Device.AllocHost): libraries remember what they have registered with the network,
// and do not learn what Go gives back.
package mpi

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"ooc/tiles/class"
)

var (
	// ErrAbsent: there is no MPI library here.
	ErrAbsent = class.New(class.Usage, "no MPI library is found")
	// errUnknown: the library is of no ABI that this package knows.
	errUnknown = class.New(class.Usage, "this MPI library is of a kind that ooc does not know")
	// errAlone: the library is not that of the mpirun which started this process.
	errAlone = class.New(class.Usage, "this MPI library is not that of the program that started this process")
	// errEnded: the program that started this process is gone.
	errEnded = errors.New("what started this process (mpirun, srun) has ended")
)

// Variable is the environment variable that names the library to load, by its path or as the system's loader finds it.
const Variable = "OOC_MPI"

// World are all processes that were started together.
type World struct {
	rank, size int
	library    string
	ask        chan *request
	ended      chan struct{} // closed with the thread that makes the calls
	why        error         // of the end; to be read once ended is closed
}

// open is the world that is to be left before the process ends; nil: none.
var open atomic.Pointer[World]

// Rank is the number of this process, from 0 on.
func (w *World) Rank() int { return w.rank }

// Size is the number of processes.
func (w *World) Size() int { return w.size }

// Library is the first line of what the library says of itself.
func (w *World) Library() string { return w.library }

// Send gives data to another process, which receives it under the same tag: at most 2¹⁹−1. It returns when data may
// be written over. Where ctx ends first, or an earlier call did, nothing is sent or received any more. Of calls that
// overlap no two have one process and one tag.
func (w *World) Send(ctx context.Context, to, tag int, data []byte) error {
	return w.inPieces(ctx, true, to, tag, data)
}

// Receive fills data with what another process sends under a tag; it is as Send.
func (w *World) Receive(ctx context.Context, from, tag int, data []byte) error {
	return w.inPieces(ctx, false, from, tag, data)
}

// longest is the most bytes of one message: MPI counts them in a C int. It is a variable only for tests.
var longest = 1 << 30

// inPieces sends or receives no more bytes at a time than MPI can count.
func (w *World) inPieces(ctx context.Context, send bool, peer, tag int, data []byte) error {
	for {
		piece := data[:min(len(data), longest)]
		if err := w.do(ctx, &request{send: send, peer: peer, tag: tag, data: piece}); err != nil {
			return err
		}
		if data = data[len(piece):]; len(data) == 0 {
			return nil
		}
	}
}

// Close waits for all processes to call it, and ends MPI.
func (w *World) Close() error {
	open.CompareAndSwap(w, nil)
	err := w.do(context.Background(), &request{call: callFinalize})
	<-w.ended
	return err
}

// Times that the library is given to end.
const (
	aborts = 5 * time.Second // all processes
	letsGo = time.Second     // the calls that know of a buffer which nobody waits for any more
)

// passOn is the time that mpirun is given to pass on what this process has said last. MPICH's drops it where the
// abort comes right after.
const passOn = 300 * time.Millisecond

// Exit ends this process. Where a world is still open, which others wait in, they are ended too. MPICH 5 takes leave
// of mpirun in a handler of C's exit, which Go's own way out does not call.
func Exit(code int) {
	if w := open.Load(); w != nil && code != 0 {
		time.Sleep(passOn)
		ctx, stop := context.WithTimeout(context.Background(), aborts)
		defer stop()
		if _ = w.do(ctx, &request{call: callAbort, tag: code}); ctx.Err() != nil {
			os.Exit(code) // its thread does not come back, and C's exit might wait for it
		}
	}
	leave(code)
	os.Exit(code)
}

// request is an operation on its way. Its buffer stays where it is until done has its error.
type request struct {
	call      call
	send      bool
	peer, tag int
	data      []byte
	done      chan error
	abandoned atomic.Bool // nobody waits for it any more, so its buffer may be gone
	handle    *uintptr
}

// call is what is asked of the thread that makes the calls.
type call uint8

const (
	callTransfer call = iota
	callFinalize
	callAbort
)

func (w *World) do(ctx context.Context, r *request) error {
	r.done = make(chan error, 1)
	select {
	case w.ask <- r:
	case <-w.ended:
		return w.why
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-r.done:
		return err
	case <-w.ended:
		select {
		case err := <-r.done:
			return err
		default:
			return w.why
		}
	case <-ctx.Done():
	}
	r.abandoned.Store(true)
	select { // until no call knows its buffer, unless the thread is kept in one
	case <-r.done:
	case <-w.ended:
	case <-time.After(letsGo):
	}
	return context.Cause(ctx)
}
