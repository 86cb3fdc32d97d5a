//go:build amd64 || arm64

package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() {
	submit = func() error {
		err := submitCalls()
		if dir := os.Getenv("OOC_TEST_CHANGE"); err == nil && dir != "" {
			changeFolder(dir)
		}
		return err
	}
}

// ours is the number under which a process that runWatched starts finds its end of the socket.
const ours = 3

// submitCalls hands the calls of this process, on all its threads, to the runWatched that started it. It fails with
// errors.ErrUnsupported where the system does not let that be.
func submitCalls() error {
	runtime.LockOSThread() // both calls are about the thread that makes them
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return unsupported("prctl", err)
	}
	program := filter()
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// Once a call was received, only a kill takes its thread out of it: the runtime's signals would have it made, and
	// counted, again.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_TSYNC |
		unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	listener, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return unsupported("seccomp", errno)
	}
	// From here on nothing may change a file before the listener is in good hands: nobody would answer.
	if err := unix.Sendmsg(ours, []byte{0}, unix.UnixRights(int(listener)), nil, 0); err != nil {
		return os.NewSyscallError("sendmsg", err)
	}
	return errors.Join(unix.Close(int(listener)), unix.Close(ours))
}

func unsupported(call string, err error) error {
	return fmt.Errorf("%w: %s: %w", errors.ErrUnsupported, call, err)
}

// filter is the kernel's program: it hands over the calls that are watched, and lets all others be done. A file that is
// opened matters only if that can make it, or cut it.
func filter() []unix.SockFilter {
	const nr, firstArgs = 0, 16 // offsets in struct seccomp_data
	var p []unix.SockFilter
	add := func(code uint16, k uint32, yes, no uint8) {
		p = append(p, unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k})
	}
	add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, nr, 0, 0)
	for number, k := range watched {
		if k.flags < 0 {
			add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, uint32(number), 0, 1)
			add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_USER_NOTIF, 0, 0)
			continue
		}
		add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, uint32(number), 0, 4)
		// The low half: both processors are little endian.
		add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, uint32(firstArgs+8*k.flags), 0, 0)
		add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, unix.O_CREAT|unix.O_TRUNC, 0, 1)
		add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_USER_NOTIF, 0, 0)
		add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW, 0, 0)
	}
	add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW, 0, 0)
	return p
}

// socketPair is what a listener comes through.
func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs"), nil
}

// receive waits for the listener; -1 where the process ended without sending one.
func receive(from *os.File) (int, error) {
	space := make([]byte, unix.CmsgSpace(4))
	for {
		n, oobn, _, _, err := unix.Recvmsg(int(from.Fd()), make([]byte, 1), space, unix.MSG_CMSG_CLOEXEC)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return -1, os.NewSyscallError("recvmsg", err)
		}
		messages, err := unix.ParseSocketControlMessage(space[:oobn])
		if err != nil || len(messages) != 1 {
			return -1, fmt.Errorf("%d control messages: %w", len(messages), err)
		}
		fds, err := unix.ParseUnixRights(&messages[0])
		if err != nil || len(fds) != 1 {
			return -1, fmt.Errorf("%d descriptors: %w", len(fds), err)
		}
		return fds[0], nil
	}
}

// notification and response are struct seccomp_notif and seccomp_notif_resp of linux/seccomp.h.
type notification struct {
	id   uint64
	pid  uint32
	_    uint32 // flags
	nr   int32
	_    uint32 // the architecture
	_    uint64 // the instruction
	args [6]uint64
}

type response struct {
	id    uint64
	_     int64 // what a call that succeeds returns
	err   int32
	flags uint32
}

func ioctl[T any](fd int, request uintptr, arg *T) error {
	if _, _, errno := syscall.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(arg))); errno != 0 {
		return errno
	}
	return nil
}
