package tables

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"ooc/engine"
	"ooc/engine/device/registry"
	"ooc/engine/graph"
	"ooc/engine/newfile"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// random makes a graph of n vertices and 10 n arcs of weights 1…1000, the same in every run.
func random(n int, undirected bool) (*graph.Graph, error) {
	r := rand.New(rand.NewPCG(uint64(n), 10))
	options := []graph.BuildOption{graph.AsKind(entry.KindF32)}
	if undirected {
		options = append(options, graph.Undirected)
	}
	b := graph.New(n, options...)
	for range 10 * n {
		b.Add(r.IntN(n), r.IntN(n), float64(1+r.IntN(1000)))
	}
	return b.Build()
}

// solve returns the seconds of the rounds of a solve, from the graph in memory to the matrix in the page cache.
func (s *suite) solve(d kernels.Device, g *graph.Graph, l plan.Request) (seconds float64, err error) {
	dir, remove, err := newfile.Folder(s.Dir, ".ooc-tables-*")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	choice, err := engine.Choose(s.ctx, g, d, l)
	if err != nil {
		return 0, err
	}
	p, err := engine.Create(s.ctx, filepath.Join(dir, "x.ooc"), g, engine.CreateOptions{Choice: choice})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	sum, err := p.Solve(s.ctx, engine.Options{Device: d, Request: l})
	return sum.RoundsSeconds, err
}

// The power of n with which the time grows.
const (
	cubic       = 3.0
	squareGrows = 3.1 // and a pass more now and then
)

// apsp is a column of solves by an algorithm.
func (s *suite) apsp(title string, d kernels.Device, algorithm string, growth float64) column {
	return column{title: title, growth: growth, run: func(g *graph.Graph) (float64, error) {
		return s.solve(d, g, plan.Request{Algorithm: algorithm})
	}}
}

// published are the times published in 2011 for one core of a Core 2 and a GTX 560 Ti, in seconds: repeated squaring
// and Floyd–Warshall on each.
var published = [4]map[int]float64{
	{256: 0.624, 512: 5.193, 1024: 46.02, 2048: 416.8, 3072: 1518, 4096: 3621, 5120: 7303},
	{256: 0.078, 512: 0.577, 1024: 4.602, 2048: 37.893, 3072: 128.061, 4096: 301.739, 5120: 592.723},
	{256: 0.109, 512: 0.156, 1024: 0.359, 2048: 1.747, 3072: 5.709, 4096: 12.745, 5120: 25.865},
	{256: 0.124, 512: 0.14, 1024: 0.14, 2048: 0.375, 3072: 0.982, 4096: 2.106, 5120: 3.962},
}

// inCore compares repeated squaring, single-stage and blocked Floyd–Warshall where the matrix fits the device.
func inCore(s *suite) table {
	t := table{
		title: "All pairs, in core",
		note: "f32, random graphs of 10 N arcs. Squaring is repeated squaring of the whole matrix, which ends with " +
			"the pass that changes nothing;\n" +
			"single-stage is Floyd–Warshall with a launch for each pivot, blocked is Floyd–Warshall in blocks. 2011: " +
			"published, one core of a Core 2 and a GTX 560 Ti.",
		sizes: s.sizes(2048, 256, 512, 1024, 2048, 3072, 4096, 5120),
		columns: []column{
			s.apsp("one thread: squaring", s.serial, rounds.Squaring.Name(), squareGrows),
			s.apsp("one thread: blocked", s.serial, rounds.Blocked.Name(), cubic),
		},
		ratios: []ratio{{"one thread: blocked / squaring", 0, 1}},
	}
	for _, d := range s.devices {
		at := t.add(
			s.apsp(d.title+": squaring", d.device, rounds.Squaring.Name(), squareGrows),
			s.apsp(d.title+": single-stage", d.device, rounds.SingleStage.Name(), cubic),
			s.apsp(d.title+": blocked", d.device, rounds.Blocked.Name(), cubic))
		if _, ok := kernels.As[kernels.TileOps](d.device); !ok {
			t.columns[at+1].run = nil
		}
		t.ratios = append(t.ratios, ratio{d.title + ": blocked / squaring", at, at + 2},
			ratio{d.title + ": blocked / single-stage", at + 1, at + 2},
			ratio{d.title + " / one thread, blocked", 1, at + 2})
	}
	for i, title := range []string{"2011: CPU squaring", "2011: CPU FW", "2011: GPU squaring", "2011: GPU FW"} {
		t.add(column{title: title, known: published[i]})
	}
	return t
}

// publishedLarge is the same for matrices larger than the device's memory: one core, and the GPU without streams and
// with them.
var publishedLarge = [3]map[int]float64{
	{11264: 6125.262, 12288: 7952.256, 13312: 10110.59, 14336: 12627.89, 15360: 15531.75},
	{11264: 405.054, 12288: 515.83, 13312: 631.91, 14336: 774.71, 15360: 919.038},
	{11264: 244.7, 12288: 291.83, 13312: 367.1, 14336: 448.88, 15360: 533.92},
}

// share of the matrix that the device's memory holds in outOfCore.
const share = 4

// outOfCore compares rounds with synchronous copies and rounds with streams.
func outOfCore(s *suite) table {
	t := table{
		title: fmt.Sprintf("All pairs, in device memory for a %s of the matrix",
			[...]string{2: "half", 3: "third", 4: "quarter"}[share]),
		note: "f32, blocked rounds. No streams: each copy and each kernel ends before the next begins (--streams 1). " +
			"One thread has all memory.\n" +
			"On a processor, copies and kernels share cores, and streams gain what the synchronous form leaves idle.",
		sizes:   s.sizes(4096, 2048, 3072, 4096, 11264, 12288, 13312, 14336, 15360),
		columns: []column{s.apsp("one thread", s.serial, rounds.Blocked.Name(), cubic)},
	}
	for _, d := range s.devices {
		at := t.add(s.limited(d, "no streams", 1), s.limited(d, "streams", 0))
		t.ratios = append(t.ratios, ratio{d.title + ": gain of streams", at, at + 1},
			ratio{d.title + " / one thread", 0, at + 1})
	}
	for i, title := range []string{"2011: CPU", "2011: GPU, no streams", "2011: GPU, streams"} {
		t.add(column{title: title, known: publishedLarge[i]})
	}
	return t
}

// limited is a column of solves in less device memory than the matrix takes.
func (s *suite) limited(d target, title string, streams int) column {
	return column{title: d.title + ": " + title, growth: cubic, run: func(g *graph.Graph) (seconds float64, err error) {
		small, _, err := registry.Open(d.name, int64(g.N)*int64(g.N)*entry.WordBytes/share+d.device.Info().Scratch)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, small.Close()) }()
		return s.solve(small, g, plan.Request{Algorithm: rounds.Blocked.Name(), Streams: streams})
	}}
}
