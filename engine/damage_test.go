package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/prove"
	"ooc/engine/rounds"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
)

// TestCampaignDamage flips bits of a solved matrix, swaps tiles, and puts back tiles of an earlier round, one fault
// at a time: scrub names each damaged tile and no other.
func TestCampaignDamage(t *testing.T) {
	crashtest.Campaign(t)
	r := seeds.New(t)
	d := newDamage(t, r)
	for _, c := range []struct {
		what  string
		times int
		do    func() (tiles []int)
	}{
		{"bits flipped", crashtest.Times(60, 1000), d.flip},
		{"pairs of tiles swapped", crashtest.Times(10, 100), d.swap},
		{"stale tiles", crashtest.Times(10, 100), d.stale},
	} {
		for range c.times {
			d.want(t, c.what, c.do())
		}
		t.Logf("%d %s, all named", c.times, c.what)
	}
}

// damage is a solved store that is damaged and mended over and over.
type damage struct {
	r          *rand.Rand
	p          *engine.Problem
	good, past []byte // the matrix, and what it was before the last rounds
}

func newDamage(t *testing.T, r *rand.Rand) *damage {
	t.Helper()
	n := 400 + r.IntN(200)
	b := graph.New(n, graph.AsKind(entry.KindI32))
	for u := range n { // everything is reached, and from everywhere, so that every tile changes until late
		b.Add(u, (u+1)%n, float64(1000+r.IntN(1000)))
		b.Add(u, r.IntN(n), float64(1+r.IntN(5000)))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "x.ooc")
	c := &faultCase{device: campaignDevice(t, enginetest.Devices(t)["cpu"]), algorithm: rounds.Blocked.Name(), g: g}
	if err := c.run(dir, &fault{at: c.count(t).asked * 2 / 3, stays: true}); !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	d := &damage{r: r, past: enginetest.MatrixFile(t, dir)}
	if d.p, err = engine.Open(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.p.Close() })
	if err := c.solve(d.p, &fault{}); err != nil {
		t.Fatal(err)
	}
	d.good = enginetest.MatrixFile(t, dir)
	return d
}

func (d *damage) tile(of []byte, k int) []byte {
	side := d.p.Geometry().Side()
	return of[d.p.Geometry().TileOffset(k/side, k%side):][:d.p.Geometry().TileBytes()]
}

func (d *damage) write(k int, data []byte) {
	side := d.p.Geometry().Side()
	if err := d.p.Store().WriteTile(k/side, k%side, data); err != nil {
		panic(err)
	}
}

func (d *damage) flip() []int {
	k := d.r.IntN(d.p.Geometry().Tiles())
	bad := bytes.Clone(d.tile(d.good, k))
	bad[d.r.IntN(len(bad))] ^= 1 << d.r.IntN(8)
	d.write(k, bad)
	return []int{k}
}

func (d *damage) swap() []int {
	for {
		a, b := d.r.IntN(d.p.Geometry().Tiles()), d.r.IntN(d.p.Geometry().Tiles())
		if !bytes.Equal(d.tile(d.good, a), d.tile(d.good, b)) {
			d.write(a, d.tile(d.good, b))
			d.write(b, d.tile(d.good, a))
			return []int{a, b}
		}
	}
}

func (d *damage) stale() []int {
	for k := d.r.IntN(d.p.Geometry().Tiles()); ; k = (k + 1) % d.p.Geometry().Tiles() {
		if !bytes.Equal(d.tile(d.good, k), d.tile(d.past, k)) {
			d.write(k, d.tile(d.past, k))
			return []int{k}
		}
	}
}

// want scrubs, compares what is named with what was done, and mends it.
func (d *damage) want(t *testing.T, what string, damaged []int) {
	t.Helper()
	var named []string
	s, err := prove.Scrub(t.Context(), d.p,
		prove.ScrubOptions{Damaged: func(err error) { named = append(named, err.Error()) }})
	text := strings.Join(named, "\n")
	if !errors.Is(err, disk.ErrCorrupt) || s.Damaged != len(damaged) || len(named) != len(damaged) {
		t.Fatalf("%s, tiles %v: %+v, %v, %s", what, damaged, s, err, text)
	}
	for _, k := range damaged {
		if side := d.p.Geometry().Side(); !strings.Contains(text, fmt.Sprintf("tile (%d,%d)", k/side, k%side)) {
			t.Errorf("%s: tile %d is not in %s", what, k, text)
		}
		d.write(k, d.tile(d.good, k))
	}
}

// TestCampaignState damages the state of a half-done store on disk: the next solve goes on from the other slot, or
// refuses, and ends with the same matrix.
func TestCampaignState(t *testing.T) {
	crashtest.Campaign(t)
	r := seeds.New(t)
	c := &faultCase{device: campaignDevice(t, enginetest.Devices(t)["cpu"]), algorithm: rounds.Blocked.Name(),
		g: enginetest.RandomGraph(t, r, 380, entry.KindI32, false)}
	c.count(t)
	half := c.halfDone(t, r)
	good, err := os.ReadFile(filepath.Join(half, "state"))
	if err != nil {
		t.Fatal(err)
	}
	refused, times := 0, crashtest.Times(20, 2000)
	for range times {
		bad := bytes.Clone(good)
		for range 1 + r.IntN(2) { // of one slot or of both
			at := r.IntN(len(bad))
			if r.IntN(2) == 0 {
				at = at / 4096 * 4096 // in what counts most
				at += r.IntN(512)
			}
			bad[at] ^= 1 << r.IntN(8)
		}
		if r.IntN(3) == 0 {
			bad = bad[:r.IntN(len(bad))]
		}
		if c.goOn(t, half, bad) {
			refused++
		}
	}
	t.Logf("%d damaged states, %d refused", times, refused)
}

// goOn solves a copy of a store with another state, and says whether that was refused.
func (c *faultCase) goOn(t *testing.T, half string, state []byte) (refused bool) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x.ooc")
	err := os.CopyFS(dir, os.DirFS(half))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "state"), state, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	p, err := engine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	switch err := c.solve(p, &fault{}); {
	case errors.Is(err, disk.ErrCorrupt):
		return true
	case err != nil:
		t.Errorf("state of %d bytes: %v", len(state), err)
	case !bytes.Equal(enginetest.MatrixFile(t, dir), c.want):
		t.Errorf("state of %d bytes: the matrix differs", len(state))
	}
	return false
}
