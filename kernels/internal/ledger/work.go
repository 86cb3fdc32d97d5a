package ledger

import (
	"errors"
	"math/rand/v2"
	"time"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// Work is products of random tiles on a device, ready to be measured. None reads another's result.
type Work struct {
	Relaxations float64 // of one run
	stream      kernels.Stream
	buffer      kernels.Buffer
	variant     entry.Variant
	t           int
	products    []kernels.Product
}

// NewWork makes count products of t×(m·t)×t, in tiles of edge t, with predecessors if they are of pairs.
func NewWork(d kernels.Device, v entry.Variant, t, m, count int, pairs bool) (w *Work, err error) {
	w = &Work{Relaxations: float64(t) * float64(t) * float64(t) * float64(m*count), variant: v, t: t}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	newStream, each := d.NewStream, v.Bytes()
	if ops, ok := kernels.As[kernels.TileOps](d); ok && pairs {
		newStream, each = ops.NewTrackingStream, v.Kind().PairBytes()
	}
	if w.stream, err = newStream(); err != nil {
		return w, err
	}
	host, r := make([]byte, t*t*each), rand.New(rand.NewPCG(1, 2))
	for at := 0; at < len(host); at += each {
		v.Kind().Put(host[at:], 0, v.Kind().Bits(float64(r.Int32N(int32(entry.Inf16)+1))))
	}
	if w.buffer, err = d.Alloc(int64(2*m+count) * int64(len(host))); err != nil {
		return w, err
	}
	tile := func(i int) kernels.Tile { return kernels.Tile{Buf: w.buffer, Off: int64(i) * int64(len(host))} }
	for i := range 2*m + count {
		err = errors.Join(err, w.stream.CopyIn(tile(i), host))
	}
	for i := range count {
		p := kernels.Product{C: tile(2*m + i)}
		for k := range m {
			p.A, p.B = append(p.A, tile(2*k)), append(p.B, tile(2*k+1))
		}
		w.products = append(w.products, p)
	}
	return w, errors.Join(err, w.stream.Sync())
}

// Run returns the time of the products once.
func (w *Work) Run() (time.Duration, error) {
	start := time.Now()
	err := errors.Join(w.stream.MinPlus(w.variant, w.t, w.products), w.stream.Sync())
	return time.Since(start), err
}

// Close gives back what NewWork took.
func (w *Work) Close() (err error) {
	if w.stream != nil {
		err = w.stream.Close()
	}
	if w.buffer != nil {
		err = errors.Join(err, w.buffer.Free())
	}
	return err
}
