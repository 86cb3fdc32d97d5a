package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/graph/read"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// generateNegative makes a random graph of 1,501 vertices that searches do not take, as a weight is negative.
func generateNegative(t *testing.T, dir, name string) {
	t.Helper()
	ooc(t, dir, "gen", "random", name, "-n", "1500", "-m", "9000", "--seed", "7").want(t, 0)
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, name, strings.Replace(string(text), "p sp 1500 9000", "p sp 1501 9001", 1)+"a 1501 1 -1\n")
}

// TestRoomForCore has volumes with room for a store and the core that its elimination leaves, for the store alone,
// and for neither: what does not fit is refused before anything is made, what can be solved without the core is, and
// plans say it all.
func TestRoomForCore(t *testing.T) {
	crashtest.Slow(t)
	t.Setenv("GOMAXPROCS", "2") // the less of them, the less of its memory a processor needs itself
	dir := t.TempDir()
	generateNegative(t, dir, "g.gr")
	graph := filepath.Join(dir, "g.gr")
	// With so little memory the core, of some 860 vertices, does not fit the device: 9 MB of store, and 3 beside it.
	with := []string{"--device", "cpu", "--device-memory", "3MiB"}
	solve := func(vol, what string, more ...string) result {
		return ooc(t, vol, slices.Concat([]string{"solve", what}, with, more)...)
	}
	plan := func(vol, what string, more ...string) map[string]any {
		t.Helper()
		return jsonLines(t, ooc(t, vol, slices.Concat([]string{"plan", what, "--json"}, with, more)...).want(t,
			0).stdout)[0]
	}
	empty := func(vol string) {
		t.Helper()
		if left, err := os.ReadDir(vol); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
	eliminate := []string{"--algorithm", "eliminate"}
	volume := func(size string) string { return mounted(t, "-t", "tmpfs", "-o", "size="+size, "ooc-test") }

	small := volume("8m")
	for _, more := range [][]string{nil, eliminate, {"--algorithm", "blocked"}, {"--predecessors"}} {
		solve(small, graph, more...).want(t, class.NoSpace, "no space")
		solve(small, graph, append(more, "--dry-run")...).want(t, class.NoSpace, "no space")
		if p := plan(small, graph, more...); p["store_bytes"].(float64) <= p["room_bytes"].(float64) {
			t.Errorf("%v: planned %v", more, p)
		}
		ooc(t, small, slices.Concat([]string{"plan", graph}, with, more)...).want(t, 0, "disk", "no space",
			"on another volume: ooc solve --out")
		empty(small)
	}

	// A matrix that is compressed is read from a copy, which takes 9 MB beside the store while that is filled.
	var entries []float32
	for i := range 1500 * 1500 {
		entries = append(entries, float32(i%97+1))
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprintf(z, "\x93NUMPY\x01\x00\x76\x00%-117s\n",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1500, 1500), }")
	if err := errors.Join(binary.Write(z, binary.LittleEndian, entries), z.Close()); err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, "m.npy.gz", packed.String())
	matrix := filepath.Join(dir, "m.npy.gz")
	ooc(t, small, "plan", matrix).want(t, 0, "beside it", "no space")
	ooc(t, small, "plan", matrix, "--sources", "random:5").want(t, class.Usage, "sources")
	empty(small)
	middle := volume("15m")
	ooc(t, middle, "plan", matrix).want(t, 0, "beside it", "no space")
	ooc(t, middle, "solve", matrix, "--dry-run").want(t, class.NoSpace, "beside it")
	ooc(t, middle, "solve", matrix).want(t, class.NoSpace, "no space")
	empty(middle)
	must(t, "mount", "-o", "remount,size=20m", middle)
	ooc(t, middle, "solve", matrix, "--dry-run").want(t, 0)
	ooc(t, middle, "solve", matrix).want(t, 0)

	one := volume("11m")
	// The core that pays best has no room beside the store. A smaller one, which memory holds, needs none.
	solve(one, graph, append(eliminate, "--dry-run")...).want(t, 0, "eliminate")
	if p := plan(one, graph, eliminate...); p["beside_bytes"] != 0.0 {
		t.Errorf("planned %v", p)
	}
	empty(one)
	solve(one, graph, eliminate...).want(t, 0, "no space", "by eliminate", "core of")
	ooc(t, one, "verify", "g.ooc").want(t, 0)
	if err := os.RemoveAll(filepath.Join(one, "g.ooc")); err != nil {
		t.Fatal(err)
	}
	if p := plan(one, graph); p["algorithm"] != "blocked" {
		t.Errorf("planned %v", p)
	}
	solve(one, graph, "--dry-run").want(t, 0, "blocked")
	empty(one)
	solve(one, graph).want(t, 0, "core of", "by blocked")
	ooc(t, one, "verify", "g.ooc").want(t, 0)
	if err := os.RemoveAll(filepath.Join(one, "g.ooc")); err != nil {
		t.Fatal(err)
	}
	// An import that died once it had reserved its matrix.
	if err := os.Mkdir(filepath.Join(one, "g.ooc"), 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(one, "g.ooc"), "lock", "ooc lock\n")
	must(t, "fallocate", "-l", "9m", filepath.Join(one, "g.ooc", "dist.npy"))
	solve(one, graph).want(t, 0)
	solve(one, graph, "--restart").want(t, 0)

	both := volume("13m")
	g, _, _, err := read.Open(graph, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Create(t.Context(), filepath.Join(both, "g.ooc"), g, engine.CreateOptions{})
	if err == nil {
		err = p.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	free := fill(t, both)
	if p := plan(both, "g.ooc"); p["algorithm"] == "eliminate" { // whose core has no room
		t.Errorf("planned %v", p)
	}
	solve(both, "g.ooc").want(t, 0, "solved")
	solve(both, "g.ooc", append(eliminate, "--restart")...).want(t, 0, "core of")
	free()
	solve(both, "g.ooc", append(eliminate, "--restart")...).want(t, 0, "core of")
	ooc(t, both, "verify", "g.ooc").want(t, 0)
}

// TestBatchRoomForCores has room for the stores of a batch and not for their cores: jobs are solved without. Where
// the stores themselves have no room, the batch ends before it begins.
func TestBatchRoomForCores(t *testing.T) {
	crashtest.Slow(t)
	t.Setenv("GOMAXPROCS", "2")
	dir := t.TempDir()
	for _, name := range []string{"a.gr", "b.gr"} {
		generateNegative(t, dir, name)
	}
	vol := mounted(t, "-t", "tmpfs", "-o", "size=20m", "ooc-test") // each takes 9.1 MiB, and its core 3.1
	batch := func(more ...string) result {
		return ooc(t, vol, slices.Concat([]string{"solve", filepath.Join(dir, "a.gr"), filepath.Join(dir, "b.gr"),
			"--device", "cpu", "--device-memory", "3MiB"}, more)...)
	}
	batch("--algorithm", "eliminate", "--dry-run").want(t, 0, "eliminate") // of smaller cores, which memory holds
	must(t, "mount", "-o", "remount,size=16m", vol)
	for range 2 {
		batch("--algorithm", "eliminate", "--dry-run").want(t, class.NoSpace, "free some")
		batch("--algorithm", "eliminate").want(t, class.NoSpace, "free some")
		if left, err := os.ReadDir(vol); err != nil || len(left) != 0 {
			t.Fatalf("left behind: %v, %v", left, err)
		}
	}
	must(t, "mount", "-o", "remount,size=20m", vol)
	batch("--dry-run").want(t, 0, "blocked")
	batch().want(t, 0, "b.ooc")
	for _, store := range []string{"a.ooc", "b.ooc"} {
		ooc(t, vol, "status", store).want(t, 0, "solved", "algorithm blocked")
	}
	for _, store := range []string{"a.ooc", "b.ooc"} {
		if err := os.RemoveAll(filepath.Join(vol, store)); err != nil {
			t.Fatal(err)
		}
	}
	// Room for one core, which is more than half of what there is for two: one job takes it, and the other does
	// without.
	must(t, "mount", "-o", "remount,size=22500k", vol)
	writeFile(t, dir, "jobs", dir+"/a.gr --algorithm eliminate\n"+dir+"/b.gr\n")
	for _, more := range [][]string{{"--dry-run"}, nil} {
		ooc(t, vol, append([]string{"solve", "--jobs", filepath.Join(dir, "jobs"), "--device", "cpu", "--device-memory",
			"3MiB"}, more...)...).want(t, 0, "b.ooc")
	}
	for store, algorithm := range map[string]string{"a.ooc": "eliminate", "b.ooc": "blocked"} {
		ooc(t, vol, "status", store).want(t, 0, "solved", "algorithm "+algorithm)
	}
	must(t, "mount", "-o", "remount,size=30m", vol)
	batch("--algorithm", "eliminate", "--restart").want(t, 0)
	ooc(t, vol, "status", "a.ooc").want(t, 0, "solved", "algorithm eliminate")
}
