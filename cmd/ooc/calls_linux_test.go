//go:build amd64 || arm64

package main

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

// What follows, here and in submit_linux_test.go, stands between a process and the calls of the system by which it
// changes a folder. It sees each such call of every thread before it is done, one at a time, and lets it be done, has
// it fail with an error, or kills the process there.
//
// The process asks for it itself: it calls submitCalls before it does anything else. From then on the kernel (seccomp,
// with a listener) hands its calls to runWatched in the process that started it. Linux alone has that, from 5.19 on.
//
// What is written through a mapping is no call, and is not seen; the sync that makes it durable is.

// fileCall is a call of the system that changes a folder, or makes a change of it durable.
type fileCall struct {
	Name string // of the call: pwrite64, renameat…
	Path string // what it is about, from the folder on; "old → new" where it has two
	Nth  int    // of the calls of that name and path, from 1
}

func (c fileCall) String() string { return fmt.Sprintf("%s of %s (%d)", c.Name, c.Path, c.Nth) }

// fate is what becomes of a call.
type fate struct {
	Kill bool          // the process is killed, and the call not done
	Fail syscall.Errno // if not 0, what the call fails with, without being done
}

// runWatched starts a command that submits itself, and asks decide for the fate of each call that is about something in
// the folder dir. It returns when the process has ended, with what Wait returned.
func runWatched(cmd *exec.Cmd, dir string, decide func(fileCall) fate) error {
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
	decide   func(fileCall) fate
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
	f, err := w.fate(n)
	switch {
	case err != nil:
		return err
	case f.Kill:
		w.killed = true
		return w.kill()
	case f.Fail != 0:
		r.err = -int32(f.Fail)
	default:
		r.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	if err := ioctl(w.listener, unix.SECCOMP_IOCTL_NOTIF_SEND, r); err != nil && !errors.Is(err, unix.ENOENT) {
		return os.NewSyscallError("answering a call", err)
	}
	return nil
}

// fate decides about a call. Those that are about nothing in the folder are done.
func (w *watcher) fate(n *notification) (fate, error) {
	k, ok := watched[int(n.nr)]
	if !ok {
		return fate{}, fmt.Errorf("call %d was not asked for", n.nr)
	}
	var names []string
	for _, p := range k.paths {
		name, err := w.name(n, p)
		if err != nil { // the thread is gone, or the call will fail by itself
			return fate{}, nil
		}
		if name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return fate{}, nil
	}
	c := fileCall{Name: k.name, Path: strings.Join(names, " → ")}
	w.seen[[2]string{c.Name, c.Path}]++
	c.Nth = w.seen[[2]string{c.Name, c.Path}]
	return w.decide(c), nil
}

// drawn are the parts of names that are drawn at random: they are another each time.
var drawn = regexp.MustCompile(`^(\..+?[.-])[0-9a-z]{6,}(\.tmp)?$`)

// name is what a call is about, from the folder on, "" where that is elsewhere.
func (w *watcher) name(n *notification, p callPath) (string, error) {
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
func (n *notification) base(p callPath) (string, error) {
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
		_, err := fmt.Sscanf(line, "%x-%x %s %x %s %d %s", &from, &to, &modes, &offset, &device, &inode, &file)
		if err == nil && from <= at && at < to {
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

// watchedCall is a call that changes files or folders.
type watchedCall struct {
	name  string
	flags int // the argument that has to have O_CREAT or O_TRUNC; -1: none has
	paths []callPath
}

// callPath says where a call names what it is about: an argument that is a descriptor, one that is text, from that
// descriptor on or from the folder that the process works in, or both; -1: none. Without both, the first argument is
// an address in a mapping of it.
type callPath struct{ fd, text int }

// watched are the calls by which files change or become durable.
var watched = map[int]watchedCall{
	unix.SYS_WRITE:           {"write", -1, []callPath{{0, -1}}},
	unix.SYS_WRITEV:          {"writev", -1, []callPath{{0, -1}}},
	unix.SYS_PWRITE64:        {"pwrite64", -1, []callPath{{0, -1}}},
	unix.SYS_PWRITEV:         {"pwritev", -1, []callPath{{0, -1}}},
	unix.SYS_PWRITEV2:        {"pwritev2", -1, []callPath{{0, -1}}},
	unix.SYS_SENDFILE:        {"sendfile", -1, []callPath{{0, -1}}},
	unix.SYS_SPLICE:          {"splice", -1, []callPath{{2, -1}}},
	unix.SYS_COPY_FILE_RANGE: {"copy_file_range", -1, []callPath{{2, -1}}},
	unix.SYS_FTRUNCATE:       {"ftruncate", -1, []callPath{{0, -1}}},
	unix.SYS_TRUNCATE:        {"truncate", -1, []callPath{{-1, 0}}},
	unix.SYS_FALLOCATE:       {"fallocate", -1, []callPath{{0, -1}}},
	unix.SYS_FSYNC:           {"fsync", -1, []callPath{{0, -1}}},
	unix.SYS_FDATASYNC:       {"fdatasync", -1, []callPath{{0, -1}}},
	unix.SYS_MSYNC:           {"msync", -1, []callPath{{-1, -1}}},
	unix.SYS_SYNC_FILE_RANGE: {"sync_file_range", -1, []callPath{{0, -1}}},
	unix.SYS_OPENAT:          {"openat", 2, []callPath{{0, 1}}},
	unix.SYS_MKDIRAT:         {"mkdirat", -1, []callPath{{0, 1}}},
	unix.SYS_MKNODAT:         {"mknodat", -1, []callPath{{0, 1}}},
	unix.SYS_UNLINKAT:        {"unlinkat", -1, []callPath{{0, 1}}},
	unix.SYS_RENAMEAT:        {"renameat", -1, []callPath{{0, 1}, {2, 3}}},
	unix.SYS_RENAMEAT2:       {"renameat2", -1, []callPath{{0, 1}, {2, 3}}},
	unix.SYS_LINKAT:          {"linkat", -1, []callPath{{0, 1}, {2, 3}}},
	unix.SYS_SYMLINKAT:       {"symlinkat", -1, []callPath{{1, 2}}},
	unix.SYS_FCHMOD:          {"fchmod", -1, []callPath{{0, -1}}},
	unix.SYS_FCHMODAT:        {"fchmodat", -1, []callPath{{0, 1}}},
	unix.SYS_FCHOWN:          {"fchown", -1, []callPath{{0, -1}}},
	unix.SYS_FCHOWNAT:        {"fchownat", -1, []callPath{{0, 1}}},
	unix.SYS_UTIMENSAT:       {"utimensat", -1, []callPath{{0, 1}}},
}
