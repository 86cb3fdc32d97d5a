package cuda

import (
	"ooc/kernels"
)

// peerBuffer returns the buffer of any GPU behind b; nil: it is none of CUDA.
func peerBuffer(b kernels.Buffer) *buffer {
	own, _ := kernels.Bare(b).(*buffer)
	return own
}

// Reaches implements kernels.PeerOps.
func (d *Device) Reaches(b kernels.Buffer) bool {
	from := peerBuffer(b)
	if from == nil || from.At.device.context == d.context {
		return from != nil
	}
	peer := from.At.device
	if can, r := d.driver.canAccessPeer(d.ordinal, peer.ordinal); r != success || !can {
		return false
	}
	open := false
	err := d.call("cuCtxEnablePeerAccess", func() Result {
		r := d.driver.enablePeerAccess(peer.context)
		open = r == success || r == peerAccessEnabled
		return success // where there is no way, tiles take another
	})
	return err == nil && open
}

// CopyPeer implements kernels.PeerOps.
func (d *Device) CopyPeer(on kernels.Stream, dst, src kernels.Tile, bytes int64) error {
	c, from := d.on(on, forAll), peerBuffer(src.Buf)
	c.Want(from != nil, "the source is in no buffer of a GPU")
	to := c.bytes("result", dst, bytes)
	if c.Err == nil {
		c.device = from.At.device
		at := c.bytes("source", src, bytes)
		if c.Err == nil {
			c.Err = d.call("cuMemcpyPeerAsync", func() Result {
				return d.driver.copyPeer(to, d.context, at, c.device.context, bytes, c.stream.handle)
			})
		}
	}
	return c.end("copy from a GPU")
}
