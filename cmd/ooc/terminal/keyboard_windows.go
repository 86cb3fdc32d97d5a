package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// Keyboard reads keys one by one from a console, without their echo. Ctrl-C stays what it is.
type Keyboard struct {
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

// OpenKeyboard begins to read keys. It fails where the terminal has no such modes.
func OpenKeyboard(fd int, keys Keys) (*Keyboard, error) {
	k := &Keyboard{console: windows.Handle(fd)}
	if err := windows.GetConsoleMode(k.console, &k.before); err != nil {
		return nil, err
	}
	if err := windows.SetConsoleMode(k.console,
		k.before&^(windows.ENABLE_LINE_INPUT|windows.ENABLE_ECHO_INPUT)); err != nil {
		return nil, err
	}
	restore := k.Close
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
	return k, nil
}

// Close puts the console back as it was.
func (k *Keyboard) Close() {
	restoreTerminal.Store(nil)
	_ = windows.SetConsoleMode(k.console, k.before) // a console that is gone needs none
}
