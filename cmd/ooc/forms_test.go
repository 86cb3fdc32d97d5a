//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/device/registry"
	"ooc/engine/eliminate"
	"ooc/engine/graph/read"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// form is what is stored of a problem.
type form struct {
	layout tiles.Layout
	kind   entry.Kind
	trees  bool
}

func (f form) String() string {
	text := fmt.Sprintf("%s %s", f.layout, f.kind)
	if f.trees {
		text += " with predecessors"
	}
	return text
}

// forms lists every layout with every kind, and with predecessors where they can be kept.
func forms() (all []form) {
	for _, kind := range entry.Kinds {
		for _, layout := range []tiles.Layout{tiles.Square, tiles.Upper, tiles.Rows} {
			all = append(all, form{layout, kind, false})
		}
		if kind.PairBytes() > 0 {
			all = append(all, form{tiles.Square, kind, true})
		}
	}
	return all
}

// algorithms are those that make stores of the form.
func (f form) algorithms() []string {
	switch {
	case f.trees:
		return []string{rounds.Blocked.Name(), rounds.SingleStage.Name()}
	case f.layout == tiles.Upper:
		return []string{rounds.Blocked.Name(), eliminate.Name}
	case f.layout == tiles.Rows:
		return []string{eliminate.Name}
	}
	return []string{rounds.Blocked.Name(), eliminate.Name, rounds.Squaring.Name(), rounds.SingleStage.Name()}
}

// chosen is how many rows stores of chosen rows have.
const chosen = 300

// TestCampaignForms kills solves of every layout and kind, with predecessors too, and cuts the power of others, so
// often of each: 100 times in the long campaign. Every one of them then ends as without it. The forms share the
// processors.
func TestCampaignForms(t *testing.T) {
	crashtest.Campaign(t)
	r, want := seeded(t), wantedKills(t, 1, 100)
	for _, f := range forms() {
		r := rand.New(rand.NewPCG(r.Uint64(), 1))
		t.Run(strings.ReplaceAll(f.String(), " ", "-"), func(t *testing.T) {
			t.Parallel()
			f.harm(t, r, int(want))
		})
	}
}

// harm kills and cuts until there were so many of both.
func (f form) harm(t *testing.T, r *rand.Rand, want int) {
	began, dir, k := time.Now(), t.TempDir(), &killed{device: "cpu"}
	cuts, solves, ways := 0, 0, f.algorithms()
	for ; int(k.kills.Load()) < want || cuts < want; solves++ {
		if solves > 10*want {
			t.Fatalf("%s: %d kills and %d power cuts of %d solves, not %d of each", f, k.kills.Load(), cuts, solves,
				want)
		}
		c := &killCase{device: "cpu", algorithm: ways[solves%len(ways)], kind: f.kind, n: 500 + r.IntN(500),
			tile:  64 << r.IntN(2),
			trees: f.trees, symmetric: f.layout == tiles.Upper}
		if f.layout == tiles.Rows {
			c.flags = []string{"--sources", fmt.Sprintf("1..%d", chosen)}
		} else {
			c.flags = []string{"--layout", string(f.layout)}
		}
		c.solve(t, r, dir, k, int64(want))
		if cuts < want {
			cuts += c.cutPower(t, r, dir, k, min(8, want-cuts))
		}
	}
	t.Logf("%s: %d kills and %d power cuts of %d solves, by %s, in %v; %d went on from a restore point or a note; %d "+
		"rows verified",
		f, k.kills.Load(), cuts, solves, strings.Join(ways, ", "), time.Since(began).Round(time.Second),
		k.resumed.Load(), k.rows.Load())
}

// cutPower solves the graph once more, and continues from what a disk might hold at random moments of that. It
// returns of how many.
func (c *killCase) cutPower(t *testing.T, r *rand.Rand, dir string, k *killed, most int) (cuts int) {
	t.Helper()
	for _, cut := range c.disks(t, r, dir, most) {
		c.endsAsWhole(t, dir, cut, k, append([]string{"solve", cut, "--device", "cpu", "--json"}, limits(r, c)...))
		if err := os.RemoveAll(filepath.Join(dir, cut)); err != nil {
			t.Fatal(err)
		}
		cuts++
	}
	return cuts
}

// disks solves the graph, and copies what a disk might hold at random moments into stores of their own. A checkpoint
// follows another.
func (c *killCase) disks(t *testing.T, r *rand.Rand, dir string, most int) (names []string) {
	t.Helper()
	g, _, _, err := read.Open(filepath.Join(dir, "g.gr"), read.Options{Kind: c.kind})
	if err != nil {
		t.Fatal(err)
	}
	made := engine.CreateOptions{Tile: c.tile, Predecessors: c.trees}
	if c.symmetric {
		made.Layout = tiles.Upper
	} else if c.flags[0] == "--sources" {
		for v := range int32(chosen) {
			made.Sources = append(made.Sources, v)
		}
	}
	d, _, err := registry.Open("cpu", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	store := filepath.Join(dir, "cut.ooc")
	h, err := crashtest.Watch(store)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var mu sync.Mutex // reports and checkpoints come from different goroutines; guards the rest
	cut := func() {
		mu.Lock()
		defer mu.Unlock()
		name := fmt.Sprintf("cut%d.ooc", len(names))
		if len(names) < most && r.IntN(2) == 0 && h.Cut(filepath.Join(dir, name), r) == nil {
			names = append(names, name)
		}
	}
	p, err := engine.Create(t.Context(), store, g, made)
	if err != nil {
		t.Fatal(err)
	}
	h.OnSync = func(string, bool) { cut() }
	_, err = p.Solve(t.Context(),
		engine.Options{Device: d, Request: plan.Request{Algorithm: c.algorithm}, Checkpoint: time.Microsecond,
			Interval: time.Millisecond, Progress: func(live.Status) { cut() }})
	if err == nil {
		err = p.Close()
	}
	if err == nil {
		err = os.RemoveAll(store)
	}
	if err != nil {
		t.Fatal(err)
	}
	return names
}
