package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"ooc/kernels"
)

// event is a recorded event of CUDA. When nothing refers to it any more, its handle is used for another event; CUDA
// does not mix up what was waited for before.
type event struct {
	device *Device
	handle handle
}

// newEvent takes an idle handle or creates one.
func (d *Device) newEvent() (*event, error) {
	if err := d.Alive(); err != nil {
		return nil, err
	}
	var h handle
	d.mu.Lock()
	if n := len(d.idleEvents); n > 0 {
		h, d.idleEvents = d.idleEvents[n-1], d.idleEvents[:n-1]
	}
	d.mu.Unlock()
	if h == 0 {
		var err error
		if h, err = got(d, "cuEventCreate", d.driver.eventCreate); err != nil {
			return nil, err
		}
		d.mu.Lock()
		d.events = append(d.events, h)
		d.mu.Unlock()
	}
	e := &event{device: d, handle: h}
	runtime.AddCleanup(e, d.recycle, h)
	return e, nil
}

func (d *Device) recycle(h handle) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idleEvents = append(d.idleEvents, h)
}

func (s *stream) record() (*event, error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	e, err := s.device.newEvent()
	if err != nil {
		return nil, err
	}
	err = s.device.call("cuEventRecord", func() Result { return s.device.driver.eventRecord(e.handle, s.handle) })
	return e, err
}

// Record implements kernels.Stream.
func (s *stream) Record() (kernels.Event, error) {
	e, err := s.record()
	if err != nil {
		return nil, fmt.Errorf("cuda: record: %w", err)
	}
	return e, nil
}

func (s *stream) wait(e *event) error {
	err := s.device.call("cuStreamWaitEvent", func() Result {
		return s.device.driver.streamWaitEvent(s.handle, e.handle)
	})
	runtime.KeepAlive(e)
	return err
}

// Wait implements kernels.Stream.
func (s *stream) Wait(ev kernels.Event) error {
	e, ok := ev.(*event)
	if !ok || e == nil || e.device != s.device {
		return errors.New("cuda: wait: not an event of this device")
	}
	err := s.alive()
	if err == nil {
		err = s.wait(e)
	}
	return in("wait", err)
}

// Sync implements kernels.Event. The thread sleeps while it waits.
func (e *event) Sync() error {
	d := e.device
	err := d.call("cuEventSynchronize", func() Result { return d.driver.eventSynchronize(e.handle) })
	runtime.KeepAlive(e)
	if err != nil {
		return fmt.Errorf("cuda: %w", err)
	}
	return nil
}

// passed reports whether the stream has passed the event.
func (e *event) passed() (bool, error) {
	var result Result
	err := e.device.call("cuEventQuery", func() Result {
		if result = e.device.driver.eventQuery(e.handle); result == notReady {
			return success
		}
		return result
	})
	runtime.KeepAlive(e)
	return err == nil && result == success, err
}

// Since implements kernels.Event. CUDA's resolution is about half a microsecond.
func (e *event) Since(start kernels.Event) (time.Duration, error) {
	from, ok := start.(*event)
	if !ok || from == nil || from.device != e.device {
		return 0, errors.New("cuda: since: not an event of this device")
	}
	if from == e {
		return 0, nil
	}
	ms, err := got(e.device, "cuEventElapsedTime", func() (float32, Result) {
		return e.device.driver.eventElapsed(from.handle, e.handle)
	})
	runtime.KeepAlive(from)
	runtime.KeepAlive(e)
	if err != nil {
		return 0, fmt.Errorf("cuda: since: %w", err)
	}
	return time.Duration(float64(ms) * float64(time.Millisecond)), nil
}
