package cuda

import (
	"errors"
	"unsafe"

	"ooc/kernels/entry"
)

// listEntry is Entry of common.cuh: a job with where its pairs are, or the operands of a pair.
type listEntry struct{ x, y uint64 }

const entryBytes = 16

// jobEntry returns the entry of the job with tile C at c.
func jobEntry(c address, firstPair, pairs int, fresh bool) listEntry {
	e := listEntry{uint64(c), uint64(firstPair) | uint64(pairs)<<32}
	if fresh {
		e.y |= 1 << 63
	}
	return e
}

// lists brings lists of entries to the device, in page-locked slots that a kernel of the stream reads. A slot is not
// filled again before the kernel that read it has passed.
type lists struct {
	list  own              // in device memory: the stream's order keeps a next one from coming too soon
	slots []*listSlot      // oldest use first
	host  []unsafe.Pointer // page-locked memory of the slots
}

type listSlot struct {
	entries []listEntry // page-locked
	read    *event
}

// slotEntries is the least size of a slot, and the most entries that MinPlus puts into one launch.
const slotEntries = 16 << 10

const slotsAtOnce = 8

// uploadParam is Upload of service.cuh.
type uploadParam struct {
	from   unsafe.Pointer
	to     address
	n, pad int32
}

// send enqueues the upload of a list and returns where it will be.
func (s *stream) send(list []listEntry) (address, error) {
	l := &s.lists
	if err := s.device.Need(&l.list, int64(max(len(list), slotEntries))*entryBytes, s.Sync); err != nil {
		return 0, err
	}
	slot, err := l.take(s.device, len(list))
	if err != nil {
		return 0, err
	}
	copy(slot.entries, list)
	p := paramOf(&uploadParam{unsafe.Pointer(&slot.entries[0]), l.list.At.at, int32(len(list)), 0})
	threads := kernelInfo[uploadList].threads
	if err := s.serve(uploadList, min(entry.CeilDiv(len(list), threads), 32), p); err != nil {
		return 0, err
	}
	slot.read, err = s.record()
	return l.list.At.at, err
}

// take returns a slot whose last list has been read, or a new one, so that enqueueing never waits.
func (l *lists) take(d *Device, n int) (*listSlot, error) {
	for i, slot := range l.slots {
		done, err := true, error(nil)
		if slot.read != nil {
			done, err = slot.read.passed()
		}
		if err != nil {
			return nil, err
		}
		if done && len(slot.entries) >= n {
			l.slots = append(append(l.slots[:i:i], l.slots[i+1:]...), slot)
			return slot, nil
		}
	}
	return l.add(d, n)
}

// add allocates several slots at once: page-locking a little more takes hardly longer.
func (l *lists) add(d *Device, n int) (*listSlot, error) {
	size, count := max(n, slotEntries), slotsAtOnce
	if n > slotEntries {
		count = 1
	}
	bytes := int64(count) * int64(size) * entryBytes
	p, err := got(d, "cuMemHostAlloc", func() (unsafe.Pointer, Result) { return d.driver.hostAlloc(bytes) })
	if err != nil {
		return nil, err
	}
	l.host = append(l.host, p)
	all := unsafe.Slice((*listEntry)(p), count*size)
	for i := range count {
		l.slots = append(l.slots, &listSlot{entries: all[i*size:][:size]})
	}
	return l.slots[len(l.slots)-1], nil
}

// close releases the lists of an idle stream.
func (l *lists) close(d *Device) error {
	err := d.Drop(&l.list)
	for _, p := range l.host {
		err = errors.Join(err, d.call("cuMemFreeHost", func() Result { return d.driver.hostFree(p) }))
	}
	*l = lists{}
	return err
}
