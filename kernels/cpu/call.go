package cpu

import (
	"fmt"

	"ooc/kernels"
	"ooc/kernels/internal/ledger"
)

// call is an operation on a stream. It resolves tiles and keeps the first error.
type call struct {
	ledger.Check
	device *Device // of the tiles
	stream *stream
}

// on begins an operation on a stream of this device.
func (d *Device) on(s kernels.Stream) *call {
	own, ok := s.(*stream)
	c := &call{device: d, stream: own}
	c.Want(ok && own != nil && own.device == d, "not a stream of this device")
	return c
}

// bytes resolves a tile of so many bytes.
func (c *call) bytes(what string, t kernels.Tile, n int64) []byte {
	if c.Err != nil {
		return nil
	}
	b, err := c.device.resolve(t, n)
	if err != nil {
		c.Err = fmt.Errorf("%s: %w", what, err)
	}
	return b
}

// vector views n entries of 4 bytes from a tile on.
func vector[E number](c *call, what string, t kernels.Tile, n int) []E {
	b := c.bytes(what, t, 4*int64(n))
	if len(b) == 0 {
		return nil
	}
	return entries[E](&b[0], n)
}

// toEnd views a buffer from a tile on to its end.
func toEnd[E number](c *call, what string, t kernels.Tile) []E {
	if t.Buf == nil {
		return nil
	}
	return vector[E](c, what, t, int(t.Buf.Bytes()-t.Off)/4)
}

// run enqueues the work, and returns the error of the operation.
func (c *call) run(what string, work func()) error {
	if c.Err == nil {
		c.Err = c.stream.enqueue(work)
	}
	if c.Err != nil {
		return fmt.Errorf("cpu: %s: %w", what, c.Err)
	}
	return nil
}
