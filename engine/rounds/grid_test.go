package rounds

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/kernels/entry"
)

// drawn draws a board for people: the phase, . for none, and * behind what is on its way.
func drawn(b *live.Board) string {
	var s strings.Builder
	for k, c := range b.Cells {
		s.WriteByte(".123"[c.Phase()])
		if c.Working() {
			s.WriteByte('*')
		}
		if (k+1)%b.Across == 0 {
			s.WriteByte('\n')
		}
	}
	return s.String()
}

func TestBoardOfARound(t *testing.T) {
	g := newGrid(gridOf(4, false), 4, 1)
	if got := drawn(g.board(g.least(), 1)); got != "....\n....\n....\n....\n" {
		t.Errorf("at the start:\n%s", got)
	}
	g.finished(1*4+1, 2, 1)
	for x := range 4 {
		if x != 1 {
			g.finished(1*4+x, 2, 2)
			g.finished(x*4+1, 2, 2)
		}
	}
	g.begun(0)
	g.finished(3, 2, 3)
	b := g.board(g.least(), 1)
	if got := drawn(b); got != ".*2.3\n2122\n.2..\n.2..\n" || b.Cells[5].Share() != 1 || b.Cells[0].Share() != 0 {
		t.Errorf("in the middle of the round:\n%s", got)
	}
	g.finished(2*4+2, 3, 1)
	if c := g.board(g.least(), 1).Cells[2*4+2]; !c.Ahead() || c.Phase() != 1 {
		t.Errorf("a tile of the next round: %b", c)
	}
	for i := range 16 {
		g.finished(i, 4, 3)
	}
	if got := drawn(g.board(g.least(), 1)); got != "3333\n3333\n3333\n3333\n" {
		t.Errorf("at the end:\n%s", got)
	}
}

// TestBoardOfManyTiles: a cell keeps the least phase of its tiles, that one is at work, and the share.
func TestBoardOfManyTiles(t *testing.T) {
	r := seeds.New(t)
	for range 50 {
		side := 1 + r.IntN(300)
		g := newGrid(gridOf(side, false), side, 0)
		for i := range g.tiles {
			if r.IntN(2) == 0 {
				g.finished(i, 1, 1+r.IntN(3))
			}
			if r.IntN(5) == 0 {
				g.begun(i)
			}
		}
		b := g.board(0, 1)
		f := entry.CeilDiv(side, 64)
		if len(b.Cells) != b.Across*b.Down || b.Across != entry.CeilDiv(side, f) || b.Down != b.Across {
			t.Fatalf("side %d: %d×%d cells", side, b.Across, b.Down)
		}
		for range 20 {
			i, j := r.IntN(b.Down), r.IntN(b.Across)
			phase, done, all, working := 4, 0, 0, false
			for y := i * f; y < min(side, (i+1)*f); y++ {
				for x := j * f; x < min(side, (j+1)*f); x++ {
					word := g.tiles[y*side+x].Load()
					all++
					working = working || word&gridWorking != 0
					if word>>gridDone > 0 {
						done++
						phase = min(phase, int(word>>gridPhase)&3)
					}
				}
			}
			c := b.Cells[i*b.Across+j]
			if c.Phase() != phase%4 || c.Working() != working || (c.Share() == 1) != (done == all) ||
				(c.Share() == 0) != (done == 0) {
				t.Fatalf("cell (%d,%d): %b; %d of %d tiles are done, least phase %d, working %v", i, j, c, done, all,
					phase, working)
			}
		}
		if small := b.Fit(20, 10); len(small.Cells) != small.Across*small.Down || small.Across > 20 || small.Down > 10 {
			t.Fatalf("%d×%d cells in 20×10: %d×%d", b.Across, b.Down, small.Across, small.Down)
		}
	}
}

// TestWordsOfParts brings the words of all parts from one grid to another.
func TestWordsOfParts(t *testing.T) {
	r := seeds.New(t)
	for range 50 {
		geom := gridOf(1+r.IntN(20), r.IntN(2) == 0)
		from, to := newGrid(geom, geom.Side(), 0), newGrid(geom, geom.Side(), 0)
		for i := range from.tiles {
			from.tiles[i].Store(r.Uint32())
		}
		p := whole(geom, 1+r.IntN(3))
		p.rows, p.cols, p.first = 1+r.IntN(4), 1+r.IntN(4), r.IntN(geom.Side())
		for p.index = range p.rows * p.cols {
			list := from.words(p)
			to.take(p, list)
			for i := range from.tiles {
				if own := p.owns(geom.TileAt(i)); own && len(list) == 0 || own && list[0] != from.tiles[i].Load() {
					t.Fatalf("%+v: tile %d of part %+v: %d", geom, i, p, list)
				} else if own {
					list = list[1:]
				}
			}
			if len(list) > 0 {
				t.Fatalf("%+v: part %+v has %d words too many", geom, p, len(list))
			}
		}
		for i := range from.tiles {
			if from.tiles[i].Load() != to.tiles[i].Load() {
				t.Fatalf("%+v, parts %+v: tile %d was not taken", geom, p, i)
			}
		}
	}
}

// TestDevicesTogether wants the sums of devices that a status does not name.
func TestDevicesTogether(t *testing.T) {
	r := seeds.New(t)
	for _, n := range []int{mostNamed, mostNamed + 1, 512} {
		list, rate := make([]live.Device, n), 0.0
		for i := range list {
			list[i] = live.Device{Name: fmt.Sprint(i), Rate: float64(r.IntN(1000)), Busy: 0.5}
			rate += list[i].Rate
		}
		got := together(list)
		for _, d := range got {
			if rate -= d.Rate; math.Abs(d.Busy-0.5) > 1e-9 {
				t.Errorf("%d devices: %+v", n, d)
			}
		}
		if rate != 0 || len(got) > mostNamed || n > mostNamed &&
			got[mostNamed-1].Name != fmt.Sprintf("%d more", n-mostNamed+1) {
			t.Errorf("%d devices: %d, rates differ by %v: %+v", n, len(got), rate, got[len(got)-1])
		}
	}
}
