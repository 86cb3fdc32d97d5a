package opencl

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"ooc/kernels"
)

// event is the event of the last command before it; 0: there was none.
type event struct {
	device *device
	handle handle
}

// Record implements kernels.Stream.
func (s *stream) Record() (kernels.Event, error) {
	l, err := s.device.lib, s.alive()
	if err == nil && s.last == 0 {
		err = s.barrier()
	}
	if err == nil {
		err = s.flush()
	}
	if err == nil {
		err = check("clRetainEvent", l.call(l.clRetainEvent, uintptr(s.last)))
	}
	if err != nil {
		return nil, fmt.Errorf("opencl: record: %w", err)
	}
	e := &event{device: s.device, handle: s.last}
	runtime.AddCleanup(e, s.device.releaseEvent, s.device.keepEvent(s.last))
	return e, nil
}

// keepEvent notes an event to be released when nothing refers to it any more, or with the device: it keeps the
// driver's context alive. It returns the event's number.
func (d *device) keepEvent(h handle) uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recorded++
	d.events[d.recorded] = h
	return d.recorded
}

func (d *device) releaseEvent(number uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if h, ok := d.events[number]; ok {
		delete(d.events, number)
		d.lib.call(d.lib.clReleaseEvent, uintptr(h))
	}
}

// barrier has what comes later wait for events of other streams.
func (s *stream) barrier(events ...handle) error {
	return s.enqueue("clEnqueueBarrierWithWaitList", s.queue, func(n uintptr, after, event *handle) clCode {
		if n > 0 {
			events = append(events, *after)
		}
		l, list := s.device.lib, unsafe.SliceData(events)
		return l.call(l.clEnqueueBarrierWithWaitList, uintptr(s.queue), uintptr(len(events)),
			uintptr(unsafe.Pointer(list)), uintptr(unsafe.Pointer(event)))
	})
}

// Wait implements kernels.Stream.
func (s *stream) Wait(ev kernels.Event) error {
	e, ok := ev.(*event)
	if !ok || e == nil || e.device != s.device {
		return errors.New("opencl: wait: not an event of this device")
	}
	err := s.alive()
	if err == nil {
		err = s.barrier(e.handle)
	}
	runtime.KeepAlive(e)
	return in("wait", err)
}

// waitFor waits for an event. It returns the error of its command.
func (d *device) waitFor(h handle) error {
	list := [1]handle{h}
	c := d.lib.call(d.lib.clWaitForEvents, 1, uintptr(unsafe.Pointer(&list[0])))
	if c == eventFailed {
		if _, err := d.passed(h); err != nil {
			return err
		}
	}
	return ofCommand("clWaitForEvents", c)
}

// ofCommand is the error of a command that had begun: OUT_OF_RESOURCES is what drivers say there of a kernel that
// failed, and not of memory.
func ofCommand(call string, c clCode) error {
	if err := check(call, c); c == noResources {
		return err
	}
	return outOfMemory(check(call, c))
}

// passed reports whether an event's command is done. It returns the command's error.
func (d *device) passed(h handle) (bool, error) {
	value, c := d.lib.info(d.lib.clGetEventInfo, h, eventStatus)
	status := clCode(int32(integer(value, c)))
	if c == success && status < 0 {
		c = status
	}
	return c == success && status == 0, ofCommand("a command", c)
}

// Sync implements kernels.Event.
func (e *event) Sync() error {
	err := e.device.waitFor(e.handle)
	runtime.KeepAlive(e)
	if err != nil {
		return fmt.Errorf("opencl: %w", err)
	}
	return nil
}

// Since implements kernels.Event.
func (e *event) Since(start kernels.Event) (time.Duration, error) {
	from, ok := start.(*event)
	if !ok || from == nil || from.device != e.device {
		return 0, errors.New("opencl: since: not an event of this device")
	}
	if from.handle == e.handle {
		return 0, nil
	}
	var ends [2]int64
	for i, h := range []handle{from.handle, e.handle} {
		value, c := e.device.lib.info(e.device.lib.clGetEventProfilingInfo, h, eventEnd)
		if err := check("clGetEventProfilingInfo", c); err != nil {
			return 0, fmt.Errorf("opencl: since: %w", err)
		}
		ends[i] = integer(value, c)
	}
	runtime.KeepAlive(from)
	runtime.KeepAlive(e)
	return time.Duration(ends[1] - ends[0]), nil
}
