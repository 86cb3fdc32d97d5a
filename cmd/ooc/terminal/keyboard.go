package terminal

import "sync/atomic"

// Keys takes what happens at a keyboard. Its methods are called from one goroutine.
type Keys interface {
	// Typed takes keys.
	Typed(keys []byte)
	// Suspended calls stop, which returns when the process was stopped and is continued. The terminal is then another
	// program's until it does.
	Suspended(stop func())
}

// restoreTerminal puts the terminal back, whatever goroutine ends the process; nil: it is as it was.
var restoreTerminal atomic.Pointer[func()]

// Restore puts the terminal back as it was before a keyboard was opened. Any goroutine may call it that ends the process.
func Restore() {
	if back := restoreTerminal.Load(); back != nil {
		(*back)()
	}
}
