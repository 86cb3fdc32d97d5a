package rowtiles

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"ooc/engine/device"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/kernels"
	"ooc/kernels/entry"
)

const (
	deviceRows  = 1024 // that a device finds at a time for a goroutine
	deviceHands = 8    // goroutines: more would only wait for each other at the file
)

// faster reports whether devices are, by how many seconds they take and the processor does. Tests set it.
var faster = func(devices, processor float64) bool { return devices < processor }

// asks reports whether devices are asked to search: they are faster than the processor, which takes so many seconds.
func (w *Writer) asks(ready rows.Ready, seconds float64) bool {
	return w.Run.Left() > 0 && faster(searches.DeviceSeconds(ready, w.Geometry.RowCount(), w.Device), seconds)
}

// onDevices lets devices search, if they are asked to.
func (w *Writer) onDevices(ready rows.Ready, seconds float64) ([]*searches.OnDevice, error) {
	g, devices := w.Geometry, device.Each(w.Device)
	if !w.asks(ready, seconds) {
		return nil, nil
	}
	hands := min(deviceHands, runtime.GOMAXPROCS(0), w.Run.Left())
	all := make([]*searches.OnDevice, len(devices))
	var opening errgroup.Group
	for i, d := range devices {
		opening.Go(func() (err error) {
			rows := min(deviceRows, w.Run.Left()*g.T)
			all[i], err = searches.NewOnDevice(ready, d, entry.CeilDiv(hands, len(devices)), rows, g.T)
			if errors.Is(err, kernels.ErrNoMemory) {
				return nil // fewer devices do, or the processor
			}
			return err
		})
	}
	err := opening.Wait()
	var open []*searches.OnDevice
	for _, x := range all {
		if x != nil {
			open = append(open, x)
		}
	}
	if err != nil {
		err = fmt.Errorf("searches on %s: %w", w.Device.Info().Name, err)
	}
	return open, err
}
