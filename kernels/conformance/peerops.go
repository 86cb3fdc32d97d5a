package conformance

import (
	"testing"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// PeerOps runs the part of the suite that judges a device's kernels.PeerOps, with another device that it reaches.
func PeerOps(t *testing.T, open, other opener) {
	b, d := benchOf[kernels.PeerOps](t, open)
	source := newBench(t, other, 0, Seed(t))
	const n, at, part, all = 1 << 18, 1024, 64 * 64, 1 << 20 // words, but for all: bytes
	words, want := b.garbage(n, wordBytes), b.garbage(n, wordBytes)
	from, own := source.upload(words), b.upload(want)
	past := func(t kernels.Tile, words int) kernels.Tile {
		return kernels.Tile{Buf: t.Buf, Off: int64(words * wordBytes)}
	}
	for range 2 { // the way may be open already
		if !d.Reaches(from.Buf) {
			t.Fatal("the devices do not reach each other")
		}
	}
	if d.Reaches(nil) {
		t.Error("no buffer is reached")
	}
	b.done(d.CopyPeer(b.stream, past(own, at), past(from, 2*at), part*wordBytes))
	copy(want[at:], words[2*at:][:part])
	b.same(entry.I32, "a copy of a part", b.download(own, n), want)
	// A copy waits for that before it, and for that after it.
	got := make([]byte, all)
	b.must(d.CopyPeer(b.stream, own, from, all))
	b.must(b.stream.CopyOut(got, own))
	b.done(d.CopyPeer(b.stream, own, past(own, n/2), all/2))
	b.same(entry.I32, "a copy in the order of its stream", unpack(got, wordBytes), words)
	gone, err := source.device.Alloc(all)
	b.must(err)
	b.must(gone.Free())
	b.wantErrors(map[string]error{
		"a copy beyond the source":          d.CopyPeer(b.stream, own, past(from, at), all),
		"a copy beyond the result":          d.CopyPeer(b.stream, past(own, at), from, all),
		"a copy into another device":        d.CopyPeer(b.stream, from, own, part),
		"a copy from nowhere":               d.CopyPeer(b.stream, own, kernels.Tile{}, part),
		"a copy on another device's stream": d.CopyPeer(source.stream, own, from, part),
		"a copy of freed memory":            d.CopyPeer(b.stream, own, kernels.Tile{Buf: gone}, part),
	})
}
