package cpu

import (
	"ooc/kernels"
)

// Reaches implements kernels.PeerOps: processors share their memory.
func (d *Device) Reaches(b kernels.Buffer) bool {
	from, ok := kernels.Bare(b).(*buffer)
	return ok && from != nil
}

// CopyPeer implements kernels.PeerOps.
func (d *Device) CopyPeer(s kernels.Stream, dst, src kernels.Tile, bytes int64) error {
	c := d.on(s)
	to := c.bytes("result", dst, bytes)
	if c.Want(d.Reaches(src.Buf), "the source is in no buffer of a processor"); c.Err == nil {
		c.device = kernels.Bare(src.Buf).(*buffer).At.device
	}
	from := c.bytes("source", src, bytes)
	return c.run("copy from a device", func() { copy(to, from) })
}
