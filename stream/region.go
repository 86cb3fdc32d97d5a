package stream

import "ooc/kernels"

// Region is a piece of memory whose users must be ordered. The zero value is a region nobody used yet.
// Its fields belong to the goroutine that calls Submit.
type Region struct {
	writer  *task
	readers []*task
}

// Slot is one tile buffer of the device, with the number of the stream that fills, updates and drains it.
type Slot struct {
	Region
	Tile   kernels.Tile
	Stream int
}

// Page is one tile of host memory: the source and target of copies.
type Page struct {
	Region
	Data []byte
}

// read makes t wait for the region's writer, and later writers wait for t.
func (r *Region) read(t *task) {
	t.after(r.writer)
	kept := r.readers[:0]
	for _, old := range r.readers {
		// A stream runs in order: its newest reader stands for all its older ones.
		if !old.finished() && !old.precedes(t) {
			kept = append(kept, old)
		}
	}
	r.readers = append(kept, t)
}

// write makes t wait for everything that used the region so far.
func (r *Region) write(t *task) {
	t.after(r.writer)
	for _, old := range r.readers {
		t.after(old)
	}
	clear(r.readers)
	r.writer, r.readers = t, r.readers[:0]
}
