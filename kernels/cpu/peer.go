package cpu

import (
	"errors"
	"fmt"

	"ooc/kernels"
)

// Reaches implements kernels.PeerOps: processors share their memory.
func (d *Device) Reaches(b kernels.Buffer) bool {
	from, ok := kernels.Bare(b).(*buffer)
	return ok && from != nil
}

// CopyPeer implements kernels.PeerOps.
func (d *Device) CopyPeer(s kernels.Stream, dst, src kernels.Tile, bytes int64) error {
	to, err := d.resolve(dst, bytes)
	if !d.Reaches(src.Buf) {
		err = errors.Join(err, errors.New("the source is in no buffer of a processor"))
	}
	if err != nil {
		return fmt.Errorf("cpu: copy from a device: %w", err)
	}
	from, err := kernels.Bare(src.Buf).(*buffer).At.device.resolve(src, bytes)
	if err != nil {
		return fmt.Errorf("cpu: copy from a device: %w", err)
	}
	return d.enqueueOn(s, func() { copy(to, from) })
}
