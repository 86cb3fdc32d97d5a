package plan

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// levelSample is what a device's levels are timed with: rows with arcs to other rows, more of them than the device's
// caches hold.
type levelSample struct{ rows, lanes, arcs int }

func levelSampleOf(info kernels.Info) levelSample {
	if info.SharedCores {
		return levelSample{64, 64, 4}
	}
	return levelSample{8192, BatchLanes, 8}
}

// BatchLanes is the number of lanes of a batch of an expansion on a device, if there is room: some thousand, so that
// the time to launch its levels is small in comparison.
const BatchLanes = 2048

// defaultLevels is the rate for a device without room for the sample. It is good only for comparing plans.
const defaultLevels = 300e9

// MeasureLevels times levels on a device with kernels.LaneOps, for n vertices; 0: any number. For other devices,
// Levels stays 0.
func (r *Rates) MeasureLevels(d kernels.Device, v entry.Variant, n int) (err error) {
	r.Levels, err = device.Once(d, fmt.Sprint("levels ", v, longFor(n)), func(d kernels.Device) (float64, error) {
		var r Rates
		err := r.timeLevels(d, v, n)
		return r.Levels, err
	})
	return err
}

func (r *Rates) timeLevels(d kernels.Device, v entry.Variant, n int) (err error) {
	can, ok := kernels.As[kernels.LaneOps](d)
	if !ok {
		return nil
	}
	o := levelSampleOf(d.Info())
	offsets, ends, weights := o.make(v.WeightBytes() / entry.WordBytes)
	lanes := 2 * int64(o.rows) * int64(o.lanes) * int64(v.Bytes())
	arcs := int64(entry.WordBytes * (len(offsets) + len(ends) + len(weights)))
	r.Levels = defaultLevels
	if lanes+2*arcs > d.Info().Memory-d.Info().Scratch {
		return nil
	}
	return Scratch(d, lanes+arcs+64, func(_ *device.Held, buf kernels.Buffer, s kernels.Stream) (err error) {
		l := kernels.Level{Lanes: kernels.Tile{Buf: buf}, Width: o.lanes, Fresh: true,
			Ranges: []kernels.LevelRange{{Lo: int32(o.rows), Hi: int32(2 * o.rows), Degree: int32(o.arcs)}}}
		at := lanes
		for _, a := range []struct {
			to   *kernels.Tile
			data []int32
			// those of even length first: all are aligned
		}{{&l.Ends, ends}, {&l.Weights, weights}, {&l.Offsets, offsets}} {
			*a.to = kernels.Tile{Buf: buf, Off: at}
			data := entry.Bytes(a.data)
			if err := errors.Join(s.CopyIn(*a.to, data), s.Sync()); err != nil {
				return err
			}
			at += int64(len(data))
		}
		work := float64(o.rows) * float64(o.lanes) * float64(o.arcs+1)
		level := func() error { return can.Level(s, v, l) }
		if err = errors.Join(level(), s.Sync()); err == nil { // a driver may have to compile it first
			r.Levels, err = Rate(n, s.Sync, work, level)
		}
		return err
	})
}

// make draws the arcs, whose weights have some words each. The first half of the rows has none.
func (o levelSample) make(words int) (offsets, ends, weights []int32) {
	r := rand.New(rand.NewPCG(1, 2))
	offsets = make([]int32, 2*o.rows+1)
	for i := range o.rows {
		for range o.arcs {
			ends = append(ends, r.Int32N(int32(o.rows)))
		}
		offsets[o.rows+i+1] = int32(len(ends))
	}
	weights = make([]int32, len(ends)*words)
	entry.Fill(weights, 1)
	return offsets, ends, weights
}
