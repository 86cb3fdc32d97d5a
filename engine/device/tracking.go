package device

import (
	"fmt"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// trackingDevice is a device whose streams keep predecessors: its tiles hold pairs of distance and predecessor.
type trackingDevice struct {
	kernels.Device
	kernels.TileOps
}

// NewStream gives a stream that keeps predecessors.
func (d trackingDevice) NewStream() (kernels.Stream, error) { return d.NewTrackingStream() }

// Unwrap gives the device, for kernels.As.
func (d trackingDevice) Unwrap() kernels.Device { return d.Device }

// Ceiling returns 0: the device's ceiling is that of products without predecessors, which are cheaper.
func (d trackingDevice) Ceiling(entry.Variant) float64 { return 0 }

// Tracking returns the device as one that keeps predecessors. It fails with ErrUnknown if the device cannot.
func Tracking(d kernels.Device) (kernels.Device, error) {
	if Tracks(d) {
		return d, nil
	}
	t, ok := kernels.As[kernels.TileOps](d)
	if !ok {
		return nil, fmt.Errorf("%w: %s keeps no predecessors; solve with --device cpu", ErrUnknown, d.Info().Name)
	}
	return trackingDevice{d, t}, nil
}

// Tracks reports whether a device's streams keep predecessors.
func Tracks(d kernels.Device) bool {
	_, tracks := kernels.As[trackingDevice](d)
	return tracks
}

// EntryBytes is the size of the entries of tiles on a device.
func EntryBytes(d kernels.Device, v entry.Variant) int {
	if Tracks(d) {
		return v.Kind().PairBytes()
	}
	return v.Bytes()
}
