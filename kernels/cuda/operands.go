package cuda

import (
	"fmt"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// call is an operation on a stream. It turns tiles into addresses and keeps the first error.
type call struct {
	ledger.Check
	device  *Device // of the tiles
	stream  *stream
	variant entry.Variant
}

// on begins an operation of a variant on a stream of this device.
func (d *Device) on(s kernels.Stream, v entry.Variant) *call {
	own, ok := s.(*stream)
	c := &call{device: d, stream: own, variant: v}
	c.Want(ok && own != nil && own.device == d, "not a stream of this device")
	c.Want(v < entry.VariantCount, "no variant %d", v)
	if c.Err == nil {
		c.Err = own.alive()
	}
	return c
}

// onLanes begins one on so many lanes.
func (d *Device) onLanes(s kernels.Stream, v entry.Variant, width int) *call {
	c := d.on(s, v)
	c.Lanes(width)
	return c
}

// launch starts a kernel, unless there is nothing for it to do.
func (c *call) launch(k kernel, blocks int, p param) {
	if c.Err == nil && blocks > 0 {
		c.Err = c.stream.launch(c.variant, k, blocks, p)
	}
}

// end returns the error of the operation.
func (c *call) end(what string) error { return in(what, c.Err) }

// bytes resolves a tile of so many bytes.
func (c *call) bytes(what string, t kernels.Tile, n int64) address {
	if c.Err != nil {
		return 0
	}
	at, err := c.device.resolve(t, n)
	if err != nil {
		c.Err = fmt.Errorf("%s: %w", what, err)
	}
	return at
}

// vector resolves one of n words.
func (c *call) vector(what string, t kernels.Tile, n int) address {
	return c.bytes(what, t, entry.WordBytes*int64(n))
}

// aligned resolves one of n bytes that a kernel loads several of at a time.
func (c *call) aligned(what string, t kernels.Tile, n int64) address {
	at := c.bytes(what, t, n)
	if at%vector != 0 {
		c.Err = fmt.Errorf("%s: at offset %d: want a multiple of %d", what, t.Off, vector)
	}
	return at
}

// toEnd resolves one whose length only its content tells; it may be empty, and then nowhere.
func (c *call) toEnd(what string, t kernels.Tile) address {
	if t.Buf == nil {
		return 0
	}
	return c.bytes(what, t, 0)
}

// in says what an error ended, if there is one.
func in(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cuda: %s: %w", what, err)
}
