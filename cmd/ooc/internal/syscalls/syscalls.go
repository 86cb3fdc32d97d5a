//go:build linux && (amd64 || arm64)

package syscalls

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Call is a call of the system that changes a folder, or makes a change of it durable.
type Call struct {
	Name string // of the call: pwrite64, renameat…
	Path string // what it is about, from the folder on; "old → new" where it has two
	Nth  int    // of the calls of that name and path, from 1
}

func (c Call) String() string { return fmt.Sprintf("%s of %s (%d)", c.Name, c.Path, c.Nth) }

// Fate is what becomes of a call.
type Fate struct {
	Kill bool          // the process is killed, and the call not done
	Fail syscall.Errno // if not 0, what the call fails with, without being done
}

// Run starts a command that submits itself, and asks decide for the fate of each call that is about something in the
// folder dir. It returns when the process has ended, with what Wait returned.
func Run(cmd *exec.Cmd, dir string, decide func(Call) Fate) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return err
	}
	defer ours.Close()
	cmd.ExtraFiles = []*os.File{theirs}
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return err
	}
	w := &watcher{dir: dir, decide: decide, kill: cmd.Process.Kill, seen: map[[2]string]int{}}
	err = w.serve(ours)
	if err != nil {
		_ = cmd.Process.Kill() // it may have ended
	}
	return errors.Join(err, cmd.Wait())
}

// watcher decides about the calls of a process.
type watcher struct {
	dir      string
	decide   func(Call) Fate
	kill     func() error
	killed   bool
	listener int
	seen     map[[2]string]int // how often each name and path was
}

// serve decides about calls until the process has ended.
func (w *watcher) serve(ours *os.File) (err error) {
	if w.listener, err = receive(ours); err != nil || w.listener < 0 {
		return err
	}
	defer unix.Close(w.listener)
	for {
		fds := []unix.PollFd{{Fd: int32(w.listener), Events: unix.POLLIN}}
		switch _, err := unix.Poll(fds, -1); {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return os.NewSyscallError("poll", err)
		case fds[0].Revents&unix.POLLIN != 0:
			if err := w.next(); err != nil {
				return err
			}
		case fds[0].Revents != 0: // nobody is left who makes calls
			return nil
		}
	}
}

// next takes a call and answers it. A thread that is gone by now needs no answer.
func (w *watcher) next() error {
	n := &notification{}
	switch err := ioctl(w.listener, unix.SECCOMP_IOCTL_NOTIF_RECV, n); {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EINTR):
		return nil
	case err != nil:
		return os.NewSyscallError("receiving a call", err)
	}
	if w.killed { // a call without an answer is never done
		return nil
	}
	r := &response{id: n.id}
	fate, err := w.fate(n)
	switch {
	case err != nil:
		return err
	case fate.Kill:
		w.killed = true
		return w.kill()
	case fate.Fail != 0:
		r.err = -int32(fate.Fail)
	default:
		r.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	if err := ioctl(w.listener, unix.SECCOMP_IOCTL_NOTIF_SEND, r); err != nil && !errors.Is(err, unix.ENOENT) {
		return os.NewSyscallError("answering a call", err)
	}
	return nil
}

// fate decides about a call. Those that are about nothing in the folder are done.
func (w *watcher) fate(n *notification) (Fate, error) {
	k, ok := watched[int(n.nr)]
	if !ok {
		return Fate{}, fmt.Errorf("call %d was not asked for", n.nr)
	}
	var names []string
	for _, p := range k.paths {
		name, err := w.name(n, p)
		if err != nil { // the thread is gone, or the call will fail by itself
			return Fate{}, nil
		}
		if name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return Fate{}, nil
	}
	c := Call{Name: k.name, Path: strings.Join(names, " → ")}
	w.seen[[2]string{c.Name, c.Path}]++
	c.Nth = w.seen[[2]string{c.Name, c.Path}]
	return w.decide(c), nil
}

// drawn are the parts of names that are drawn at random: they are another each time.
var drawn = regexp.MustCompile(`^(\..+?[.-])[0-9a-z]{6,}(\.tmp)?$`)

// name is what a call is about, from the folder on, "" where that is elsewhere.
func (w *watcher) name(n *notification, p path) (string, error) {
	full, err := n.base(p)
	if err == nil && p.text >= 0 {
		var text string
		if text, err = readText(n.pid, n.args[p.text]); filepath.IsAbs(text) {
			full = text
		} else {
			full = filepath.Join(full, text)
		}
	}
	if err != nil {
		return "", err
	}
	name, inside := strings.CutPrefix(filepath.Clean(full), w.dir)
	switch {
	case inside && name == "":
		return ".", nil
	case !inside || name[0] != '/':
		return "", nil
	}
	return filepath.Join(filepath.Dir(name), drawn.ReplaceAllString(filepath.Base(name), "${1}*$2"))[1:], nil
}

// base is the file of a descriptor or of a mapping, or the folder that a text begins from.
func (n *notification) base(p path) (string, error) {
	link := "cwd"
	switch {
	case p.fd < 0 && p.text < 0:
		return mapped(n.pid, n.args[0])
	case p.fd >= 0 && int32(n.args[p.fd]) != unix.AT_FDCWD:
		link = fmt.Sprintf("fd/%d", int32(n.args[p.fd]))
	}
	full, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", n.pid, link))
	return strings.TrimSuffix(full, " (deleted)"), err
}

// mapped is the file that is mapped at an address.
func mapped(pid uint32, at uint64) (string, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	for line := range strings.Lines(string(b)) {
		var from, to, offset, inode uint64
		var modes, device, file string
		if _, err := fmt.Sscanf(line, "%x-%x %s %x %s %d %s", &from, &to, &modes, &offset, &device, &inode, &file); err == nil && from <= at && at < to {
			return file, nil
		}
	}
	return "", err
}

// readText reads a path from the memory of a process.
func readText(pid uint32, at uint64) (string, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return "", err
	}
	defer f.Close()
	b := make([]byte, unix.PathMax)
	n, err := f.ReadAt(b, int64(at)) // short at the end of what is mapped
	text, _, ended := strings.Cut(string(b[:n]), "\x00")
	if !ended {
		return "", errors.Join(errors.New("a path without end"), err)
	}
	return text, nil
}
