package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ooc/tiles/crashtest"
)

// memoryGroup is a memory cgroup of a test, of either version.
type memoryGroup struct{ dir, used, limit, anonymous string }

// newMemoryGroup makes a cgroup below the process's own, or skips the test.
func newMemoryGroup(t *testing.T, limit int64) *memoryGroup {
	t.Helper()
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	var tried []error
	for line := range strings.Lines(string(data)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		g := &memoryGroup{used: "memory.current", limit: "memory.max", anonymous: "anon"}
		root := "/sys/fs/cgroup"
		switch {
		case len(parts) < 3:
			continue
		case slices.Contains(strings.Split(parts[1], ","), "memory"):
			g = &memoryGroup{used: "memory.usage_in_bytes", limit: "memory.limit_in_bytes", anonymous: "total_rss"}
			root = "/sys/fs/cgroup/memory"
		case parts[1] != "":
			continue
		}
		g.dir = filepath.Join(root, parts[2], fmt.Sprintf("ooc-test-%d", os.Getpid()))
		if err = os.Mkdir(g.dir, 0o777); err == nil {
			if err = os.WriteFile(filepath.Join(g.dir, g.limit), fmt.Append(nil, limit), 0o666); err == nil {
				t.Cleanup(func() { os.Remove(g.dir) })
				return g
			}
			os.Remove(g.dir)
		}
		tried = append(tried, err)
	}
	if os.Getenv("OOC_REQUIRE_CGROUP") == "1" {
		t.Fatalf("no memory cgroup can be made: %v", tried)
	}
	t.Skipf("no memory cgroup can be made here: %v", tried)
	return nil
}

// rss is what the cgroup's processes hold beside files, in bytes.
func (g *memoryGroup) rss(t *testing.T) int64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(g.dir, "memory.stat"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name == g.anonymous {
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("%s is not in memory.stat", g.anonymous)
	return 0
}

// soakTime is how long the soak goes on: what OOC_SOAK says, else an hour in the long campaign; without either the
// test is skipped.
func soakTime(t *testing.T) time.Duration {
	text := os.Getenv("OOC_SOAK")
	if text == "" && !crashtest.Long() {
		t.Skip("it takes an hour: of OOC_CAMPAIGN=long only, or OOC_SOAK=1h go test -v -timeout 0 -run CampaignSoak " +
			"./cmd/ooc")
	} else if text == "" {
		text = "1h"
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("OOC_SOAK: %v", err)
	}
	if end, limited := t.Deadline(); limited && time.Until(end) < d+d/2 {
		t.Fatalf("OOC_SOAK=%v, and go test ends it sooner: give -timeout 0 too", d)
	}
	return d
}

// TestCampaignSoak solves one graph over and over in a memory cgroup of a quarter of its matrix, page cache included.
// Every solve ends, and ends the same; the rates and the memory are for whoever reads them.
func TestCampaignSoak(t *testing.T) {
	const n, limit = 12288, int64(144 << 20)
	until := time.Now().Add(soakTime(t))
	g := newMemoryGroup(t, limit)
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", fmt.Sprint(n), "-m", fmt.Sprint(8*n), "--seed", "3").want(t, 0)
	var first []byte
	var rates []float64
	var held []int64
	solves := 0
	for ; solves == 0 || time.Now().Before(until); solves++ {
		began, before := time.Now(), len(rates)
		g.solve(t, dir, &rates, &held)
		t.Logf("solve %d took %v; at most %d MiB beside files", solves+1, time.Since(began).Round(time.Second),
			slices.Max(append(held[before:], 0))>>20)
		sums := checksums(t, dir, "g.ooc")
		if first == nil {
			first = sums
		}
		if !bytes.Equal(sums, first) {
			t.Fatalf("solve %d ended with other checksums than the first", solves+1)
		}
	}
	t.Logf("%d solves of %d vertices (%d MiB) in %d MiB", solves, n, n*n*4>>20, limit>>20)
	if len(rates) >= 20 {
		worst := rates[0]
		for i := range len(rates) - 9 {
			sum := 0.0
			for _, r := range rates[i : i+10] {
				sum += r / 10
			}
			if i == 0 || sum < worst {
				worst = sum
			}
		}
		sorted := slices.Sorted(slices.Values(rates))
		median := sorted[len(sorted)/2]
		half := len(held) / 2
		t.Logf("rate: median %.3g relax/s, worst 10 s %.3g (%.0f %%); memory beside files: at most %d MiB in the "+
			"first half, %d MiB in the second",
			median, worst, 100*worst/median, slices.Max(held[:half])>>20, slices.Max(held[half:])>>20)
	}
}

// solve runs one solve in the cgroup, and books its rate and its memory each second.
func (g *memoryGroup) solve(t *testing.T, dir string, rates *[]float64, held *[]int64) {
	t.Helper()
	self := command(t, dir)
	args := []string{"-c", `echo $$ > "$0" && exec "$@"`, filepath.Join(g.dir, "cgroup.procs"), self.Path,
		"solve", "g.gr", "--restart", "--json", "--algorithm", "blocked", "--checkpoint", "10s"}
	cmd := exec.Command("sh", args...)
	cmd.Dir, cmd.Env = dir, self.Env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		v := jsonLines(t, lines.Text())
		if rate, ok := v[0]["relaxations_per_second"].(float64); ok && v[0]["type"] == "status" &&
			v[0]["state"] == "running" && rate > 0 {
			*rates, *held = append(*rates, rate), append(*held, g.rss(t))
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
}
