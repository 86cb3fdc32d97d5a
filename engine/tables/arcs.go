package tables

import (
	"time"

	gonum "gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"

	"ooc/engine/graph"
	"ooc/engine/mst"
	"ooc/engine/sssp"
	"ooc/kernels"
)

// bellmanFord compares the forms of a sweep over an adjacency matrix.
func bellmanFord(s *suite) table {
	t := table{
		title: "One source, Bellman–Ford over the adjacency matrix",
		note: "f32, random graphs of 10 N arcs. The number of sweeps times the fastest sweep, with the matrix on the " +
			"device. Naive is one thread for\n" +
			"each vertex, reduce a group of threads for each vertex, coarse the same over the transposed matrix. " +
			"Groups are the fastest of those tried.",
		sizes:   s.sizes(4096, 256, 512, 1024, 2048, 4096, 8192),
		columns: []column{s.sweeps("one thread: naive", s.serial, "naive")},
	}
	for _, d := range s.devices {
		if _, ok := kernels.As[kernels.VectorOps](d.device); !ok {
			continue
		}
		at := t.add(s.sweeps(d.title+": naive", d.device, "naive"), s.sweeps(d.title+": reduce", d.device, "reduce"),
			s.sweeps(d.title+": coarse", d.device, "coarse"))
		t.ratios = append(t.ratios, ratio{d.title + ": reduce / naive", at, at + 1},
			ratio{d.title + ": coarse / naive", at, at + 2},
			ratio{d.title + ": coarse / one thread", 0, at + 2})
	}
	return t
}

func (s *suite) sweeps(title string, d kernels.Device, method string) column {
	return column{title: title, growth: 2.3, run: func(g *graph.Graph) (float64, error) {
		r, err := sssp.Run(s.ctx, g, sssp.Options{Device: d, Sources: []int{0}, Method: method, Matrix: true})
		if err != nil {
			return 0, err
		}
		return r.Summary.SweepBest * float64(r.Summary.Sweeps), nil
	}}
}

// spanningTrees compares Prim's algorithm by a reduction with a serial library's, and with Borůvka's.
func spanningTrees(s *suite) table {
	t := table{
		title: "Minimum spanning tree",
		note: "f32, random graphs of 10 N edges of weights 1…1000. The serial library is gonum's Prim, with a heap; " +
			"prim takes one reduction over\n" +
			"all vertices for each vertex, boruvka some passes over all edges. With copies to the device and back, " +
			"without building the graph.",
		sizes:   s.sizes(8192, 128, 256, 512, 1024, 2048, 4096, 8192, 16384),
		columns: []column{gonumPrim, s.trees("one thread: prim", s.serial, "prim")},
		ratios:  []ratio{{"one thread: prim / gonum", 0, 1}},
	}
	for _, d := range s.devices {
		if _, ok := kernels.As[kernels.VectorOps](d.device); !ok {
			continue
		}
		at := t.add(s.trees(d.title+": prim", d.device, "prim"), s.trees(d.title+": boruvka", d.device, "boruvka"))
		t.ratios = append(t.ratios, ratio{d.title + ": prim / gonum", 0, at},
			ratio{d.title + ": boruvka / gonum", 0, at + 1})
	}
	return t
}

func (s *suite) trees(title string, d kernels.Device, method string) column {
	return column{title: title, growth: 2, undirected: true, run: func(g *graph.Graph) (float64, error) {
		r, err := mst.Run(s.ctx, g, mst.Options{Device: d, Method: method})
		if err != nil {
			return 0, err
		}
		return r.Summary.Seconds, nil
	}}
}

var gonumPrim = column{title: "gonum: Prim", growth: 1.2, undirected: true, run: func(g *graph.Graph) (float64, error) {
	theirs := simple.NewWeightedUndirectedGraph(0, 0)
	for v := range g.N {
		theirs.AddNode(simple.Node(v))
	}
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			if v := int(g.Targets[k]); u < v {
				theirs.SetWeightedEdge(theirs.NewWeightedEdge(simple.Node(u), simple.Node(v), g.Weight(k)))
			}
		}
	}
	began := time.Now()
	gonum.Prim(simple.NewWeightedUndirectedGraph(0, 0), theirs)
	return time.Since(began).Seconds(), nil
}}
