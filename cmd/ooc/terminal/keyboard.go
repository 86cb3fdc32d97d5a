package terminal

import "sync/atomic"

// Keys receives what happens at a keyboard. Its methods are called from one goroutine.
type Keys interface {
	// Typed receives keys.
	Typed(keys []byte)
	// Suspended calls stop, which stops the process and returns when it is continued. Meanwhile the terminal belongs to
	// another program.
	Suspended(stop func())
}

// restoreTerminal puts the terminal back, whichever goroutine ends the process; nil: it is as it was.
var restoreTerminal atomic.Pointer[func()]

// Restore puts the terminal back as it was before a keyboard was opened. Any goroutine that ends the process may call it.
func Restore() {
	if back := restoreTerminal.Load(); back != nil {
		(*back)()
	}
}
