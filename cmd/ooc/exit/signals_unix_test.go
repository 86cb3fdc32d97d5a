//go:build unix

package exit

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"ooc/engine/task"
)

// TestSameSignalTwice sends a signal twice, as timeout(1) does: to the process, and to its group. The second one must
// not end the process before the solve has taken its checkpoint. (It would end this test, with exit code 130.)
func TestSameSignalTwice(t *testing.T) {
	defer CanResume(func() string { return "" })()
	Graceful.Store(true)
	defer Graceful.Store(false)
	ctx, stop := interruptible(time.Hour) // however slow this machine is
	defer signal.Reset(syscall.SIGTERM)
	came := make(chan os.Signal, 2)
	signal.Notify(came, syscall.SIGTERM)
	defer signal.Stop(came)
	for range 2 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		<-came
	}
	time.Sleep(20 * time.Millisecond) // in which the other would end the process
	stop()
	if cause := context.Cause(ctx); !errors.Is(cause, task.ErrInterrupted) {
		t.Errorf("%v, want %v", cause, task.ErrInterrupted)
	}
}

// TestSignalsOfTheLastInstant sends signals to a process that is about to end with a code of its own. (They would
// kill this test.)
func TestSignalsOfTheLastInstant(t *testing.T) {
	_, stop := interruptible(0)
	defer signal.Reset(os.Interrupt, syscall.SIGTERM)
	stop()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(20 * time.Millisecond) // in which they would have come
}
