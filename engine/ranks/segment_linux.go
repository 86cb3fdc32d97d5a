package ranks

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// create makes the memory of a segment, all of which is taken at once, and says where it is; nil: the system has
// none. It has no name that a kill would leave behind.
func create(o *offer) *shared {
	fd, err := unix.MemfdCreate("ooc-ranks", unix.MFD_CLOEXEC)
	if err != nil {
		return nil
	}
	if err = reserve(fd, o.size()); err == nil {
		if memory, err := unix.Mmap(fd, 0, int(o.size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
			o.Process, o.Descriptor = os.Getpid(), fd
			return &shared{memory, o.Slots, o.Bytes}
		}
	}
	_ = unix.Close(fd) // there is nothing in it
	return nil
}

// reserve takes memory step by step: a signal has the system undo a call that it interrupts.
func reserve(fd int, size int64) error {
	const step = 32 << 20
	for at := int64(0); at < size; at += step {
		err := unix.EINTR
		for err == unix.EINTR {
			err, _ = unix.Fallocate(fd, 0, at, min(step, size-at)).(unix.Errno)
		}
		if err != 0 {
			return err
		}
	}
	return nil
}

// unname has nobody map a segment any more that this process has made.
func unname(o offer) { _ = unix.Close(o.Descriptor) } // it is open

// attach maps another process's segment; nil: it is on another host, or out of reach.
func attach(o offer) *shared {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", o.Process, o.Descriptor), os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != o.size() || o.size() < segmentHead {
		return nil
	}
	memory, err := unix.Mmap(int(f.Fd()), 0, int(o.size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	if !bytes.Equal(memory[:nonceBytes], o.Nonce[:]) { // on another host, where another process has this number
		detach(memory)
		return nil
	}
	return &shared{memory, o.Slots, o.Bytes}
}

func detach(memory []byte) { _ = unix.Munmap(memory) } // it was mapped
