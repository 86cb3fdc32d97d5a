package arcs

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// Arc is an arc.
type Arc struct {
	From, To int32
	Word     uint32 // its weight: an int32, or the bits of a float32
}

// Collector keeps arcs until all are known, packed, so that they take no more memory than the CSR they
// become. They lie in buckets of neighbouring tails: there only the low bits of a tail need to be kept,
// and a bucket is small enough to stay in the processor's cache while its rows are built.
//
// Tails and heads are rows, or while rows are not known other numbers, which may be negative.
type Collector struct {
	shift   uint        // a bucket is 1<<shift tails
	signed  bool        // vertices may be negative
	buckets [2][]bucket // of tails 0, 1, … and of tails -1, -2, …
	layout  layout      // of open chunks
	keyMax  uint64      // the largest key and word that layout has room for
	wordMax uint32
	spare   [][]byte // emptied chunks of chunkBytes
	rank    []uint32 // of words, which are numbers of this list: what they become; nil: they stay
}

// bucket is the arcs of neighbouring tails.
type bucket struct {
	buf  []byte // the open chunk
	pos  int    // where its next record goes
	full []chunk
}

// chunk is packed records: a key, which is the head and the low bits of the tail, and a word.
type chunk struct {
	data   []byte
	layout layout
}

// layout says how records are packed: in as few bytes as the largest so far needs.
type layout struct {
	key, word uint8 // bytes of each
	float     bool  // words are the bits of a float32; else of an int32, by zigzag
}

const (
	firstChunk = 256  // bytes, of a bucket's first chunk
	chunkBytes = 8192 // of later ones: a span of Go's heap, so that each can be given back by itself
	// chunkSlack bytes behind the last record may be read and written, so that two moves do for each.
	chunkSlack = 8
	// leastBuckets and mostBuckets are into how many the rows are cut where there are enough of them: few, as
	// each has a place in memory where the next arc may go, but each with few enough arcs for the cache.
	leastBuckets, mostBuckets = 256, 1024
	arcsPerBucket             = 1 << 16
)

// New returns a collector for arcs between rows 0…n-1, of which about arcs are to be expected; between
// numbers that are no rows yet, some maybe negative, if signed. Words are the bits of a float32 if float is set.
func New(n int, arcs int64, signed, float bool) *Collector {
	c := &Collector{shift: 10, signed: signed}
	if n > 0 {
		buckets := leastBuckets
		for buckets < mostBuckets && int64(buckets)*arcsPerBucket < arcs {
			buckets *= 2
		}
		c.shift = uint(max(0, bits.Len(uint(n-1))-bits.Len(uint(buckets-1))))
	}
	c.setLayout(layout{key: 1, word: 1})
	if float {
		c.ToFloat()
	}
	return c
}

// zigzag maps 0, -1, 1, -2, … to 0, 1, 2, 3, …
func zigzag(x int32) uint32 { return uint32(x<<1) ^ uint32(x>>31) }

func unzigzag(x uint32) int32 { return int32(x>>1) ^ -int32(x&1) }

// add adds one arc.
func (c *Collector) add(from, to int32, word uint32) {
	side, head := 0, uint64(uint32(to))
	if c.signed {
		head = uint64(zigzag(to))
		if from < 0 {
			from, side = ^from, 1
		}
	}
	if !c.layout.float {
		word = zigzag(int32(word))
	}
	key := head<<c.shift | uint64(from)&(1<<c.shift-1)
	if key > c.keyMax || word > c.wordMax {
		c.widen(key, word)
	}
	i, size := int(from>>c.shift), int(c.layout.key+c.layout.word)
	b := c.bucket(side, i)
	if b.pos+size+chunkSlack > len(b.buf) {
		c.newChunk(b)
	}
	binary.LittleEndian.PutUint64(b.buf[b.pos:], key)
	binary.LittleEndian.PutUint32(b.buf[b.pos+int(c.layout.key):], word)
	b.pos += size
}

// AddAll is add for many arcs; it leaves self-loops out and returns how many there are. Most arcs take
// the fast path, which must stay short.
func (c *Collector) AddAll(recs []Arc) (loops int64) {
	shift, lowMask := c.shift, uint64(1)<<c.shift-1
	table, l := c.buckets[0], c.layout
	for _, r := range recs {
		if r.From == r.To {
			loops++
			continue
		}
		head, word := uint64(uint32(r.To)), r.Word
		if c.signed {
			head = uint64(zigzag(r.To))
		}
		if !l.float {
			word = zigzag(int32(word))
		}
		key := head<<shift | uint64(uint32(r.From))&lowMask
		i := uint(r.From) >> shift // of negative ones, beyond every table
		if i >= uint(len(table)) || key > c.keyMax || word > c.wordMax {
			c.add(r.From, r.To, r.Word)
			table, l = c.buckets[0], c.layout
			continue
		}
		b := &table[i]
		if b.pos+int(l.key+l.word)+chunkSlack > len(b.buf) {
			c.newChunk(b)
		}
		at := b.buf[b.pos:]
		binary.LittleEndian.PutUint64(at, key)
		binary.LittleEndian.PutUint32(at[l.key:], word)
		b.pos += int(l.key + l.word)
	}
	return loops
}

// bucket returns a bucket, which may be new, to add to.
func (c *Collector) bucket(side, i int) *bucket {
	if i >= len(c.buckets[side]) {
		list := c.buckets[side]
		c.buckets[side] = append(list, make([]bucket, max(i+1, len(list)+len(list)/4, 16)-len(list))...)
	}
	return &c.buckets[side][i]
}

// newChunk ends a bucket's open chunk and opens another.
func (c *Collector) newChunk(b *bucket) {
	size := min(max(firstChunk, 2*len(b.buf)), chunkBytes)
	b.seal(c.layout)
	if last := len(c.spare) - 1; size == chunkBytes && last >= 0 {
		b.buf, c.spare = c.spare[last], c.spare[:last]
		return
	}
	b.buf = make([]byte, size)
}

// seal ends the open chunk, and lets go of what of it is not used.
func (b *bucket) seal(l layout) {
	if data := b.buf[:min(b.pos+chunkSlack, len(b.buf))]; b.pos > 0 {
		if len(data) < len(b.buf)/4*3 {
			data = bytes.Clone(data)
		}
		b.full = append(b.full, chunk{data, l})
	}
	b.buf, b.pos = nil, 0
}

// widen makes room in the records for a larger key or word.
func (c *Collector) widen(key uint64, word uint32) {
	l := c.layout
	l.key = max(l.key, uint8(bits.Len64(key)+7)/8)
	l.word = max(l.word, uint8(bits.Len32(word)+7)/8)
	c.setLayout(l)
}

// ToFloat makes the words of arcs from now on, and of all arcs once they are unpacked, bits of a float32.
func (c *Collector) ToFloat() { c.setLayout(layout{key: c.layout.key, word: 4, float: true}) }

func (c *Collector) setLayout(l layout) {
	c.sealAll()
	c.layout = l
	c.keyMax = math.MaxUint64 >> (64 - 8*l.key)
	c.wordMax = math.MaxUint32 >> (32 - 8*l.word)
}

func (c *Collector) sealAll() {
	for _, side := range c.buckets {
		for i := range side {
			side[i].seal(c.layout)
		}
	}
}

// Absorb takes over the arcs of another collector for the same rows.
func (c *Collector) Absorb(other *Collector) {
	c.sealAll()
	other.sealAll()
	for i, b := range other.buckets[0] {
		if len(b.full) > 0 {
			mine := c.bucket(0, i)
			mine.full = append(mine.full, b.full...)
		}
	}
	other.buckets = [2][]bucket{}
}

// arcs returns the number of records in a sealed bucket.
func (b *bucket) arcs() int {
	n := 0
	for _, k := range b.full {
		n += k.arcs()
	}
	return n
}

func (k chunk) arcs() int { return (len(k.data) - chunkSlack) / int(k.layout.key+k.layout.word) }

// unpack writes the records of a chunk over into, which it makes longer if need be. base is the first tail
// of the chunk's bucket, on its side.
func (c *Collector) unpack(k chunk, side, base int, into []Arc) []Arc {
	n, at, size := k.arcs(), 0, int(k.layout.key+k.layout.word)
	if cap(into) < n {
		into = make([]Arc, max(n, chunkBytes/4))
	}
	into = into[:n]
	keyMask, wordMask := uint64(math.MaxUint64)>>(64-8*k.layout.key), uint32(math.MaxUint32)>>(32-8*k.layout.word)
	lowMask := uint64(1)<<c.shift - 1
	for i := range into {
		key := binary.LittleEndian.Uint64(k.data[at:]) & keyMask
		word := binary.LittleEndian.Uint32(k.data[at+int(k.layout.key):]) & wordMask
		at += size
		into[i] = Arc{int32(base) + int32(key&lowMask), int32(uint32(key >> c.shift)), word}
	}
	if c.signed {
		for i := range into {
			into[i].From ^= -int32(side)
			into[i].To = unzigzag(uint32(into[i].To))
		}
	}
	if k.layout.float {
		return into
	}
	for i := range into {
		into[i].Word = uint32(unzigzag(into[i].Word))
	}
	if c.rank != nil {
		for i := range into {
			into[i].Word = c.rank[into[i].Word]
		}
	}
	if c.layout.float {
		FloatWords(into)
	}
	return into
}

// count adds the number of arcs of each tail in a chunk to tails, whose index is a tail's low bits, and of
// the heads with the same leading bits to heads.
func (c *Collector) count(k chunk, tails []int64, heads *[headBins]int32, headShift uint) {
	size, shift, lowMask := int(k.layout.key+k.layout.word), c.shift, uint64(1)<<c.shift-1
	keyMask := uint64(math.MaxUint64) >> (64 - 8*k.layout.key)
	for at := 0; at < len(k.data)-chunkSlack; at += size {
		key := binary.LittleEndian.Uint64(k.data[at:]) & keyMask
		tails[key&lowMask]++
		heads[uint32(key>>shift)>>headShift%headBins]++
	}
}

// spread writes the arcs of a chunk to recs, by the leading bits of their heads: next is where those of each
// go, and moves on. Tails are their low bits only.
func (c *Collector) spread(k chunk, recs []Arc, next *[headBins]int32, headShift uint) {
	size, keyBytes, shift, lowMask := int(k.layout.key+k.layout.word), int(k.layout.key), c.shift, uint64(1)<<c.shift-1
	keyMask, wordMask := uint64(math.MaxUint64)>>(64-8*k.layout.key), uint32(math.MaxUint32)>>(32-8*k.layout.word)
	convert := c.layout.float && !k.layout.float || c.rank != nil
	for at := 0; at < len(k.data)-chunkSlack; at += size {
		data := k.data[at:]
		key, word := binary.LittleEndian.Uint64(data)&keyMask, binary.LittleEndian.Uint32(data[keyBytes:])&wordMask
		if !k.layout.float {
			word = uint32(unzigzag(word))
		}
		if convert {
			word = c.converted(word)
		}
		head := uint32(key >> shift)
		to := &next[head>>headShift%headBins]
		recs[*to] = Arc{int32(key & lowMask), int32(head), word}
		*to++
	}
}

// Rerank makes each word, which is not negative, another, from now on.
func (c *Collector) Rerank(rank []uint32) { c.rank = rank }

// converted is what a word of an int32 becomes.
func (c *Collector) converted(word uint32) uint32 {
	if c.rank != nil {
		return c.rank[word]
	}
	return FloatWord(word)
}

// Float reports whether words are the bits of a float32.
func (c *Collector) Float() bool { return c.layout.float }

// FloatWords applies FloatWord to every arc.
func FloatWords(recs []Arc) {
	for i := range recs {
		recs[i].Word = FloatWord(recs[i].Word)
	}
}

// FloatWord converts an int32 weight to the bits of a float32, which rounds as the text of the number would.
func FloatWord(word uint32) uint32 { return math.Float32bits(float32(int32(word))) }

// Renumber moves the arcs, emptying c, to a collector by rows, of n.
func (c *Collector) Renumber(n int, row func(int32) int32) *Collector {
	c.sealAll()
	arcs := int64(0)
	for _, side := range c.buckets {
		for i := range side {
			arcs += int64(side[i].arcs())
		}
	}
	by := New(n, arcs, false, c.layout.float)
	var recs []Arc
	for side, buckets := range c.buckets {
		for i, b := range buckets {
			for _, k := range b.full {
				recs = c.unpack(k, side, i<<c.shift, recs)
				if cap(k.data) == chunkBytes {
					by.spare = append(by.spare, k.data[:chunkBytes])
				}
				for _, r := range recs {
					by.add(row(r.From), row(r.To), r.Word)
				}
			}
			buckets[i] = bucket{}
		}
	}
	by.spare = nil
	return by
}
