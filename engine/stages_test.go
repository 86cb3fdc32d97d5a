package engine_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/stats"
	"ooc/kernels/entry"
)

// TestEveryStageSaysHowFarItIs wants each stage that takes a while to show a share of its own and a rate once work is
// done, and what is shown of the whole never to fall.
func TestEveryStageSaysHowFarItIs(t *testing.T) {
	const side = 24 // of a cube of vertices, of which much is left to close
	r, b := seeds.New(t), graph.New(side*side*side, graph.AsKind(entry.KindI32))
	slope := graph.New(side*side*side, graph.AsKind(entry.KindI32)) // with negative weights, which only factors take
	for v := range side * side * side {
		for step, at := range map[int]int{1: v % side, side: v / side % side, side * side: v / side / side} {
			if at < side-1 {
				there, back := float64(1+r.IntN(1000)), float64(1+r.IntN(1000))
				b.Add(v, v+step, there).Add(v+step, v, back)
				slope.Add(v, v+step, there-500).Add(v+step, v, back+500)
			}
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	sloping, err := slope.Build()
	if err != nil {
		t.Fatal(err)
	}
	made, factors := keepsFactors(t)
	factors.Algorithm = "factors"
	solve := func(made engine.CreateOptions, o engine.Options) func(*testing.T, func(live.Status)) {
		return func(t *testing.T, progress func(live.Status)) {
			p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "g.ooc"), g, made)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			o.Interval, o.Progress = time.Millisecond, progress
			enginetest.Solve(t, p, o)
		}
	}
	rows := factors
	rows.Algorithm = eliminate.Name
	searches := factors
	searches.Algorithm = "searches"
	some := engine.CreateOptions{Sources: []int32{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	for name, c := range map[string]struct {
		run    func(*testing.T, func(live.Status))
		stages []live.Stage
	}{
		"rows": {solve(some, rows), []live.Stage{live.StageOrder, live.StageEliminate, live.StageCore}},
		"factors": {solve(made, factors),
			[]live.Stage{live.StageOrder, live.StageEliminate, live.StageCore, live.StageWrite}},
		"searches": {solve(made, searches), nil},
		"statistics": {func(t *testing.T, progress func(live.Status)) {
			file := filepath.Join(t.TempDir(), "s")
			o := stats.GraphOptions{File: file, Interval: time.Millisecond, Progress: progress}
			if _, _, err := stats.OfGraph(context.Background(), sloping, o); err != nil {
				t.Fatal(err)
			}
		}, []live.Stage{live.StageOrder, live.StageEliminate, live.StageCore, live.StageExpand}},
	} {
		t.Run(name, func(t *testing.T) {
			told, before := map[live.Stage]int{}, 0.0
			c.run(t, func(st live.Status) {
				if st.Progress < before || st.Progress > 1 || st.RestorePoint > st.Progress {
					t.Errorf("progress %v after %v: %+v", st.Progress, before, st)
				}
				before = st.Progress
				rate := st.Rate + st.VertexRate + st.DistanceRate + st.WriteRate
				if st.StageProgress > 0 && st.State == live.Running {
					if told[st.Stage]++; rate <= 0 {
						t.Errorf("%.1f %% of stage %s are done, at no rate: %+v", 100*st.StageProgress, st.Stage, st)
					}
				}
			})
			for _, stage := range c.stages {
				if told[stage] == 0 {
					t.Errorf("stage %s never said how far it was", stage)
				}
			}
			if before != 1 {
				t.Errorf("at the end, progress is %v", before)
			}
		})
	}
}
