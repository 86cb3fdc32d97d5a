package class

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// TestOf wants the class of what an error wraps, and the first of several whatever wraps what.
func TestOf(t *testing.T) {
	usage, space, stopped := New(Usage, "a"), New(NoSpace, "b"), New(Interrupted, "c")
	_, missing := os.Open("missing")
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("none"), Failed},
		{usage, Usage},
		{fmt.Errorf("d: %w", usage), Usage},
		{fmt.Errorf("d: %w", errors.Join(usage, fmt.Errorf("e: %w", space))), NoSpace},
		{errors.Join(space, stopped), Interrupted},
		{missing, Input},
		{fmt.Errorf("%w: %w", usage, fs.ErrNotExist), Usage},
		{&os.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}, NoSpace},
		{fmt.Errorf("%w: %w", usage, syscall.EDQUOT), NoSpace},
	} {
		if got := Of(c.err); got != c.want {
			t.Errorf("%v is of class %d, not %d", c.err, got, c.want)
		}
	}
}
