package device

import (
	"fmt"
	"sync"

	"ooc/kernels"
)

// Shared lets several solves use one device at the same time, each in a part of its memory. Rates of the device are
// measured once, for all of them.
type Shared struct {
	On kernels.Device // which stays the caller's to close

	mu    sync.Mutex
	known map[string]any // guarded by mu; nil: nothing is
}

// Part returns the device with a limit on its memory in bytes; 0: none. Its Close does nothing. Host memory from
// AllocHost is not limited: whoever plans the solves divides that.
func (s *Shared) Part(memory int64) kernels.Device {
	return &part{Device: s.On, shared: s, memory: memory}
}

// Once returns the result of measure. For parts of a shared device, also wrapped ones, it measures the whole device
// once and remembers the result under a key.
func Once[T any](d kernels.Device, key string, measure func(d kernels.Device) (T, error)) (T, error) {
	p, shared := kernels.As[*part](d)
	if !shared {
		return measure(d)
	}
	s, whole := p.shared, p.shared.On
	if Tracks(d) {
		key += " with predecessors"
		t, err := Tracking(whole)
		if err != nil {
			var none T
			return none, err
		}
		whole = t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.known[key]; ok {
		return v.(T), nil
	}
	v, err := measure(whole)
	if s.known == nil {
		s.known = map[string]any{}
	}
	if err == nil {
		s.known[key] = v
	}
	return v, err
}

// part is a part of a device.
type part struct {
	kernels.Device
	shared *Shared
	memory int64 // 0: all

	mu    sync.Mutex
	taken int64 // guarded by mu
}

// Unwrap gives the device, for kernels.As.
func (p *part) Unwrap() kernels.Device { return p.Device }

// Info gives the part's memory as the device's.
func (p *part) Info() kernels.Info {
	info := p.Device.Info()
	if p.memory > 0 {
		info.Memory = min(info.Memory, p.memory)
	}
	return info
}

// Alloc fails with kernels.ErrNoMemory where the part has no more room, whatever the device has.
func (p *part) Alloc(bytes int64) (kernels.Buffer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if room := p.Info().Memory - p.taken; p.memory > 0 && bytes > room {
		return nil, fmt.Errorf("%w: %d bytes of a part of %s that has %d left",
			kernels.ErrNoMemory, bytes, p.Device.Info().Name, room)
	}
	b, err := p.Device.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	p.taken += bytes
	return &partBuffer{b, p}, nil
}

// Close does nothing: the owner of the shared device closes it.
func (p *part) Close() error { return nil }

// partBuffer is memory of a part. Devices know their own buffers: Unwrap gives it.
type partBuffer struct {
	kernels.Buffer
	of *part
}

// Free gives the room back to the part, too, once the device has it.
func (b *partBuffer) Free() error {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	bytes := b.Bytes()
	err := b.Buffer.Free()
	if err == nil {
		b.of.taken -= bytes
	}
	return err
}

// Unwrap gives the device's own buffer, for kernels.Bare.
func (b *partBuffer) Unwrap() kernels.Buffer { return b.Buffer }
