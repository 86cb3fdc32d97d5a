package cuda

import (
	"errors"
	"time"
	"unsafe"

	"ooc/kernels/entry"
)

// perClock returns the most relaxations that a multiprocessor can do in a clock: on every chip since Turing minima of
// 32 bits run in a pipe of 64 lanes. Chips before Hopper also add integers there. Two of 16 bits are one minimum on
// Hopper, and elsewhere at best. Of 8 bytes an addition and a comparison share a pipe, whose width chips tell in
// proportion to that of float32.
func (d *Device) perClock(v entry.Variant) float64 {
	switch v {
	case entry.U16:
		return 128
	case entry.F64:
		ratio, r := d.driver.deviceAttribute(doubleRatio, d.ordinal)
		if r != success || ratio < 2 {
			ratio = 2
		}
		return 64 / float64(ratio)
	}
	return 64
}

// Ceiling returns what perClock says, over all multiprocessors. It uses the GPU's present clock, or its highest if that
// cannot be read.
func (d *Device) Ceiling(v entry.Variant) float64 {
	hz, err := d.ClockRate()
	if err != nil {
		hz = d.ratedClock()
	}
	return d.perClock(v) * float64(d.sms) * hz
}

// ratedClock returns the highest clock in Hz.
func (d *Device) ratedClock() float64 {
	khz, r := d.driver.deviceAttribute(clockKHz, d.ordinal)
	if r != success {
		return 0
	}
	return float64(khz) * 1000
}

// clockTime is for how long ClockRate counts.
const clockTime = time.Millisecond

// clockParam is Clock of service.cuh.
type clockParam struct {
	out unsafe.Pointer
	ns  uint64
}

// ClockRate returns the clock of the multiprocessors in Hz. One of them counts it over a millisecond, also while the
// GPU computes. An idle GPU may clock lower at first.
func (d *Device) ClockRate() (float64, error) {
	c := &d.clock
	c.Lock()
	defer c.Unlock()
	if err := d.openClock(); err != nil {
		return 0, err
	}
	s := &stream{device: d, handle: c.stream}
	*c.result = [2]uint64{}
	err := s.serve(clockRate, 1, paramOf(&clockParam{unsafe.Pointer(c.result), uint64(clockTime)}))
	if err != nil {
		return 0, err
	}
	if err := s.Sync(); err != nil {
		return 0, err
	}
	if c.result[1] == 0 {
		return 0, errors.New("cuda: no time passed on the GPU")
	}
	return float64(c.result[0]) / float64(c.result[1]) * 1e9, nil
}

// openClock creates the stream of ClockRate, of high priority: it is to measure while others compute.
func (d *Device) openClock() error {
	if d.clock.result != nil {
		return nil
	}
	s := &stream{device: d}
	if err := s.create(d.priority.greatest); err != nil {
		return err
	}
	d.clock.stream = s.handle
	return d.call("cuMemHostAlloc", func() Result {
		p, r := d.driver.hostAlloc(int64(unsafe.Sizeof([2]uint64{})))
		d.clock.result = (*[2]uint64)(p)
		return r
	})
}

func (d *Device) closeClock() error {
	c := &d.clock
	c.Lock()
	defer c.Unlock()
	if c.result == nil {
		return nil
	}
	p := unsafe.Pointer(c.result)
	c.result = nil
	return errors.Join(
		d.call("cuMemFreeHost", func() Result { return d.driver.hostFree(p) }),
		d.call("cuStreamDestroy", func() Result { return d.driver.streamDestroy(c.stream) }))
}
