package disk

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"syscall"

	"ooc/tiles/class"
)

var (
	// ErrNoSpace: the volume or a quota is full, or a file may not grow that
	// far (ENOSPC, EDQUOT, EFBIG).
	ErrNoSpace = class.New(class.NoSpace, "no space")
	// ErrCorrupt: a file is damaged, or is not what its writer made.
	ErrCorrupt = class.New(class.Corrupt, "store is corrupt")
)

// Corrupt builds an ErrCorrupt that names the file and the reason.
func Corrupt(file, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", file, ErrCorrupt, fmt.Sprintf(format, args...))
}

// Classify adds the kind to an error of the operating system: running out of
// space in any of its forms.
func Classify(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNoSpace), errors.Is(err, ErrCorrupt):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT),
		errors.Is(err, syscall.EFBIG), isDiskFull(err):
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}

// ReadError is Classify for reads of a file: one that ends early, or has a
// sector that cannot be read, is damaged.
func ReadError(file string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return Corrupt(file, "the file ends early")
	}
	if errors.Is(err, syscall.EIO) {
		return fmt.Errorf("%s: %w: the medium cannot be read: %w", file, ErrCorrupt, err)
	}
	return fmt.Errorf("%s: %w", file, Classify(err))
}

// BitsOff counts the bits in which b does not begin as want does. A few are damage of a file that is ours; where
// there are many, it is another program's.
func BitsOff(b, want []byte) (n int) {
	for i, x := range want {
		if i < len(b) {
			n += bits.OnesCount8(b[i] ^ x)
		} else {
			n += 8
		}
	}
	return n
}
