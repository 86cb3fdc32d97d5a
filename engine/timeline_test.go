package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"ooc/engine/eliminate"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/kernels/entry"
	"ooc/stream"
)

// TestTimeline wants a span of every operation that moved something, none before the solve or after it, and
// no two on one stream of the device at once.
func TestTimeline(t *testing.T) {
	r := seeds.New(t)
	p := enginetest.Create(t, enginetest.RandomGraph(t, r, 400, entry.KindI32, false), 64)
	var out bytes.Buffer
	o := enginetest.Shape{Tile: 64, Width: 1, Slots: 20, Pages: 4, Streams: 3}.Options(t)
	o.Timeline = &out
	began := time.Now()
	sum := enginetest.Solve(t, p, o)
	took := float64(time.Since(began).Microseconds() + 1)
	var events []traceEvent
	if err := json.Unmarshal(out.Bytes(), &events); err != nil {
		t.Fatal(err)
	}
	count := map[int]int64{}
	last := map[int]float64{} // by stream
	for _, e := range events {
		if e.Phase == "M" {
			continue
		}
		count[e.Stage]++
		if e.Start < 0 || e.Took < 0 || e.Start+e.Took > took {
			t.Errorf("%+v lies outside of a solve of %v µs", e, took)
		}
		if s := stream.Stage(e.Stage); s == stream.In || s == stream.Kernel || s == stream.Out {
			if e.Start < last[e.Worker]-0.01 {
				t.Errorf("%+v begins before the one before it ends at %v", e, last[e.Worker])
			}
			last[e.Worker] = e.Start + e.Took
		}
		if stream.Stage(e.Stage) == stream.Kernel && !strings.Contains(e.Name, "phase") {
			t.Errorf("%+v does not say what it does", e)
		}
	}
	tb := p.Geometry().TileBytes()
	for s, bytes := range map[stream.Stage]int64{stream.In: sum.BytesIn, stream.Out: sum.BytesOut,
		stream.Read: sum.BytesRead, stream.Write: sum.BytesWritten} {
		if got := count[int(s)]; got < bytes/tb || got == 0 {
			t.Errorf("%d spans of stage %v for %d bytes", got, s, bytes)
		}
	}
	if count[int(stream.Kernel)] == 0 || count[int(stream.Sync)] != 1 {
		t.Errorf("spans by stage: %v", count)
	}
}

// TestTimelineOfElimination wants JSON of an elimination too: empty where the core is closed in memory, with the
// spans of its rounds where it is a store.
func TestTimelineOfElimination(t *testing.T) {
	r := seeds.New(t)
	for _, most := range []int{0, 1 << 20} {
		smallCores(t, most)
		g := enginetest.RandomGraph(t, r, 400, entry.KindI32, false)
		for g.Arcs() < 4*400 { // one of few arcs is eliminated whole, and has no core
			g = enginetest.RandomGraph(t, r, 400, entry.KindI32, false)
		}
		p := enginetest.Create(t, g, 64)
		var out bytes.Buffer
		o := eliminating(t)
		o.Timeline = &out
		sum := enginetest.Solve(t, p, o)
		var events []traceEvent
		if err := json.Unmarshal(out.Bytes(), &events); err != nil {
			t.Fatalf("%v in %q", err, out.String())
		}
		spans := 0
		for _, e := range events {
			if e.Phase != "M" {
				spans++
			}
		}
		if plan.Of[*eliminate.Plan](sum.Plans).Core == 0 || (spans > 0) != (most == 0) {
			t.Errorf("cores of up to %d in memory: %d spans, a core of %d", most, spans,
				plan.Of[*eliminate.Plan](sum.Plans).Core)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no more paper") }

// TestTimelineFails wants a solve whose timeline cannot be written to be solved all the same, and to say so.
func TestTimelineFails(t *testing.T) {
	p := enginetest.Create(t, enginetest.RandomGraph(t, seeds.New(t), 100, entry.KindI32, false), 64)
	o := enginetest.Shape{Tile: 64, Width: 1, Slots: 4, Pages: 2, Streams: 1}.Options(t)
	o.Timeline = brokenWriter{}
	_, err := p.Solve(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "no more paper") {
		t.Fatalf("got %v", err)
	}
	if err := p.Solved(); err != nil {
		t.Error(err)
	}
}

// traceEvent is one event of a timeline, in microseconds.
type traceEvent struct {
	Name   string  `json:"name"`
	Phase  string  `json:"ph"`
	Start  float64 `json:"ts"`
	Took   float64 `json:"dur"`
	Stage  int     `json:"pid"`
	Worker int     `json:"tid"`
}
