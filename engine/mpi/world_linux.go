//go:build amd64 || arm64

package mpi

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"
)

// Times between two looks at what is on its way. Where there are more processes than cores, short naps let the others
// go on.
const (
	shortNap = 20 * time.Microsecond
	longNap  = time.Millisecond
	lookUp   = time.Second // between two looks at whether the parent is still there
)

// Start loads the library and starts MPI. It fails with ErrAbsent where there is none, and for one that does not fit.
func Start() (*World, error) {
	w := &World{ask: make(chan *request, 256), ended: make(chan struct{})}
	started := make(chan error)
	go w.serve(started)
	if err := <-started; err != nil {
		return nil, err
	}
	open.Store(w)
	return w, nil
}

// serve makes every call of MPI, on one thread.
func (w *World) serve(started chan<- error) {
	runtime.LockOSThread() // for good: the thread ends with this goroutine
	l, err := w.start()
	started <- err
	if err != nil {
		return
	}
	defer close(w.ended)
	var flying []*request
	nap, looked, parent := shortNap, time.Now(), os.Getppid()
	timer := time.NewTimer(0)
	for {
		var r *request
		if len(flying) == 0 {
			r = <-w.ask
		} else {
			timer.Reset(nap)
			select {
			case r = <-w.ask:
			case <-timer.C:
			}
		}
		for more := r != nil; more; {
			switch {
			case r.call == callAbort:
				w.why = l.abort(r.tag)
				return
			case r.call == callFinalize:
				w.why = errClosed
				r.done <- l.finalize()
				return
			}
			if err := l.begin(r); err != nil {
				r.done <- err
			} else {
				flying = append(flying, r)
			}
			nap = shortNap
			select {
			case r = <-w.ask:
			default:
				more = false
			}
		}
		left, gone := flying[:0], false
		for _, r := range flying {
			done, err := false, error(nil)
			if gone = gone || r.abandoned.Load(); !gone {
				done, err = l.test(r)
			}
			if done || err != nil {
				r.done <- err
			} else {
				left = append(left, r)
			}
		}
		if len(left) == len(flying) {
			nap = min(2*nap, longNap)
		} else {
			nap = shortNap
		}
		clear(flying[len(left):])
		flying = left
		if gone { // the library may still know buffers that are gone, so it is not called any more, but to end it all
			w.why = errAbandoned
			for _, r := range flying {
				r.done <- errAbandoned
			}
			w.onlyAbort(l)
			return
		}
		if time.Since(looked) > lookUp {
			if looked = time.Now(); os.Getppid() != parent {
				w.why = errEnded
				return
			}
		}
	}
}

// onlyAbort refuses everything but the end of all.
func (w *World) onlyAbort(l *library) {
	for r := range w.ask {
		if r.call == callAbort {
			w.why = l.abort(r.tag)
			return
		}
		r.done <- errAbandoned
		if r.call != callTransfer {
			return
		}
	}
}

func (w *World) start() (*library, error) {
	before := savedActions() // UCX replaces handlers as soon as it is loaded
	l, err := load()
	if err == nil {
		err = l.init()
		before.restore()
	}
	if err != nil {
		return nil, err
	}
	w.library = l.version
	if w.rank, err = l.number("MPI_Comm_rank"); err == nil {
		w.size, err = l.number("MPI_Comm_size")
	}
	if err != nil {
		return nil, err
	}
	if _, of := startedWith(); w.size == 1 && of > 1 {
		return nil, fmt.Errorf("%w: %d processes were started, and %s (%s) sees itself alone; name the right library "+
			"with %s",
			errAlone, of, l.name, l.version, Variable)
	}
	return l, nil
}

func (l *library) init() error {
	provided := new(int32)
	if err := l.call("MPI_Init_thread", 0, 0, uintptr(l.funneled), uintptr(unsafe.Pointer(provided))); err != nil {
		return err
	}
	loaded.Store(true)
	return l.call("MPI_Comm_set_errhandler", l.world, l.errorsReturn)
}

func (l *library) finalize() error { return l.call("MPI_Finalize") }

func (l *library) abort(code int) error { return l.call("MPI_Abort", l.world, uintptr(code)) }

func (l *library) number(name string) (int, error) {
	n := new(int32)
	err := l.call(name, l.world, uintptr(unsafe.Pointer(n)))
	return int(*n), err
}

func (l *library) begin(r *request) error {
	name := "MPI_Irecv"
	if r.send {
		name = "MPI_Isend"
	}
	r.handle = new(uintptr) // MPICH writes its low half
	return l.call(name, uintptr(unsafe.Pointer(unsafe.SliceData(r.data))), uintptr(len(r.data)), l.bytes,
		uintptr(r.peer), uintptr(r.tag), l.world, uintptr(unsafe.Pointer(r.handle)))
}

func (l *library) test(r *request) (bool, error) {
	flag := new(int32)
	err := l.call("MPI_Test", uintptr(unsafe.Pointer(r.handle)), uintptr(unsafe.Pointer(flag)), l.statusIgnore)
	return *flag != 0, err
}

// firstLine is the first line of a text that may end in zeros.
func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimRight(string(text), "\x00\n "), "\n")
	return strings.Join(strings.Fields(line), " ")
}
