package cpu

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/tiles/crashtest"
)

// eachPath runs a test on every path that the processor has.
func eachPath(t *testing.T, test func(t *testing.T, path string)) { ofPaths(t, PathNames(), test) }

func ofPaths(t *testing.T, names []string, test func(t *testing.T, path string)) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			needPath(t, name)
			test(t, name)
		})
	}
}

// needPath skips where the processor lacks a path; OOC_REQUIRE_AVX512 makes that a failure.
func needPath(t testing.TB, name string) {
	t.Helper()
	lacking := Lacking(name)
	if lacking == "" {
		return
	}
	if os.Getenv("OOC_REQUIRE_AVX512") == "1" {
		t.Fatal(lacking)
	}
	t.Skip(lacking)
}

// The portable path, by far the slowest, is judged with two threads only: what they share is the same for all paths.
func TestConformance(t *testing.T) {
	r := rand.New(rand.NewPCG(conformance.Seed(t), 0))
	eachPath(t, func(t *testing.T, path string) {
		threads := []int{2}
		if path != portable.name {
			threads = crashtest.Some(r, 1, []int{1, 2})
		}
		for _, n := range threads {
			conform(t, conformance.Run, path, n)
		}
	})
}

// TestCampaignLarge is the rest of the conformance suite.
func TestCampaignLarge(t *testing.T) {
	crashtest.Campaign(t)
	r := rand.New(rand.NewPCG(conformance.Seed(t), 0))
	conform(t, conformance.Run, portable.name, 1)
	paths := PathNames()
	if !crashtest.Long() { // a short campaign tries one, another in each run
		paths = paths[r.IntN(len(paths)):][:1]
	}
	ofPaths(t, paths, func(t *testing.T, path string) {
		conform(t, conformance.Large, path, 1+r.IntN(2))
	})
}

func conform(t *testing.T, suite func(*testing.T, func(int64) (kernels.Device, error)), path string, threads int) {
	t.Run(fmt.Sprintf("threads=%d", threads), func(t *testing.T) {
		suite(t, func(memory int64) (kernels.Device, error) {
			return Open(Options{Memory: memory, Threads: threads, Path: path})
		})
	})
}
