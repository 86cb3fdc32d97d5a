package tiles

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"ooc/tiles/disk"
)

// State is a restore point: every entry of the matrix has finished the first
// Done pivot vertices of the algorithm, or what it counts in their place.
type State struct {
	Algorithm string        // at most 64 bytes
	Done      int64         // pivot vertices, or what stands in their place, 0…N
	Seq       uint64        // number of the checkpoint, assigned by the store
	Elapsed   time.Duration // work so far, over all runs

	// Of an elimination, which goes on as it was begun: sums of floats depend on it.
	Stop int64 // how many vertices it eliminates, plus one; 0: unknown
	// Closer: the kind of device that closed the core in memory, or how else it was, at most 16 bytes; "": unknown,
	// or there is none.
	Closer string
}

// The file "state": three sectors, two slots that take turns and a note. A
// record lies in the first 512 bytes of its sector, which a disk writes whole
// or not at all; the rest of the sector is zero.
const (
	stateMagic   = "OOCSTATE"
	stateSector  = 4096
	stateRecord  = 512
	stateSlots   = 2
	noteSector   = 2
	stateBytes   = 3 * stateSector
	maxAlgorithm = 64
	maxCloser    = 16

	recordSlot   = 1
	recordNote   = 2
	recordFailed = 3 // in place of the note: a sync failed
)

// incarnation names a run of the operating system on which unsynced writes
// still count: what was written in it is in the page cache or on disk. The
// zero value is trusted by nobody.
type incarnation [16]byte

// record is one sector of the state file, decoded.
type record struct {
	kind  uint32
	state State
	inc   incarnation // of notes and failures
}

// status of a sector.
type status int

const (
	empty   status = iota // all zero: never written
	intact                // a record that checks out
	damaged               // anything else
)

// recordHead is a record as its sector begins with it.
type recordHead struct {
	Magic          [len(stateMagic)]byte
	Version, Size  uint32
	Kind, T        uint32
	N              int64
	Seq            uint64
	Done           int64
	Elapsed        time.Duration
	Incarnation    incarnation
	AlgorithmBytes uint32
	Algorithm      [maxAlgorithm]byte
	ID             ID
	Stop           int64
	Closer         [maxCloser]byte
	_              [stateRecord - 184]byte
	_              uint32 // checksum
}

// encodeRecord fills one sector.
func encodeRecord(r record, m *Meta) []byte {
	h := recordHead{Magic: [8]byte([]byte(stateMagic)), Version: formatVersion, Size: stateRecord, Kind: r.kind,
		T: uint32(m.T), N: int64(m.N), Seq: r.state.Seq, Done: r.state.Done, Elapsed: r.state.Elapsed,
		Incarnation:    r.inc,
		AlgorithmBytes: uint32(len(r.state.Algorithm)), ID: m.ID, Stop: r.state.Stop}
	copy(h.Algorithm[:], r.state.Algorithm)
	copy(h.Closer[:], r.state.Closer)
	return append(disk.Seal(&h), zeroSector[stateRecord:]...)
}

var zeroSector = make([]byte, stateSector)

// decodeRecord reads one sector of a file, whose path is for messages; a short
// one is damaged. The error is ErrVersion for an intact record of another
// version, disk.ErrCorrupt for one of another store.
func decodeRecord(file string, b []byte, m *Meta) (r record, _ status, err error) {
	if len(b) == stateSector && bytes.Equal(b, zeroSector) {
		return r, empty, nil
	}
	h, ok := recordIn(b)
	if !ok || !bytes.Equal(b[stateRecord:], zeroSector[stateRecord:]) {
		return r, damaged, nil
	}
	const remedy = "put this store's own back, or solve again with --restart"
	if err := m.checkHead(file, h.Version, h.ID, remedy); err != nil {
		return r, damaged, err
	}
	if h.Size != stateRecord || h.T != uint32(m.T) || h.N != int64(m.N) || h.Done < 0 || h.Done > h.N ||
		h.Elapsed < 0 || h.Stop < 0 || h.Stop > h.N+1 || h.AlgorithmBytes > maxAlgorithm {
		return r, damaged, nil
	}
	st := State{Algorithm: string(h.Algorithm[:h.AlgorithmBytes]), Done: h.Done, Seq: h.Seq, Elapsed: h.Elapsed,
		Stop: h.Stop, Closer: string(bytes.TrimRight(h.Closer[:], "\x00"))}
	return record{h.Kind, st, h.Incarnation}, intact, nil
}

// recordIn reads a record, of whatever version and store, if its checksum matches.
func recordIn(sector []byte) (h recordHead, ok bool) {
	ok = disk.Unseal(sector, &h) && string(h.Magic[:]) == stateMagic
	return h, ok
}

// stateFile is the whole file, decoded.
type stateFile struct {
	slot [stateSlots]struct {
		record
		status
	}
	note       record // kind 0 if there is none to look at
	anyDamaged bool   // a slot is damaged, or the file is short
}

// decodeState reads the state file; file is its path, for messages. A short
// file is read as far as it goes: what is missing is damaged. A record of
// another store says that the file is that one's.
func decodeState(file string, b []byte, m *Meta) (stateFile, error) {
	var sf stateFile
	if len(b) > stateBytes {
		return sf, disk.Corrupt(file, "it has more than %d bytes", stateBytes)
	}
	sector := func(i int) []byte {
		return b[min(i*stateSector, len(b)):min((i+1)*stateSector, len(b))]
	}
	for i := range sf.slot {
		r, st, err := decodeRecord(file, sector(i), m)
		if err != nil {
			return sf, err
		}
		if st == intact && r.kind != recordSlot {
			st = damaged
		}
		sf.slot[i].record, sf.slot[i].status = r, st
		sf.anyDamaged = sf.anyDamaged || st == damaged
	}
	// A note is a favour: one that does not check out was never there.
	switch r, st, err := decodeRecord(file, sector(noteSector), m); {
	case errors.Is(err, disk.ErrCorrupt):
		return sf, err
	case err == nil && st == intact && r.kind != recordSlot:
		sf.note = r
	}
	return sf, nil
}

// newest gives the index of the newest intact slot, -1 if no slot was ever
// written, and disk.ErrCorrupt if that cannot be told for damage. With one slot
// damaged the other is still true: entries only ever get lower, so what every
// entry has finished once stays finished.
func (sf *stateFile) newest() (int, error) {
	best := -1
	for i := range sf.slot {
		if sf.slot[i].status == intact && (best < 0 || sf.slot[i].state.Seq > sf.slot[best].state.Seq) {
			best = i
		}
	}
	if best < 0 && sf.anyDamaged {
		return -1, fmt.Errorf("%w: no restore point in it checks out; solve again with --restart", disk.ErrCorrupt)
	}
	return best, nil
}

// trusted says whether the note says more than slot best (-1: none), and may
// be believed on the running system once the matrix is synced.
func (sf *stateFile) trusted(best int, here incarnation) bool {
	n := sf.note
	if n.kind != recordNote || here == (incarnation{}) || n.inc != here {
		return false
	}
	if best < 0 {
		return true
	}
	slot := sf.slot[best].state
	// A note older than the slot has been overtaken by it.
	return n.state.Seq >= slot.Seq && (n.state.Done > slot.Done || n.state.Algorithm != slot.Algorithm)
}
