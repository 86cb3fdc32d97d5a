package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// statusSignals ask for the status: there are none.
var statusSignals []os.Signal

// keyboard reads keys one by one from a console, without their echo. Ctrl-C stays what it is.
type keyboard struct {
	console windows.Handle
	before  uint32 // its mode
}

func openKeyboard(fd int, d *display) (*keyboard, error) {
	k := &keyboard{console: windows.Handle(fd)}
	if err := windows.GetConsoleMode(k.console, &k.before); err != nil {
		return nil, err
	}
	if err := windows.SetConsoleMode(k.console, k.before&^(windows.ENABLE_LINE_INPUT|windows.ENABLE_ECHO_INPUT)); err != nil {
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
				d.steering.typed(buf[:n])
			}
		}
	}()
	return k, nil
}

func (k *keyboard) close() {
	restoreTerminal.Store(nil)
	_ = windows.SetConsoleMode(k.console, k.before) // a console that is gone needs none
}
