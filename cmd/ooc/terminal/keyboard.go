package terminal

import "sync/atomic"

// Keys are called at what happens at a keyboard, from one goroutine.
type Keys struct {
	Typed func(keys []byte)
	// Suspended calls stop, which stops the process and returns when it is continued. Meanwhile the terminal belongs to
	// another program.
	Suspended func(stop func())
}

// restoreTerminal puts the terminal back, whichever goroutine ends the process; nil: it is as it was.
var restoreTerminal atomic.Pointer[func()]

// leaving puts the cursor below what is drawn; nil: nothing is.
var leaving atomic.Pointer[func()]

// onLeaving sets what Restore calls first, which is to put the cursor below what is drawn.
func onLeaving(leave func()) { leaving.Store(&leave) }

// Restore puts the terminal back as it was before a keyboard was opened and anything was drawn. Any goroutine that
// ends the process may call it.
func Restore() {
	if leave := leaving.Load(); leave != nil {
		(*leave)()
	}
	if back := restoreTerminal.Load(); back != nil {
		(*back)()
	}
}

// InterruptKey leads from a context to a function that does what Ctrl-C does, until the command returns.
type InterruptKey struct{}
