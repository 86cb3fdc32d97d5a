package device

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"ooc/kernels"
)

// several are devices that share the rounds of a solve. As one device they are the first of them, which does whatever
// the others take no part in.
type several struct {
	kernels.Device
	all    []kernels.Device // of this process
	of     int              // of all processes
	memory int64            // the least of any
}

// Several returns a device that stands for all in a list, and closes them.
func Several(all []kernels.Device) kernels.Device {
	if len(all) == 1 {
		return all[0]
	}
	memory := all[0].Info().Memory
	for _, d := range all {
		memory = min(memory, d.Info().Memory)
	}
	return &several{all[0], all, len(all), memory}
}

// Ranked returns a device that stands for as many, of which other processes have the others: plans are told of these.
// memory is the least of any.
func Ranked(d kernels.Device, of int, memory int64) kernels.Device {
	return &several{d, []kernels.Device{d}, of, memory}
}

// Unwrap gives the first device, for kernels.As.
func (s *several) Unwrap() kernels.Device { return s.Device }

// Info is that of the first device, with the number and the least memory of all.
func (s *several) Info() kernels.Info {
	info := s.Device.Info()
	info.Model = fmt.Sprintf("%d × %s", s.of, info.Model)
	info.Devices, info.Memory = s.of, s.memory
	return info
}

// Close closes all at the same time.
func (s *several) Close() error {
	var closing sync.WaitGroup
	errs := make([]error, len(s.all))
	for i, d := range s.all {
		closing.Go(func() { errs[i] = d.Close() })
	}
	closing.Wait()
	return errors.Join(errs...)
}

// Each returns the devices that d stands for, which keep predecessors if d does: d alone if it is one.
func Each(d kernels.Device) []kernels.Device {
	s, ok := kernels.As[*several](d)
	if !ok {
		return []kernels.Device{d}
	}
	list := slices.Clone(s.all)
	for i, one := range list {
		if ops, can := kernels.As[kernels.TileOps](one); can && Tracks(d) {
			list[i] = trackingDevice{one, ops}
		}
	}
	return list
}
