package engine

import (
	"fmt"
	"math"
	"unsafe"

	"ooc/kernels"
)

// trackingDevice is a device whose streams keep predecessors: tiles on it, and on their way there, are of pairs.
type trackingDevice struct {
	kernels.Device
	tracker kernels.Tracker
}

func (d trackingDevice) NewStream() (kernels.Stream, error) { return d.tracker.NewTrackingStream() }

// Unwrap gives the device, for kernels.As.
func (d trackingDevice) Unwrap() kernels.Device { return d.Device }

// Ceiling implements kernels.Ceiler: the device's is that of products without predecessors, and not known of these.
func (d trackingDevice) Ceiling(kernels.Variant) float64 { return 0 }

// tracking returns what keeps predecessors on a device. It fails with ErrNoDevice where the device cannot.
func tracking(d kernels.Device) (kernels.Device, error) {
	if _, already := d.(trackingDevice); already {
		return d, nil
	}
	t, ok := kernels.As[kernels.Tracker](d)
	if !ok {
		return nil, fmt.Errorf("%w: %s keeps no predecessors; solve with --device cpu", ErrNoDevice, d.Info().Name)
	}
	return trackingDevice{d, t}, nil
}

// entryBytes is the size of the entries of tiles on a device.
func entryBytes(d kernels.Device) int {
	if _, ok := d.(trackingDevice); ok {
		return kernels.PairBytes
	}
	return kernels.EntryBytes
}

// device returns what the problem is solved on, of a device that was given.
func (p *Problem) device(d kernels.Device) (kernels.Device, error) {
	return (&Limits{Predecessors: p.meta.Predecessors}).device(d)
}

// device returns what limits are for, of a device that was given. It fails where that cannot do what they ask for.
func (l *Limits) device(d kernels.Device) (kernels.Device, error) {
	if err := roundsNamed(l.Algorithm).runsOn(d); err != nil {
		return nil, err
	}
	if !l.Predecessors {
		return d, nil
	}
	return tracking(d)
}

// entryBytes is the size of the entries of a new store.
func (l *Limits) entryBytes() int {
	if l.Predecessors {
		return kernels.PairBytes
	}
	return kernels.EntryBytes
}

// pairWeights fills tiles of pairs: the vertex before j on an arc from i is i.
type pairWeights struct {
	Weights
	noPath uint32
}

// FillTile writes tile (i, j) of edge t into dst, 8·t·t bytes.
func (w pairWeights) FillTile(dst []byte, t, i, j int) error {
	half := dst[len(dst)/2:] // the pairs, written from the front, do not overtake what is read of it
	if err := w.Weights.FillTile(half, t, i, j); err != nil {
		return err
	}
	// An entry is a word whose lower half is the distance, on every platform that there is a release for.
	pairs := unsafe.Slice((*uint64)(unsafe.Pointer(&dst[0])), t*t)
	distances := unsafe.Slice((*uint32)(unsafe.Pointer(&half[0])), t*t)
	for r := range t {
		w.pairRow(pairs[r*t:][:t], distances[r*t:][:t], int32(i*t+r))
	}
	if i == j {
		for k := 0; k < t*t; k += t + 1 {
			pairs[k] |= withoutArcs
		}
	}
	return nil
}

// withoutArcs is tiles.NoPredecessor, -1, in an entry that is a pair.
const withoutArcs = uint64(math.MaxUint32) << 32

// pairRow makes pairs of the distances of a row, which begin at a vertex.
func (w pairWeights) pairRow(pairs []uint64, distances []uint32, vertex int32) {
	before, none := uint64(vertex)<<32, withoutArcs
	pairs = pairs[:len(distances)]
	for k, bits := range distances {
		q := before
		if bits == w.noPath {
			q = none
		}
		pairs[k] = q | uint64(bits)
	}
}
