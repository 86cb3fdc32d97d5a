package device

import (
	"errors"
	"fmt"
	"slices"

	"ooc/kernels"
)

// several are devices that share the rounds of a solve. As one device they are the first of them, which does whatever
// the others take no part in.
type several struct {
	kernels.Device
	all []kernels.Device
}

// Several returns a device that stands for all in a list, and closes them.
func Several(all []kernels.Device) kernels.Device {
	if len(all) == 1 {
		return all[0]
	}
	return &several{all[0], all}
}

// Unwrap gives the first device, for kernels.As.
func (s *several) Unwrap() kernels.Device { return s.Device }

// Info is that of the first device, with the least memory of all, and with their number.
func (s *several) Info() kernels.Info {
	info := s.Device.Info()
	info.Model = fmt.Sprintf("%d × %s", len(s.all), info.Model)
	info.Devices = len(s.all)
	for _, d := range s.all {
		info.Memory = min(info.Memory, d.Info().Memory)
	}
	return info
}

func (s *several) Close() error {
	var err error
	for _, d := range s.all {
		err = errors.Join(err, d.Close())
	}
	return err
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

// ranked is the device of one of several processes that share the rounds of a solve. It tells plans of the others.
type ranked struct {
	kernels.Device
	of     int
	memory int64
}

// Ranked returns a device that stands for as many, of which other processes have the others. memory is the least of
// any.
func Ranked(d kernels.Device, of int, memory int64) kernels.Device { return &ranked{d, of, memory} }

// Unwrap gives the device of this process, for kernels.As.
func (r *ranked) Unwrap() kernels.Device { return r.Device }

// Info is that of the device, with the number and the least memory of all.
func (r *ranked) Info() kernels.Info {
	info := r.Device.Info()
	info.Model = fmt.Sprintf("%d × %s", r.of, info.Model)
	info.Devices, info.Memory = r.of, r.memory
	return info
}
