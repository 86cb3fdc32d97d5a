package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/path"
)

// BenchmarkAnswers asks a store of cal.cedge for all that it may be asked for, and sets each pass over the matrix,
// with nothing of it in memory at first and then with all of it, beside dd, which reads the file past the cache.
func BenchmarkAnswers(b *testing.B) {
	file := california(b)
	dir := b.TempDir()
	wholeSolve(b, dir, file)
	store := filepath.Join(dir, "cal.ooc")
	matrix := filepath.Join(store, "dist.npy")
	for _, pass := range [][]string{{"stats"}, {"verify", "--rows", "0"}, {"verify", "--full"}, {"scrub"}} {
		b.Run(fmt.Sprint(pass), func(b *testing.B) { passes(b, dir, matrix, append(pass, store)) })
	}
	p, err := engine.OpenReadOnly(store)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	n := p.Geometry().N
	b.Run("query cold", func(b *testing.B) {
		forget(b, matrix)
		b.ReportMetric(rate(b, func() int { distances(b, p, n, 10); return 10 }, 2000), "queries/s")
	})
	b.Run("query warm", func(b *testing.B) {
		shell(b, "cat", matrix)
		b.ReportMetric(rate(b, func() int { distances(b, p, n, 1000); return 1000 }, 1<<62), "queries/s")
	})
	b.Run("path warm", func(b *testing.B) {
		b.ReportMetric(rate(b, func() int {
			pairs := make([][2]int, 1000)
			for i := range pairs {
				pairs[i] = [2]int{rand.IntN(n), rand.IntN(n)}
			}
			w, err := path.New(p)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := w.All(b.Context(), pairs); err != nil {
				b.Fatal(err)
			}
			return len(pairs)
		}, 1<<62), "paths/s")
	})
}

// passes reports GB/s of a command that reads the matrix once, cold and warm, and of dd, three alternations of each.
func passes(b *testing.B, dir, matrix string, args []string) {
	info, err := os.Stat(matrix)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var cold, warm, disk []float64
		for range 3 {
			forget(b, matrix)
			disk = append(disk, timed(func() { shell(b, "dd", "if="+matrix, "of=/dev/null", "bs=4M", "iflag=direct") }))
			forget(b, matrix)
			cold = append(cold, timed(func() { ooc(b, dir, args...).want(b, 0) }))
			shell(b, "cat", matrix)
			warm = append(warm, timed(func() { ooc(b, dir, args...).want(b, 0) }))
		}
		for _, s := range []struct {
			name    string
			seconds []float64
		}{{"cold", cold}, {"warm", warm}, {"dd", disk}} {
			slices.Sort(s.seconds)
			b.ReportMetric(float64(info.Size())/1e9/s.seconds[1], "GB/s-"+s.name)
			b.ReportMetric(float64(info.Size())/1e9/s.seconds[2], "GB/s-"+s.name+"-least")
		}
	}
}

func timed(do func()) float64 {
	began := time.Now()
	do()
	return time.Since(began).Seconds()
}

// rate does something for a second, or until there were enough, and returns how many there were in a second.
func rate(b *testing.B, do func() int, enough int) (perSecond float64) {
	for b.Loop() {
		n, began := 0, time.Now()
		for time.Since(began) < time.Second && n < enough {
			n += do()
		}
		perSecond = float64(n) / time.Since(began).Seconds()
	}
	return perSecond
}

func distances(b *testing.B, p *engine.Problem, n, count int) {
	for range count {
		if _, err := p.Distance(rand.IntN(n), rand.IntN(n)); err != nil {
			b.Fatal(err)
		}
	}
}

// forget has the system drop what it keeps of a file in memory.
func forget(b *testing.B, path string) {
	shell(b, "dd", "of="+path, "oflag=nocache", "conv=notrunc,fdatasync", "count=0")
}

func shell(b *testing.B, name string, args ...string) {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.Fatalf("%s %v: %v: %.200s", name, args, err, out)
	}
}
