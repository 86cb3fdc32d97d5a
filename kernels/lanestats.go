package kernels

import (
	"unsafe"

	"ooc/kernels/entry"
)

// LaneStats find in rows of lanes in device memory more than LaneSums does, so that no row has to leave it. Like the
// methods of a stream, LaneStat only enqueues.
type LaneStats interface {
	LaneStat(s Stream, v entry.Variant, r LaneRows, q LaneQuestion) error
}

// LaneRows are rows of lanes that are asked about, and the memory for it.
type LaneRows struct {
	Lanes       Tile // Rows rows of Width entries
	Width, Rows int  // Width is a multiple of DeviceLaneUnit
	Count       int  // the first lanes, which are asked about; what an answer says of others means nothing
	Names       Tile // of each row, int32
	Memory      Tile // the question's Room: zeros for the answer, the question's Data, and memory to work in
}

// LaneQuestion is one of LaneBelow, LaneBins and LaneNearest.
type LaneQuestion interface {
	Room(v entry.Variant, width, rows int) laneRoom
	Data() []byte // what the device is told
}

// laneRoom is how many bytes a question takes.
type laneRoom struct{ Answer, Data, Work int }

const laneRoomAlign = 256

// Places returns where the data and the memory to work in begin, and how many bytes there are in all. The answer is
// at the beginning.
func (r laneRoom) Places() (data, work, all int) {
	data = entry.RoundUp(r.Answer, laneRoomAlign)
	work = entry.RoundUp(data+r.Data, laneRoomAlign)
	return data, work, work + r.Work
}

// LaneBelow asks of each lane how many entries are less than each of some, its edges, of which none is more than
// unreachable. The answer is an int32 of each lane, for one edge after the other.
type LaneBelow struct {
	Edges []byte // entries
}

// Room implements LaneQuestion.
func (q LaneBelow) Room(v entry.Variant, width, _ int) laneRoom {
	return laneRoom{Answer: entry.WordBytes * width * (len(q.Edges) / v.Bytes()), Data: len(q.Edges)}
}

// Data implements LaneQuestion.
func (q LaneBelow) Data() []byte { return q.Edges }

// LaneBins asks how many entries of all lanes, without the unreachable ones, are less than the first edge, from there
// on less than the second, and so on, and from the last one on. The answer is an int64 of each of these, one more
// than edges.
type LaneBins struct {
	Edges []byte // entries that do not descend, less than unreachable
}

// Room implements LaneQuestion.
func (q LaneBins) Room(v entry.Variant, _, _ int) laneRoom {
	return laneRoom{Answer: 8 * (len(q.Edges)/v.Bytes() + 1), Data: len(q.Edges)}
}

// Data implements LaneQuestion.
func (q LaneBins) Data() []byte { return q.Edges }

// LaneNearest asks for the least entries of each lane, of equal ones those with the least names. The answer is a
// LaneNear of each lane for the least ones, then as many for the second, and so on to K.
type LaneNearest struct {
	K int // at most MostLaneNear
}

// LaneNear is an entry of some row; those that are missing have a name of -1.
type LaneNear struct {
	Distance uint64 // the bits, as the kind's Wide has them
	Name     int32
	_        int32
}

const (
	// laneNearBytes is the size of a LaneNear.
	laneNearBytes = int(unsafe.Sizeof(LaneNear{}))
	// MostLaneNear is how many are listed at most: lists are kept in order by moving what is behind a new one.
	MostLaneNear = 129
)

// LaneNearIn returns what is in memory, which is aligned to 8 bytes.
func LaneNearIn(memory []byte) []LaneNear {
	return unsafe.Slice((*LaneNear)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/laneNearBytes)
}

// PartRows is how many rows of a lane one list is made of, before one is made of all lists. The longer lists are, the
// more rows are worth one.
func (q LaneNearest) PartRows() int { return max(LaneSumRows, 64*q.K) }

// Room implements LaneQuestion.
func (q LaneNearest) Room(_ entry.Variant, width, rows int) laneRoom {
	list := laneNearBytes * q.K * width
	return laneRoom{Answer: list, Work: list * entry.CeilDiv(rows, q.PartRows())}
}

// Data implements LaneQuestion.
func (q LaneNearest) Data() []byte { return nil }
