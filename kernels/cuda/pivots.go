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
	c := d.on(s, v)
	if c.Err == nil {
		c.Err = c.stream.pivots(v, t, tiles, lo, hi)
	}
	return c.end("pivots")
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
	c := d.on(s, forAll)
	p := &differParam{flag: c.vector("flag", flag, 1), a: c.bytes("a", a, bytes), b: c.bytes("b", b, bytes),
		bytes: bytes}
	share := int64(4 * vector * kernelInfo[differs].threads) // of a block, at least
	c.launch(differs, int(min((bytes+share-1)/share, differBlocks)), paramOf(p))
	return c.end("differ")
}
