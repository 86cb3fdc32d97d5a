package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// keyboard reads keys one by one from a console, without their echo. Ctrl-C stays what it is.
type keyboard struct {
	console windows.Handle
	before  uint32 // its mode
}

// takesEscapes has a console take escapes, which older ones do not.
func takesEscapes(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// OpenKeyboard begins to read keys, until stop is called, which puts the terminal back as it was. It fails where the
// terminal has no such modes.
func OpenKeyboard(fd int, keys Keys) (stop func(), err error) {
	k := &keyboard{console: windows.Handle(fd)}
	if err := windows.GetConsoleMode(k.console, &k.before); err != nil {
		return nil, err
	}
	if err := windows.SetConsoleMode(k.console,
		k.before&^(windows.ENABLE_LINE_INPUT|windows.ENABLE_ECHO_INPUT)); err != nil {
		return nil, err
	}
	restore := k.close
	restoreTerminal.Store(&restore)
	go func() { // ends with the process: a read of a console cannot be called back
		buf := make([]byte, 16)
		for {
			n, err := os.Stdin.Read(buf)
			if err != nil {
				return
			}
			if restoreTerminal.Load() != nil {
				keys.Typed(buf[:n])
			}
		}
	}()
	return k.close, nil
}

// close puts the console back as it was.
func (k *keyboard) close() {
	restoreTerminal.Store(nil)
	_ = windows.SetConsoleMode(k.console, k.before) // a console that is gone needs none
}
