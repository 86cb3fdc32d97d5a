//go:build unix

package show

import (
	"os"
	"syscall"
)

// statusSignals ask for the status.
var statusSignals = []os.Signal{syscall.SIGUSR1}
