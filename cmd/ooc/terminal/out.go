package terminal

import (
	"os"
	"sync"
)

// Out is standard output, and all that is printed there goes through it. It remembers the first write that fails, so that
// whoever prints need not look; a command has failed if Close says so.
var Out = &output{}

type output struct {
	mu  sync.Mutex
	err error // guarded by mu
}

// Write writes, unless a write has failed before.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	var n int
	n, o.err = os.Stdout.Write(p) // whose reader may have gone: that ends the process here
	return n, o.err
}

// Close closes standard output, since there are volumes that say only then what they could not take, and returns the
// first error.
func (o *output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if closing := os.Stdout.Close(); o.err == nil {
		o.err = closing
	}
	return o.err
}
