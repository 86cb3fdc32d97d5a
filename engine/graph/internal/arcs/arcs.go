package arcs

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"ooc/engine/internal/pages"
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
	shift   uint // a bucket is 1<<shift tails
	signed  bool // vertices may be negative: tails and heads are kept by zigzag
	buckets []bucket
	layout  layout // of open chunks
	keyMax  uint64 // the largest key and word that layout has room for
	wordMax uint32
	spare   [][]byte // emptied chunks of chunkBytes
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
	firstChunk = 256   // bytes, of a bucket's first chunk
	chunkBytes = 32768 // of later ones: a span of Go's heap, so that each can be given back by itself
	// chunkSlack bytes behind the last record may be read and written, so that two moves do for each.
	chunkSlack = 8
	// leastBuckets and mostBuckets are into how many the rows are cut where there are enough of them: few, as
	// each has a place in memory where the next arc may go, but each with few enough arcs for the cache.
	leastBuckets, mostBuckets = 256, 1024
	arcsPerBucket             = 1 << 16
)

// New returns a collector for arcs between rows 0…n-1, of which about arcs are to be expected; between
// numbers that are no rows yet, some maybe negative, if signed. Words are int32.
func New(n int, arcs int64, signed bool) *Collector {
	c := &Collector{shift: 10, signed: signed}
	if n > 0 {
		buckets := leastBuckets
		for buckets < mostBuckets && int64(buckets)*arcsPerBucket < arcs {
			buckets *= 2
		}
		c.shift = uint(max(0, bits.Len(uint(n-1))-bits.Len(uint(buckets-1))))
	}
	c.setLayout(layout{key: 1, word: 1})
	return c
}

// zigzag maps 0, -1, 1, -2, … to 0, 1, 2, 3, …
func zigzag(x int32) uint32 { return uint32(x<<1) ^ uint32(x>>31) }

func unzigzag(x uint32) int32 { return int32(x>>1) ^ -int32(x&1) }

// AddAll adds arcs. Most take the short way through it.
func (c *Collector) AddAll(recs []Arc) {
	shift, lowMask := c.shift, uint64(1)<<c.shift-1
	table, l := c.buckets, c.layout
	for _, r := range recs {
		from, to, word := uint32(r.From), uint32(r.To), r.Word
		if c.signed {
			from, to = zigzag(r.From), zigzag(r.To)
		}
		if !l.float {
			word = zigzag(int32(word))
		}
		key, i := uint64(to)<<shift|uint64(from)&lowMask, int(from>>shift)
		if i >= len(table) || key > c.keyMax || word > c.wordMax {
			c.makeRoom(i, key, word)
			table, l = c.buckets, c.layout
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
}

// makeRoom makes room for a bucket, and in the records for a key and a word.
func (c *Collector) makeRoom(i int, key uint64, word uint32) {
	if more := i + 1 - len(c.buckets); more > 0 {
		c.buckets = append(c.buckets, make([]bucket, max(more, len(c.buckets)/4, 16))...)
	}
	if key > c.keyMax || word > c.wordMax {
		l := c.layout
		l.key = max(l.key, uint8(bits.Len64(key)+7)/8)
		l.word = max(l.word, uint8(bits.Len32(word)+7)/8)
		c.setLayout(l)
	}
}

// newChunk ends a bucket's open chunk and opens another.
func (c *Collector) newChunk(b *bucket) {
	size := min(max(firstChunk, 4*len(b.buf)), chunkBytes)
	b.seal(c.layout)
	if last := len(c.spare) - 1; size == chunkBytes && last >= 0 {
		b.buf, c.spare = c.spare[last], c.spare[:last]
		return
	}
	b.buf = make([]byte, size)
}

// seal ends the open chunk. What of it is not used is given back and not cut off by a copy: of many collectors, such
// copies would all stand beside what they are of.
func (b *bucket) seal(l layout) {
	if end := min(b.pos+chunkSlack, len(b.buf)); b.pos > 0 {
		pages.Discard(b.buf[end:])
		b.full = append(b.full, chunk{b.buf[:end], l})
	}
	b.buf, b.pos = nil, 0
}

// ToFloat makes the words of arcs from now on, and of all arcs once they are unpacked, bits of a float32.
func (c *Collector) ToFloat() {
	if !c.layout.float {
		c.setLayout(layout{key: c.layout.key, word: 4, float: true})
	}
}

func (c *Collector) setLayout(l layout) {
	c.sealAll()
	c.layout = l
	c.keyMax = math.MaxUint64 >> (64 - 8*l.key)
	c.wordMax = math.MaxUint32 >> (32 - 8*l.word)
}

func (c *Collector) sealAll() {
	for i := range c.buckets {
		c.buckets[i].seal(c.layout)
	}
}

// Join moves the arcs of a collector that was made like c to c.
func (c *Collector) Join(other *Collector) {
	other.sealAll()
	c.makeRoom(len(other.buckets)-1, 0, 0)
	for i, b := range other.buckets {
		c.buckets[i].full = append(c.buckets[i].full, b.full...)
	}
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

// unpack appends the records of a chunk to recs. Tails are their low bits only.
func (c *Collector) unpack(k chunk, recs []Arc) []Arc {
	n, at, keyBytes, size := k.arcs(), 0, int(k.layout.key), int(k.layout.key+k.layout.word)
	recs = slices.Grow(recs, n)[:len(recs)+n]
	into := recs[len(recs)-n:]
	keyMask, wordMask := uint64(math.MaxUint64)>>(64-8*k.layout.key), uint32(math.MaxUint32)>>(32-8*k.layout.word)
	shift, lowMask := c.shift, uint64(1)<<c.shift-1
	for i := range into {
		data := k.data[at:]
		key, word := binary.LittleEndian.Uint64(data)&keyMask, binary.LittleEndian.Uint32(data[keyBytes:])&wordMask
		if !k.layout.float {
			word = uint32(unzigzag(word))
		}
		into[i] = Arc{int32(key & lowMask), int32(uint32(key >> shift)), word}
		at += size
	}
	if c.layout.float && !k.layout.float {
		FloatWords(into)
	}
	return recs
}

// FloatWords converts the int32 weight of every arc to the bits of a float32, which rounds as the text of the number
// would.
func FloatWords(recs []Arc) {
	for i := range recs {
		recs[i].Word = math.Float32bits(float32(int32(recs[i].Word)))
	}
}

// Renumber moves the arcs, emptying c, which is signed, to a collector by rows. The words of both are of one type.
func (c *Collector) Renumber(by *Collector, row func(int32) int32) {
	c.sealAll()
	var recs []Arc
	for i, b := range c.buckets {
		for _, k := range b.full {
			recs = c.unpack(k, recs[:0])
			if cap(k.data) == chunkBytes {
				by.spare = append(by.spare, k.data[:chunkBytes])
			}
			for at, r := range recs {
				from := unzigzag(uint32(i)<<c.shift | uint32(r.From))
				recs[at].From, recs[at].To = row(from), row(unzigzag(uint32(r.To)))
			}
			by.AddAll(recs)
		}
		c.buckets[i] = bucket{}
	}
	by.spare = nil
}
