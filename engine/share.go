package engine

import (
	"sync"

	"ooc/kernels"
)

// Shared lets several solves use one device at the same time, each in a part of its memory. What a plan reckons with
// is measured once for all of them.
type Shared struct {
	device kernels.Device

	mu    sync.Mutex
	rates map[kernels.Variant]Rates // measured; guarded by mu
}

// Share measures a device, which stays the caller's to close.
func Share(d kernels.Device) (*Shared, error) {
	s := &Shared{device: d, rates: map[kernels.Variant]Rates{}}
	for _, v := range []kernels.Variant{kernels.I32, kernels.F32} { // others are rare: when they are asked for
		if _, err := s.measured(v); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Part is the device with a limit of its own on its memory, in bytes; 0 for all of it. Its Close does nothing.
func (s *Shared) Part(memory int64) kernels.Device { return part{s.device, s, memory} }

func (s *Shared) measured(v kernels.Variant) (Rates, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.rates[v]; ok {
		return r, nil
	}
	r, err := measureRates(s.device, v)
	if err == nil {
		s.rates[v] = r
	}
	return r, err
}

// part is a part of a device.
type part struct {
	kernels.Device
	shared *Shared
	memory int64
}

// measured is what a device has whose rates are known.
type measured interface {
	measured(v kernels.Variant) (Rates, error)
}

func (p part) measured(v kernels.Variant) (Rates, error) { return p.shared.measured(v) }

// Unwrap gives the device, for kernels.As.
func (p part) Unwrap() kernels.Device { return p.Device }

// Info gives the part's memory as the device's.
func (p part) Info() kernels.Info {
	info := p.Device.Info()
	if p.memory > 0 {
		info.Memory = min(info.Memory, p.memory)
	}
	return info
}

// Close leaves the device to those who share it.
func (p part) Close() error { return nil }
