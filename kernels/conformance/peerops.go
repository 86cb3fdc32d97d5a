package conformance

import (
	"bytes"
	"testing"

	"ooc/kernels"
)

// PeerOps runs the part of the suite that judges a device's kernels.PeerOps, with another device that it reaches.
func PeerOps(t *testing.T, open, other opener) {
	b, d := benchOf[kernels.PeerOps](t, open)
	source := newBench(t, other, 0, Seed(t))
	const size, tile, at = 1 << 20, 64 * 64 * 4, 4096
	buf, err := source.device.Alloc(size)
	b.must(err)
	own, err := b.device.Alloc(size)
	b.must(err)
	for range 2 { // the way may be open already
		if !d.Reaches(buf) {
			t.Fatal("the devices do not reach each other")
		}
	}
	words := make([]byte, size)
	for i := range words {
		words[i] = byte(b.Uint32())
	}
	before, got := bytes.Repeat([]byte{0x5A}, size), make([]byte, size)
	b.must(source.stream.CopyIn(kernels.Tile{Buf: buf}, words))
	b.must(source.stream.Sync())
	b.must(b.stream.CopyIn(kernels.Tile{Buf: own}, before))
	b.must(d.CopyPeer(b.stream, kernels.Tile{Buf: own, Off: at}, kernels.Tile{Buf: buf, Off: 2 * at}, tile))
	b.done(b.stream.CopyOut(got, kernels.Tile{Buf: own}))
	copy(before[at:], words[2*at:][:tile])
	if !bytes.Equal(got, before) {
		t.Error("the copy differs from the source, or reaches beyond its end")
	}
	// A copy goes in the order of its stream.
	b.must(d.CopyPeer(b.stream, kernels.Tile{Buf: own}, kernels.Tile{Buf: buf}, size))
	b.must(b.stream.CopyOut(got, kernels.Tile{Buf: own}))
	b.done(d.CopyPeer(b.stream, kernels.Tile{Buf: own}, kernels.Tile{Buf: own, Off: size / 2}, size/2))
	if !bytes.Equal(got, words) {
		t.Error("a copy did not wait for that before it, or for that after it")
	}
	b.wantErrors(map[string]error{
		"a copy beyond the source":          d.CopyPeer(b.stream, kernels.Tile{Buf: own}, kernels.Tile{Buf: buf, Off: at}, size),
		"a copy beyond the result":          d.CopyPeer(b.stream, kernels.Tile{Buf: own, Off: at}, kernels.Tile{Buf: buf}, size),
		"a copy into another device":        d.CopyPeer(b.stream, kernels.Tile{Buf: buf}, kernels.Tile{Buf: own}, tile),
		"a copy from nowhere":               d.CopyPeer(b.stream, kernels.Tile{Buf: own}, kernels.Tile{}, tile),
		"a copy on another device's stream": d.CopyPeer(source.stream, kernels.Tile{Buf: own}, kernels.Tile{Buf: buf}, tile),
	})
	if d.Reaches(nil) {
		t.Error("no buffer is reached")
	}
	b.must(buf.Free())
	if err := d.CopyPeer(b.stream, kernels.Tile{Buf: own}, kernels.Tile{Buf: buf}, tile); err == nil {
		t.Error("no error for a copy of freed memory")
	}
	b.must(own.Free())
}
