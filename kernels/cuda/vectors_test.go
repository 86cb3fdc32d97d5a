package cuda

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// TestVectorLaunches counts launches: they are what small steps cost.
func TestVectorLaunches(t *testing.T) {
	f, d := fakeDevice(t)
	f.lazy = true
	s := must(d.NewStream())
	buf := must(d.Alloc(4 << 20))
	at := func(i int64) kernels.Tile { return kernels.Tile{Buf: buf, Off: i << 18} }
	grow := func(n, steps int) error {
		return d.Grow(s, kernels.Grow{N: n, Steps: steps, Offsets: at(0), Ends: at(3), Weights: at(4), Keys: at(6),
			Parents: at(8), Tree: at(10), Least: at(15)})
	}
	pull := func(count, group int) error {
		return d.Pull(s, entry.I32,
			kernels.Pull{Block: kernels.Block{Hi: 1000, Offsets: at(0), Ends: at(1), Weights: at(2)},
				Dist: at(3), Next: at(6), Pred: at(9), Changed: at(15), Group: group, Count: count, Stride: 4000})
	}
	for what, c := range map[string]struct {
		err  func() error
		want string
	}{
		"pivots": {func() error { return d.Pivots(s, entry.F32, 64, []kernels.Tile{at(0)}, 3, 6) },
			"upload_list rank_one_f32 rank_one_f32 rank_one_f32"},
		"no pivots": {func() error { return d.Pivots(s, entry.F32, 64, []kernels.Tile{at(0)}, 6, 6) },
			"upload_list"},
		"a comparison": {func() error { return d.Differ(s, at(15), at(0), at(1), 1<<18) }, "differ_bytes"},
		"of nothing":   {func() error { return d.Differ(s, at(15), at(0), at(1), 0) }, ""},
		"a reduction": {func() error {
			return d.Least(s,
				kernels.Least{N: 900000, Source: at(0), Result: at(15)})
		}, "least_of"},
		"a few vertices":     {func() error { return grow(500, 100) }, "grow_steps"},
		"many vertices":      {func() error { return grow(100000, 2) }, "grow_take least_of grow_take least_of"},
		"a batch of vectors": {func() error { return pull(60, 4) }, "pull_i32"},
		"groups of 512":      {func() error { return pull(2, 512) }, "pull_large_i32"},
		"a block of no vertex": {func() error {
			return d.Pull(s, entry.I32,
				kernels.Pull{Block: kernels.Block{Offsets: at(0)}, Dist: at(3), Next: at(6), Pred: at(9),
					Changed: at(15), Group: 1})
		}, ""},
	} {
		f.launches = nil
		if err := c.err(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := strings.Join(f.launches, " "); got != c.want {
			t.Errorf("%s: launched %q, want %q", what, got, c.want)
		}
	}
	if err := errors.Join(s.Close(), buf.Free(), d.Close()); err != nil {
		t.Error(err)
	}
	if left := f.leaks(); left != "" {
		t.Errorf("still alive: %s", left)
	}
}

// TestVectorRefusals wants what does not fit its buffer, or is no operation, to be refused before a launch.
func TestVectorRefusals(t *testing.T) {
	f, d := fakeDevice(t)
	other := must(open(newFake(), Options{}))
	s, foreign := must(d.NewStream()), must(other.NewStream())
	buf := must(d.Alloc(4096))
	at := func(off int64) kernels.Tile { return kernels.Tile{Buf: buf, Off: off} }
	whole := kernels.Pull{Block: kernels.Block{Hi: 64, Edge: 64, Rows: 1, Weights: at(0)}, Dist: at(0), Next: at(1024),
		Pred: at(2048), Changed: at(0), Group: 1}
	changed := func(change func(p *kernels.Pull)) kernels.Pull {
		p := whole
		change(&p)
		return p
	}
	f.launches = nil
	for what, err := range map[string]error{
		"another device's stream": d.Pull(foreign, entry.I32, whole),
		"no such variant":         d.Pull(s, 17, whole),
		"vectors past the end":    d.Pull(s, entry.I32, changed(func(p *kernels.Pull) { p.Count, p.Stride = 2, 3000 })),
		"a piece past the end":    d.Pull(s, entry.I32, changed(func(p *kernels.Pull) { p.Block.Rows = 17 })),
		"a narrow piece":          d.Pull(s, entry.I32, changed(func(p *kernels.Pull) { p.Block.Edge = 63 })),
		"less than no vectors":    d.Pull(s, entry.I32, changed(func(p *kernels.Pull) { p.Count = -1 })),
		"no stream": d.Link(nil, entry.I32,
			kernels.Link{Block: whole.Block, Component: at(0), Light: at(0), Ends: at(0)}),
		"no buffer": d.Link(s, entry.I32,
			kernels.Link{Block: whole.Block, Component: at(0), Light: kernels.Tile{Buf: (*buffer)(nil)}, Ends: at(0)}),
		"no entries": d.Least(s, kernels.Least{N: 0, Source: at(0), Result: at(8)}),
		"no steps": d.Grow(s,
			kernels.Grow{N: 1, Offsets: at(0), Keys: at(0), Parents: at(0), Tree: at(0), Least: at(0)}),
		"a long comparison":  d.Differ(s, at(0), at(0), at(64), 4096),
		"tiles in no square": d.Pivots(s, entry.F32, 64, []kernels.Tile{at(0), at(0)}, 0, 1),
		"a small tile":       d.Pivots(s, entry.F32, 64, []kernels.Tile{at(0)}, 0, 1),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "cuda: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if !slices.Equal(f.launches, nil) {
		t.Errorf("launched %v", f.launches)
	}
	if err := errors.Join(s.Close(), foreign.Close(), buf.Free(), d.Close(), other.Close()); err != nil {
		t.Error(err)
	}
}
