package cuda

import (
	"errors"
	"fmt"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// ownStream returns a stream of this device that can take an operation of a variant.
func (d *Device) ownStream(s kernels.Stream, v entry.Variant) (*stream, error) {
	own, ok := s.(*stream)
	if !ok || own == nil || own.device != d {
		return nil, errors.New("not a stream of this device")
	}
	if v >= entry.VariantCount {
		return nil, fmt.Errorf("no variant %d", v)
	}
	return own, own.alive()
}

func oneIf(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// resolver turns tiles into addresses and keeps the first error.
type resolver struct {
	device *Device
	err    error
}

// bytes resolves a tile of so many bytes.
func (r *resolver) bytes(what string, t kernels.Tile, n int64) address {
	if r.err != nil {
		return 0
	}
	at, err := r.device.resolve(t, n)
	if err != nil {
		r.err = fmt.Errorf("%s: %w", what, err)
	}
	return at
}

// vector resolves one of n words.
func (r *resolver) vector(what string, t kernels.Tile, n int) address {
	return r.bytes(what, t, 4*int64(n))
}

// aligned resolves one of n bytes that a kernel loads several of at a time.
func (r *resolver) aligned(what string, t kernels.Tile, n int64) address {
	at := r.bytes(what, t, n)
	if r.err == nil && at%vector != 0 {
		r.err = fmt.Errorf("%s: at offset %d: want a multiple of %d", what, t.Off, vector)
	}
	return at
}

// toEnd resolves one whose length only its content tells; it may be empty, and then nowhere.
func (r *resolver) toEnd(what string, t kernels.Tile) address {
	if t.Buf == nil {
		return 0
	}
	return r.bytes(what, t, 0)
}

// in says what an error ended, if there is one.
func in(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cuda: %s: %w", what, err)
}
