package batch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/device/registry"
	"ooc/engine/graph/read"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// solver is a Runner that reads and solves graphs as the command does.
type solver struct {
	jobs []Job
}

func (s *solver) Open(_ context.Context, i int, _ bool, d kernels.Device) (Work, error) {
	g, _, _, err := read.Open(s.jobs[i].Input, read.Options{})
	if err != nil {
		return nil, err
	}
	choice, err := engine.Choose(context.Background(), g, d, plan.Request{})
	if err != nil {
		return nil, err
	}
	p, err := engine.Create(context.Background(), s.jobs[i].Store, g, engine.CreateOptions{Choice: choice})
	if err != nil {
		return nil, err
	}
	return &solving{p, d}, nil
}

type solving struct {
	*engine.Problem
	device kernels.Device
}

func (s *solving) Solve(ctx context.Context) (task.Summary, error) {
	return s.Problem.Solve(ctx, engine.Options{Device: s.device})
}

// benchDevice is the device that OOC_DEVICE names, the processor if none.
func benchDevice(b *testing.B) *device.Shared {
	name := os.Getenv("OOC_DEVICE")
	if name == "" {
		return sharedDevice(b)
	}
	d, _, err := registry.Open(name, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := d.Close(); err != nil {
			b.Error(err)
		}
	})
	return &device.Shared{On: d}
}

// BenchmarkShared solves 60 graphs of OOC_N (800) vertices with 5 arcs each from files into stores in OOC_DIR: one
// at a time, and so many at once, on OOC_DEVICE.
func BenchmarkShared(b *testing.B) {
	n := 800
	if v, err := strconv.Atoi(os.Getenv("OOC_N")); err == nil {
		n = v
	}
	dir, err := os.MkdirTemp(os.Getenv("OOC_DIR"), "batch")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	jobs := someJobs(dir, 60)
	needs := make([]Need, len(jobs))
	r := rand.New(rand.NewPCG(1, 1))
	for i, j := range jobs {
		text := fmt.Appendf(nil, "p sp %d %d\n", n, 5*n)
		for range 5 * n {
			text = fmt.Appendf(text, "a %d %d %d\n", 1+r.IntN(n), 1+r.IntN(n), 1+r.IntN(1000))
		}
		if err := os.WriteFile(j.Input, text, 0o666); err != nil {
			b.Fatal(err)
		}
		needs[i] = Need{Vertices: n, Bytes: int64(n) * int64(n) * entry.WordBytes}
	}
	d := benchDevice(b)
	defer func(was int) { atOnce = was }(atOnce)
	for _, atOnce = range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("n=%d/at-once=%d", n, atOnce), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				clean(b, dir)
				l := queueOf(b, dir, len(jobs))
				b.StartTimer()
				if err := Run(b.Context(), l, needs, d, &solver{jobs}, Options{}); err != nil {
					b.Fatal(err)
				}
				if err := l.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// clean removes stores and queues.
func clean(b *testing.B, dir string) {
	for _, pattern := range []string{"*.ooc", "*" + extension} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			b.Fatal(err)
		}
		for _, path := range found {
			if err := os.RemoveAll(path); err != nil {
				b.Fatal(err)
			}
		}
	}
}
