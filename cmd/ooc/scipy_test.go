package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ooc/tiles/crashtest"
)

// lacking says what keeps Python from importing modules, by their names; each is tried once.
var lacking sync.Map

// needPython returns the Python to compare with, or skips where it lacks modules; OOC_REQUIRE_SCIPY=1 makes that a
// failure.
func needPython(t testing.TB, modules string) string {
	t.Helper()
	python := cmp.Or(os.Getenv("OOC_PYTHON"), "python3")
	try, _ := lacking.LoadOrStore(modules, sync.OnceValue(func() error {
		if out, err := exec.Command(python, "-c", "import "+modules).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", python, err, out)
		}
		return nil
	}))
	if err := try.(func() error)(); err != nil {
		if os.Getenv("OOC_REQUIRE_SCIPY") == "1" {
			t.Fatal(err)
		}
		t.Skipf("nothing to compare with (OOC_PYTHON names a Python that has %s): %v", modules, err)
	}
	return python
}

// scipy runs a script of testdata under a Python that has SciPy, or skips the test.
func scipy(t testing.TB, dir, script string, args ...string) string {
	t.Helper()
	python := needPython(t, "scipy")
	path, err := filepath.Abs(filepath.Join("testdata", script))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, append([]string{"-B", path}, args...)...) // -B: nothing is written beside the scripts
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", script, args, err, out)
	}
	t.Log(strings.TrimSpace(string(out)))
	return string(out)
}

// TestRomeEqualsSciPy compares all 11.2 million distances of the bundled graph exactly.
func TestRomeEqualsSciPy(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "scipy")
	dir := t.TempDir()
	ooc(t, dir, "solve", rome(t)).want(t, 0)
	if out := scipy(t, dir, "compare.py", "rome99.ooc", rome(t)); !strings.Contains(out, "11242609 distances") {
		t.Error(out)
	}
}

// TestNegativeArcsEqualSciPy compares random graphs with negative arcs, of both kinds, with Johnson's
// algorithm.
func TestNegativeArcsEqualSciPy(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "scipy")
	r := seeded(t)
	for _, kind := range []string{"i32", "f32"} {
		dir := t.TempDir()
		n := 200 + r.IntN(300)
		potential := make([]int, n)
		for i := range potential {
			potential[i] = r.IntN(1000)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "p sp %d %d\n", n, 4*n)
		for range 4 * n {
			u := r.IntN(n)
			v := (u + 1 + r.IntN(n-1)) % n
			w := 1 + r.IntN(500) + potential[u] - potential[v]
			if w == 0 {
				w = 1 // SciPy's sparse graphs cannot say zero; one more makes no cycle negative
			}
			fmt.Fprintf(&b, "a %d %d %d\n", u+1, v+1, w)
		}
		graph := writeFile(t, dir, "g.gr", b.String())
		ooc(t, dir, "solve", "g.gr", "--kind", kind).want(t, 0)
		ooc(t, dir, "verify", "g.ooc").want(t, 0, "Bellman–Ford")
		scipy(t, dir, "compare.py", "g.ooc", graph)
	}
}

// TestCalEqualsSciPy compares 200 rows of the road network of California, which is not bundled.
func TestCalEqualsSciPy(t *testing.T) {
	cal := os.Getenv("OOC_CAL_CEDGE")
	if cal == "" {
		t.Skip("OOC_CAL_CEDGE does not name cal.cedge (21,048 vertices; it takes minutes and 1.8 GB)")
	}
	dir := t.TempDir()
	ooc(t, dir, "solve", cal, "--undirected", "--columns", "id,from,to,weight").want(t, 0)
	scipy(t, dir, "compare.py", "cal.ooc", cal, "200")
}
