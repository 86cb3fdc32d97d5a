package ranks

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Segment is memory that the processes of one host share. What they send each other goes through it, and only its
// place over the link: where the system does not let processes read each other's memory, MPI libraries copy at 1
// GB/s.
type Segment struct {
	mine *shared   // nil: this process has none
	of   []*shared // by rank: what this process reads; nil: that is on another host
	by   []bool    // by rank: it reads mine
}

// shared is a segment as it lies in memory: a page with a nonce and the number of readers of each slot, and the slots.
type shared struct {
	memory []byte
	slots  int
	bytes  int64 // of a slot
}

// Sizes in a segment. Its head has the nonce, and a number for each slot.
const (
	segmentHead = 4096
	nonceBytes  = 32
	mostSlots   = (segmentHead - nonceBytes) / 4
)

// offer says where a segment is.
type offer struct {
	Process, Descriptor int
	Nonce               [nonceBytes]byte
	Slots               int // 0: there is none
	Bytes               int64
}

// Share gives each process a segment with slots for data of so many bytes, and has others of its host read it. All
// processes call it. A process that cannot share, or wants no slots, says so, and uses the link. A segment that
// nobody reads is given back.
func (g *Group) Share(ctx context.Context, slots int, bytes int64) (*Segment, error) {
	s := &Segment{of: make([]*shared, g.Size()), by: make([]bool, g.Size())}
	mine := s.offer(slots, bytes)
	if s.mine != nil {
		defer unname(mine) // once others have mapped it, or there was an error
	}
	offers, err := All(ctx, g, mine)
	if err != nil {
		return nil, s.closed(err)
	}
	reads := make([]bool, g.Size())
	for rank, o := range offers {
		if rank != g.Rank() && o.Slots > 0 {
			s.of[rank] = attach(o)
			reads[rank] = s.of[rank] != nil
		}
	}
	all, err := All(ctx, g, reads)
	if err != nil {
		return nil, s.closed(err)
	}
	for rank, reads := range all {
		s.by[rank] = reads[g.Rank()]
	}
	if s.mine != nil && !slices.Contains(s.by, true) {
		detach(s.mine.memory)
		s.mine = nil
	}
	return s, nil
}

func (s *Segment) closed(err error) error {
	s.Close()
	return err
}

// offer makes this process's segment, if it can.
func (s *Segment) offer(slots int, bytes int64) (o offer) {
	o.Slots, o.Bytes = min(slots, mostSlots), bytes
	if o.Slots <= 0 || len(s.of) == 1 {
		return offer{}
	}
	_, _ = rand.Read(o.Nonce[:]) // which never fails
	if s.mine = create(&o); s.mine == nil {
		return offer{}
	}
	copy(s.mine.memory, o.Nonce[:])
	return o
}

func (o *offer) size() int64 { return segmentHead + int64(o.Slots)*o.Bytes }

// readers is how many have to take what is in a slot yet; -1: it is being filled.
func (m *shared) readers(slot int) *atomic.Int32 {
	return (*atomic.Int32)(unsafe.Pointer(&m.memory[nonceBytes+4*slot]))
}

func (m *shared) slot(i int) []byte { return m.memory[segmentHead+int64(i)*m.bytes:][:m.bytes] }

// ReadBy reports whether another process reads this one's segment, Reads whether this one reads another's.
func (s *Segment) ReadBy(rank int) bool { return s.by[rank] }
func (s *Segment) Reads(rank int) bool  { return s.of[rank] != nil }

// PlaceBytes is the length of what is sent over the link in place of data.
const PlaceBytes = 8

// Put writes data to a slot for so many readers, and returns its place, which Take understands. There is none if all
// slots are in use: waiting for one could be without end, as they may hold what is asked for later.
func (s *Segment) Put(readers int, data []byte) (place []byte, ok bool) {
	place = make([]byte, PlaceBytes)
	if s.mine == nil || int64(len(data)) > s.mine.bytes {
		return place, false
	}
	for slot := range s.mine.slots {
		if left := s.mine.readers(slot); left.CompareAndSwap(0, -1) {
			copy(s.mine.slot(slot), data)
			left.Store(int32(readers))
			binary.LittleEndian.PutUint64(place, uint64(slot)+1)
			return place, true
		}
	}
	return place, false
}

// Take reads what another process has put at a place. It reports whether there was anything: if not, the link brings
// it.
func (s *Segment) Take(from int, place, data []byte) (bool, error) {
	at := binary.LittleEndian.Uint64(place)
	if at == 0 {
		return false, nil
	}
	m := s.of[from]
	if at > uint64(m.slots) || int64(len(data)) > m.bytes {
		return false, fmt.Errorf("rank %d: %d bytes at place %d of %d, each of %d bytes", from, len(data), at, m.slots,
			m.bytes)
	}
	copy(data, m.slot(int(at-1)))
	m.readers(int(at - 1)).Add(-1)
	return true, nil
}

// Close gives the memory back. Nothing is on its way any more.
func (s *Segment) Close() {
	for _, m := range append(s.of, s.mine) {
		if m != nil {
			detach(m.memory)
		}
	}
	s.of, s.mine = make([]*shared, len(s.of)), nil
}
