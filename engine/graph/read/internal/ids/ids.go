// Package ids finds the numbers of vertices by their ids, of which there may be millions.
package ids

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/rand/v2"
	"unsafe"
)

// The tables here are open ones with linear probing, at most half full. Go's maps take more memory, and a
// look-up in them more of the accesses that miss the cache.

// Ints finds vertices by ids that are numbers.
type Ints struct {
	slots []intSlot
	used  int
	odd   uint64 // a random factor, so that no input can be made to collide
}

// intSlot is empty if place is 0.
type intSlot struct {
	id    int64
	place int32 // the number that the id was added under, plus 1
}

// Len returns how many ids there are.
func (t *Ints) Len() int { return t.used }

func (t *Ints) start(id int64) uint64 { return uint64(id) * t.odd >> 32 & uint64(len(t.slots)-1) }

// Fetch looks at where Find will look first.
func (t *Ints) Fetch(id int64) uint64 { return uint64(t.slots[t.start(id)].place) }

// Find returns the number that an id was added under.
func (t *Ints) Find(id int64) (int32, bool) {
	if t.used == 0 {
		return 0, false
	}
	for i := t.start(id); t.slots[i].place != 0; i = (i + 1) & uint64(len(t.slots)-1) {
		if t.slots[i].id == id {
			return t.slots[i].place - 1, true
		}
	}
	return 0, false
}

// Add adds an id that is not there.
func (t *Ints) Add(id int64, number int32) {
	if 2*(t.used+1) > len(t.slots) {
		old := t.slots
		t.slots = make([]intSlot, max(64, 2*len(old)))
		t.odd = rand.Uint64() | 1
		for _, s := range old {
			if s.place != 0 {
				t.put(s)
			}
		}
	}
	t.put(intSlot{id, number + 1})
	t.used++
}

func (t *Ints) put(s intSlot) {
	i := t.start(s.id)
	for t.slots[i].place != 0 {
		i = (i + 1) & uint64(len(t.slots)-1)
	}
	t.slots[i] = s
}

// Texts keeps texts and finds them.
type Texts struct {
	slots []uint64 // 32 bits of a text's hash, and below them its place in texts plus 1; 0 if empty
	seed  maphash.Seed
	texts []textEntry
	bytes []byte // of all texts
}

// textEntry is one text, its ends where a look-up sees them at once.
type textEntry struct {
	head, tail uint64 // the first eight bytes, and of longer ones the last eight
	start      int64  // in bytes
	length     int32
	number     int32 // that it was added under
}

// Len returns how many texts there are.
func (t *Texts) Len() int { return len(t.texts) }

// Key is what Find and Add want to know of a text, which lies in a block of texts.
type Key struct {
	head, tail    uint64
	hash          uint32
	place         uint32 // by FetchSlot: the first place in texts that Find will look at, plus 1; 0 for none
	start, length int    // in the block
}

// In returns the text.
func (k *Key) In(block []byte) []byte { return block[k.start : k.start+k.length] }

// SetKey sets the key of block[start:start+length].
func (t *Texts) SetKey(k *Key, block []byte, start, length int) {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
		t.slots = make([]uint64, 64)
	}
	b := block[start : start+length]
	k.start, k.length = start, length
	k.hash = uint32(maphash.Bytes(t.seed, b))
	if length >= 8 {
		k.head, k.tail = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[length-8:])
		return
	}
	k.head, k.tail = 0, 0
	for i, c := range b {
		k.head |= uint64(c) << (8 * i)
	}
}

// FetchSlot looks at the slot where Find will look first, and Fetch at the text there.
func (t *Texts) FetchSlot(k *Key) {
	k.place = uint32(t.slots[uint64(k.hash)&uint64(len(t.slots)-1)])
}

// Fetch does what FetchSlot says.
func (t *Texts) Fetch(k *Key) uint64 {
	if k.place == 0 {
		return 0
	}
	return t.texts[k.place-1].head
}

// Find returns the number that a text was added under.
func (t *Texts) Find(k *Key, block []byte) (int32, bool) {
	mask := uint64(len(t.slots) - 1)
	for i := uint64(k.hash) & mask; t.slots[i] != 0; i = (i + 1) & mask {
		if slot := t.slots[i]; uint32(slot>>32) == k.hash {
			x := &t.texts[uint32(slot)-1]
			if x.head == k.head && x.tail == k.tail && int(x.length) == k.length &&
				(k.length <= 16 || bytes.Equal(t.at(x), k.In(block))) {
				return x.number, true
			}
		}
	}
	return 0, false
}

func (t *Texts) at(x *textEntry) []byte { return t.bytes[x.start : x.start+int64(x.length)] }

// Add adds a text that is not there.
func (t *Texts) Add(k *Key, block []byte, number int32) {
	if 2*(len(t.texts)+1) > len(t.slots) {
		old := t.slots
		t.slots = make([]uint64, 2*len(old))
		for _, slot := range old {
			if slot != 0 {
				t.put(slot)
			}
		}
	}
	t.texts = append(t.texts, textEntry{k.head, k.tail, int64(len(t.bytes)), int32(k.length), number})
	t.bytes = append(t.bytes, k.In(block)...)
	t.put(uint64(k.hash)<<32 | uint64(len(t.texts)))
}

func (t *Texts) put(slot uint64) {
	mask := uint64(len(t.slots) - 1)
	i := slot >> 32 & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = slot
}

// Name returns a text as a string, which shares memory with the table: nothing may be added any more.
func (t *Texts) Name(place int32) string {
	b := t.at(&t.texts[place])
	return unsafe.String(unsafe.SliceData(b), len(b))
}
