package between

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
)

// pathDevices are the judge's, and a GPU where there is one.
func pathDevices(t *testing.T) []kernels.Device {
	t.Helper()
	host, err := cpu.Open(cpu.Options{Threads: 1, Memory: 2 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	all := []kernels.Device{conformance.WithBitOps(host)}
	if d := enginetest.GPU(t, 4<<30); d != nil {
		all = append(all, d)
	}
	return all
}

// hubGraph is a graph with a hub, of arcs with one weight. Behind it are, not connected with that, a path, which is
// longer than all others, and layers with more than 2⁵³ paths.
func hubGraph(t *testing.T, r *rand.Rand, n int, direction graph.BuildOption) *graph.Graph {
	t.Helper()
	const long, layers, wide = 100, 30, 4
	b := graph.New(n+long+layers*wide, direction)
	for range 1 + 3*n {
		u := r.IntN(n)
		b.Add(u, r.IntN(n), 3)
		if r.IntN(4) == 0 {
			b.Add(0, u, 3)
		}
	}
	for v := n; v < n+long-1; v++ {
		b.Add(v, v+1, 3)
	}
	for v := n + long; v < n+long+(layers-1)*wide; v++ {
		for u := range wide {
			b.Add(v, (v-n-long)/wide*wide+wide+u+n+long, 3)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestOnDevices wants of devices the bits of the processor, which does what they cannot.
func TestOnDevices(t *testing.T) {
	r := seeds.New(t)
	compared := 0
	for _, n := range []int{1, 2, 50, 700, 3000, 70000} {
		direction := []graph.BuildOption{graph.Directed, graph.Undirected}[r.IntN(2)]
		g := hubGraph(t, r, n, direction)
		q := someQuestion(r)
		var sources []int32
		for v := range int32(g.N) {
			if r.IntN(max(1, g.N/80)) == 0 || int(v) >= n && r.IntN(4) == 0 {
				sources = append(sources, v)
			}
			if !q.Endpoints && r.IntN(3) > 0 {
				q.Targets = append(q.Targets, v)
			}
		}
		ready, w := workerOf(t, g, q, sources)
		want := q.Sums(g)
		all, unit := ready.Sources()
		for i := range (all + unit - 1) / unit {
			if err := w.Do(t.Context(), i, 1); err != nil {
				t.Fatal(err)
			}
			w.AddTo(want, 0)
		}
		for _, d := range pathDevices(t) {
			if r.IntN(2) == 0 {
				d = device.Several([]kernels.Device{d, d})
			}
			workers, atOnce, why, err := ready.OnDevices(t.Context(), d, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(workers) == 0 { // the first unit has too many paths, too
				if why == "" {
					t.Errorf("%d vertices: no worker of %s", g.N, d.Info().Name)
				}
				continue
			}
			compared++
			got := q.Sums(g)
			for i := 0; i*unit < all; i += atOnce {
				w := workers[i/atOnce%len(workers)]
				count := min(atOnce, (all-i*unit+unit-1)/unit)
				if err := w.Do(t.Context(), i, count); err != nil {
					t.Fatal(err)
				}
				for k := range count {
					w.AddTo(got, k)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %d vertices, %d sources, %v: other bits than the processor's", d.Info().Name, g.N, all, q)
			}
			for _, w := range workers {
				err = errors.Join(err, w.Close())
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	if compared == 0 {
		t.Error("no device has done anything")
	}
}

// small is a device with little memory.
type small struct{ kernels.Device }

func (small) Alloc(int64) (kernels.Buffer, error) { return nil, kernels.ErrNoMemory }
func (d small) Unwrap() kernels.Device            { return d.Device }

func (d small) Info() kernels.Info {
	info := d.Device.Info()
	info.SharedCores = false
	return info
}

// TestOnDevicesAlone wants to be told why the processor does it.
func TestOnDevicesAlone(t *testing.T) {
	d := pathDevices(t)[0]
	equal, grid := hubGraph(t, seeds.New(t), 50, graph.Undirected), gridOf(t, 40, 1, 1, "i32")
	for _, c := range []struct {
		g   *graph.Graph
		d   kernels.Device
		why string
	}{
		{equal, nil, ""},
		{equal, small{d}, "cpu has no memory for that"},
		{equal, d.(interface{ Unwrap() kernels.Device }).Unwrap(), ""},
		{equal, small{d.(interface{ Unwrap() kernels.Device }).Unwrap()}, "cpu cannot"},
		{gridOf(t, 5, 1, 2, "i32"), d, "cpu takes arcs of one length"},
		{grid, d, "there are more than 2⁵³ paths to some vertices"},
	} {
		r, _ := workerOf(t, c.g, Question{Vertices: true}, nil)
		workers, _, why, err := r.OnDevices(t.Context(), c.d, 0, 0)
		if len(workers) > 0 || why != c.why || err != nil {
			t.Errorf("%d vertices: %d workers, as %q, %v; want %q", c.g.N, len(workers), why, err, c.why)
		}
	}
}
