package cuda

import (
	"fmt"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// rankParam is Rank of vectors.cuh.
type rankParam struct {
	list         address
	t, m, k, pad int32
}

// Pivots implements kernels.TileOps: the tiles are listed once, and then each pivot is a launch.
func (d *Device) Pivots(s kernels.Stream, v entry.Variant, t int, tiles []kernels.Tile, lo, hi int) error {
	own, err := d.ownStream(s, v)
	if err == nil {
		err = own.pivots(v, t, tiles, lo, hi)
	}
	return in("pivots", err)
}

func (s *stream) pivots(v entry.Variant, t int, tiles []kernels.Tile, lo, hi int) error {
	at, m, err := s.device.square(s.form, v, t, tiles)
	if err != nil {
		return err
	}
	if lo < 0 || hi < lo || hi > m*t {
		return fmt.Errorf("%d…%d of %d tiles of %d", lo, hi-1, len(tiles), t)
	}
	list := make([]listEntry, len(at))
	for i, a := range at {
		list[i] = jobEntry(a, 0, 0, false)
	}
	p := &rankParam{t: int32(t), m: int32(m)}
	if p.list, err = s.send(list); err != nil {
		return err
	}
	f, err := s.device.kernel(v, s.form.rankOne)
	if err != nil {
		return err
	}
	blocks, q := len(tiles)*(t/baseEdge)*(t/baseEdge), paramOf(p)
	return s.device.call("cuLaunchKernel", func() (r Result) {
		for k := lo; k < hi && r == success; k++ {
			p.k = int32(k)
			r = s.device.driver.launch(f, blocks, kernelInfo[s.form.rankOne].threads, s.handle, q.at, q.bytes)
		}
		return r
	})
}

// differParam is Differ of reduce.cuh.
type differParam struct {
	flag, a, b address
	bytes      int64
}

// differBlocks is the most blocks of threads that compare: a few for each multiprocessor there is.
const differBlocks = 1024

// Differ implements kernels.TileOps.
func (d *Device) Differ(s kernels.Stream, flag, a, b kernels.Tile, bytes int64) error {
	own, err := d.ownStream(s, entry.I32)
	r := &resolver{device: d, err: err}
	p := &differParam{flag: r.vector("flag", flag, 1), a: r.bytes("a", a, bytes), b: r.bytes("b", b, bytes), bytes: bytes}
	if r.err == nil && bytes > 0 {
		const share = 4 * vector // of a thread, at least
		threads := int64(kernelInfo[differs].threads)
		r.err = own.serve(differs, int(min((bytes+share*threads-1)/(share*threads), differBlocks)), paramOf(p))
	}
	return in("differ", r.err)
}
