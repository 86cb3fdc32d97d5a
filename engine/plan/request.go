package plan

import (
	"cmp"

	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// Request is what is wanted of a solve, from the flags of a command to the algorithm, which all pass it on whole. The
// zero value leaves everything to the plan.
type Request struct {
	// Algorithm is the name of the algorithm to solve with. A store that was begun goes on with the algorithm that
	// began it, and refuses another, unless both count their progress in pivots. Default: "" or Auto, the one that
	// should end first.
	Algorithm string

	// HostMemory is how many bytes of memory the host cache of tiles may take, of all devices of a process, or the
	// rows of an expansion. Where that is too little for a solve, planning fails with device.ErrMemory. Default: 0, a
	// few tiles on the processor, half of the free memory beside a device with memory of its own.
	HostMemory int64

	// Round is the width of rounds in vertices. Planning fails with rounds.ErrRound where it is no multiple of the tile
	// edge. Default: 0, the width that should be fastest.
	Round int

	// Streams is how many queues of operations a device has. With 1 nothing overlaps: each copy and each kernel ends
	// before the next begins. Default: 0, few or many, by the device.
	Streams int

	// Grid is in how many rows and columns the parts of several processes stand.
	// Default: zero, as square as can be.
	Grid [2]int

	// Those below are of a new store. One that is there keeps what it was made with.

	// Tile is the edge of tiles, a multiple of 64.
	// Default: 0, the edge with the fastest plan.
	Tile int

	// Kind is the kind of the distances.
	// Default: "", one of 4 bytes.
	Kind entry.Kind

	// Sources are the rows that are wanted. Rounds need all.
	// Default: none, which means all.
	Sources tiles.RowSet

	// Predecessors are kept beside the distances, in twice the memory and disk.
	// Default: false, there are none.
	Predecessors bool

	// Layout is tiles.Upper for one half of a symmetric matrix, or tiles.Square. Planning fails with ErrLayout where
	// that cannot be. Default: "", the one with the fewest tiles.
	Layout tiles.Layout

	// Room is how many bytes the store, and what is beside it meanwhile, may take on its volume. What needs more is
	// not chosen. Default: 0, it is unknown, and nothing is compared with it.
	Room int64

	// InMemory says that the store is on a volume in memory, which takes rows faster than a disk. See disk.InMemory.
	InMemory bool

	// Block is how many tiles across the blocks are that are dealt to the parts of several devices, from the first
	// tile on. Default: 0, as wide as a round, from its first pivot on.
	Block int

	// Those below are of plans for machines that are not here.

	// Nodes is how many machines share the rounds.
	// Default: 0, the plan is for this machine.
	Nodes int

	// Devices is how many devices each of them has.
	// Default: 0, as many as the device that is planned for stands for.
	Devices int

	// Link is how many bytes/s a node receives from others while it sends as much.
	// Default: 0, which is for one node.
	Link float64

	// Disk is the bytes/s of a node's disk.
	// Default: 0, it is unknown, and left out.
	Disk float64
}

// automatic reports whether the algorithm is left to the plan.
func (r *Request) automatic() bool { return r.Algorithm == "" || r.Algorithm == Auto }

// Device returns d, wrapped to keep predecessors if these are wanted. It fails with device.ErrUnknown if d cannot.
func (r *Request) Device(d kernels.Device) (kernels.Device, error) {
	if !r.Predecessors {
		return d, nil
	}
	return device.Tracking(d)
}

// EntryBytes is the size of the entries of a new store.
func (r *Request) EntryBytes() int {
	if r.Predecessors {
		return r.kind().PairBytes()
	}
	return r.kind().Bytes()
}

func (r *Request) kind() entry.Kind { return cmp.Or(r.Kind, entry.KindI32) }

// WithDefaults gives a device with memory of its own half of the free memory as its host cache. On another machine it
// may be as large as is of use.
func (r Request) WithDefaults(info kernels.Info) Request {
	if r.HostMemory == 0 && !info.SharedCores && r.Nodes == 0 {
		r.HostMemory = device.FreeMemory() / 2
	}
	return r
}
