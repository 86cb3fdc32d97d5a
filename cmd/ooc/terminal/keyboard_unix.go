//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keyboard reads keys one by one from the terminal fd, without their echo. Signals of the terminal (Ctrl-C, Ctrl-Z)
// stay what they are, and so does all output.
type keyboard struct {
	fd         int
	keys       Keys
	quit, gone chan struct{}
	stops      chan os.Signal // Ctrl-Z
	ends       chan os.Signal // what would end the process with the terminal as we set it

	mu     sync.Mutex
	before *unix.Termios // the terminal's modes; nil: they are as they were. Guarded by mu
}

// keyWait is how long the terminal waits for a key before a read ends without one, in tenths of a second.
const keyWait = 1

func takesEscapes(*os.File) bool { return true }

// OpenKeyboard begins to read keys, until stop is called, which puts the terminal back as it was. It fails where the
// terminal has no such modes.
func OpenKeyboard(fd int, keys Keys) (stop func(), err error) {
	if _, err := unix.IoctlGetTermios(fd, getTermios); err != nil {
		return nil, err
	}
	k := &keyboard{fd: fd, keys: keys, quit: make(chan struct{}), gone: make(chan struct{}),
		stops: make(chan os.Signal, 1), ends: make(chan os.Signal, 1)}
	signal.Notify(k.stops, syscall.SIGTSTP)
	signal.Notify(k.ends, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(k.ends, syscall.SIGHUP)
	}
	restore := k.restore
	restoreTerminal.Store(&restore)
	go k.run()
	return k.close, nil
}

// close puts the terminal back as it was.
func (k *keyboard) close() {
	signal.Stop(k.stops)
	signal.Stop(k.ends)
	close(k.quit)
	<-k.gone
	k.restore()
	restoreTerminal.Store(nil)
}

func (k *keyboard) run() {
	defer close(k.gone)
	buf := make([]byte, 16)
	for {
		select {
		case <-k.quit:
			return
		case <-k.stops:
			k.suspend()
		case s := <-k.ends:
			Restore()
			signal.Reset(s)
			_ = syscall.Kill(os.Getpid(), s.(syscall.Signal))
			return // the signal may take a moment, in which nobody shall touch the terminal
		default:
		}
		n := 0
		if k.take() {
			n, _ = unix.Read(k.fd, buf)
		}
		if n > 0 {
			k.keys.Typed(buf[:n])
			continue
		}
		// In the background, where reading would stop the process, or at the end of input.
		select {
		case <-k.quit:
			return
		case <-time.After(keyWait * time.Second / 10):
		}
	}
}

// take sets the terminal's modes if they are not set, and reports whether we may read: not in the background.
func (k *keyboard) take() bool {
	group, err := unix.IoctlGetInt(k.fd, unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return false
	}
	now, err := unix.IoctlGetTermios(k.fd, getTermios)
	if err != nil {
		return false
	}
	if now.Lflag&(unix.ICANON|unix.ECHO) == 0 {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	before := *now
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 0, keyWait
	if unix.IoctlSetTermios(k.fd, setTermios, now) != nil {
		return false
	}
	k.before = &before
	return true
}

// restore puts the terminal's modes back.
func (k *keyboard) restore() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.before != nil {
		_ = unix.IoctlSetTermios(k.fd, setTermios, k.before) // a terminal that is gone needs none
		k.before = nil
	}
}

// suspend stops the process, as Ctrl-Z would have, until it is continued.
func (k *keyboard) suspend() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	k.restore()
	k.keys.Suspended(func() {
		if syscall.Kill(os.Getpid(), syscall.SIGSTOP) == nil {
			<-continued // the stop may come a moment after the call
		}
	})
}
