//go:build linux && !race

package read

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"ooc/engine/graph/gen"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// TestMemory reads more than 2²⁴ arcs, from which on memory is given back at once, in a process of its own, whose
// anonymous memory must stay within that of the CSR and a tenth more. (The race detector takes more.)
func TestMemory(t *testing.T) {
	if path := os.Getenv("OOC_TEST_MEMORY"); path != "" {
		measureMemory(t, path)
		return
	}
	crashtest.Slow(t) // it writes 330 MB and reads them
	path := filepath.Join(t.TempDir(), "g.gr")
	o := gen.Options{N: 400_000, M: 17_000_000, Seed: uint64(time.Now().UnixNano())}
	if err := gen.File(context.Background(), "random", o, path); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, "-test.run=^TestMemory$", "-test.v")
		cmd.Env = append(os.Environ(), "OOC_TEST_MEMORY="+path, "OOC_TEST_KIND="+string(kind))
		out, err := cmd.CombinedOutput()
		t.Logf("%s: %s", kind, bytes.TrimSpace(out))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func measureMemory(t *testing.T, path string) {
	done, most := make(chan bool), make(chan int64)
	before := anonymous(t)
	go func() {
		peak := int64(0)
		for {
			select {
			case <-done:
				most <- peak
				return
			case <-time.After(time.Millisecond):
				peak = max(peak, anonymous(t))
			}
		}
	}()
	g, _, err := readFile(path, Options{Kind: entry.Kind(os.Getenv("OOC_TEST_KIND"))})
	close(done)
	peak := <-most - before
	if err != nil {
		t.Fatal(err)
	}
	csr := 8 * (int64(g.N) + 1 + g.Arcs())
	fmt.Printf("%d arcs, CSR %d MB, most %d MB: %.3f\n", g.Arcs(), csr/1e6, peak/1e6, float64(peak)/float64(csr))
	const buffers = 8 << 20 // and the runtime, which do not grow with the graph
	if peak > csr+csr/10+buffers {
		t.Error("that is too much")
	}
}

// anonymous returns the anonymous memory of this process, in bytes.
func anonymous(t *testing.T) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Error(err)
		return 0
	}
	_, line, _ := bytes.Cut(status, []byte("RssAnon:"))
	size, err := strconv.ParseInt(string(bytes.Fields(line)[0]), 10, 64)
	if err != nil {
		t.Error(err)
	}
	return size << 10
}
