package exit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"ooc/cmd/ooc/terminal"
	"ooc/engine/mpi"
	"ooc/engine/newfile"
	"ooc/engine/task"
	"ooc/tiles/class"
)

// Graceful says that the command has begun something that must be ended in order: the first signal then only ends its
// context. Before that, and in commands that change nothing, a signal ends the process.
var Graceful atomic.Bool

// Over says that this process of several has nothing left to do, and that another one says how all have ended: a
// signal, by which mpirun then may end this one, is no news.
var Over atomic.Bool

// resumable is how to go on with what a signal may end at once: a function that returns the command; nil if there is
// none.
var resumable atomic.Pointer[func() string]

// CanResume sets what resumable holds, until the returned function is called.
func CanResume(command func() string) (done func()) {
	before := resumable.Swap(&command)
	return func() { resumable.Store(before) }
}

// Now ends the process at once, in order: the terminal is as it was, no file is left half written, and people are told
// how to go on.
func Now(why string) {
	terminal.Restore()
	newfile.Abandon()
	if Over.Load() {
		mpi.Exit(class.Interrupted)
	}
	if command := resumable.Load(); command != nil {
		why += "; continue with:\n  " + (*command)()
	}
	fmt.Fprintln(terminal.Err, "ooc:", why)
	mpi.Exit(class.Interrupted) // where other processes share the work, they end, too
}

// endsWithin is how long a command that keeps nothing may take to end in order after a signal.
const endsWithin = 700 * time.Millisecond

// interruptedBy is the error of a signal. Of Ctrl-C, or a key that does the same, there is nothing more to say.
func interruptedBy(s os.Signal) error {
	if s == syscall.SIGTERM {
		return fmt.Errorf("%w by SIGTERM", task.ErrInterrupted)
	}
	return task.ErrInterrupted
}

// sameSignal is how long after the first signal another one counts as the same: timeout(1) sends its signal to the
// process and then to the group that it is in, and nobody is as quick as that on purpose.
const sameSignal = 200 * time.Millisecond

// Interruptible returns a context that the first SIGINT or SIGTERM ends. The second one ends the process at once,
// which loses nothing that a checkpoint or a note has. Once the returned function is called the process is ending
// with a code of its own, and signals are ignored: they must not kill it, with another code, in its last instant.
func Interruptible() (context.Context, func()) { return interruptible(sameSignal) }

// interruptible counts signals that come within a time of the first as the same.
func interruptible(same time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	ctx = context.WithValue(ctx, terminal.InterruptKey{}, func() {
		select {
		case signals <- os.Interrupt:
		default: // two are on their way, which is one more than it takes
		}
	})
	// For good: signal.Stop would have the next one kill the process.
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ending, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-ending:
			return
		case s := <-signals:
			if !Graceful.Load() {
				Now(interruptedBy(s).Error())
			}
			cancel(interruptedBy(s))
		}
		first := time.Now()
		var patience <-chan time.Time // nil: a solve, which has something to write
		if resumable.Load() == nil {
			patience = time.After(endsWithin)
		}
		for {
			select {
			case <-ending:
				return
			case <-signals:
				if time.Since(first) > same {
					Now(fmt.Sprintf("%v at once by a second signal; what was written is kept", task.ErrInterrupted))
				}
			case <-patience:
				Now(task.ErrInterrupted.Error())
			}
		}
	}()
	return ctx, func() {
		close(ending)
		<-gone // else it might take a signal that comes after this
		cancel(errors.New("done"))
	}
}
