package cuda

import (
	"errors"

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
	s, err := d.ownStream(on, 0)
	from := peerBuffer(src.Buf)
	if err == nil && from == nil {
		err = errors.New("the source is in no buffer of a GPU")
	}
	r := &resolver{device: d, err: err}
	to := r.bytes("result", dst, bytes)
	if r.err == nil {
		r.device = from.At.device
		at := r.bytes("source", src, bytes)
		if r.err == nil {
			r.err = d.call("cuMemcpyPeerAsync", func() Result {
				return d.driver.copyPeer(to, d.context, at, r.device.context, bytes, s.handle)
			})
		}
	}
	return in("copy from a GPU", r.err)
}
