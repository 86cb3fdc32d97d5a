package main

import (
	"math"
	"strings"
	"testing"

	"ooc/tiles/class"
)

// TestPlanAhead plans for machines that are not here, and compares what plans say with what can be said by hand.
func TestPlanAhead(t *testing.T) {
	dir := t.TempDir()
	planned := func(line string) (all, rounds map[string]any) {
		t.Helper()
		all = jsonLines(t, ooc(t, dir, append([]string{"plan", "--json"}, strings.Fields(line)...)...).want(t,
			0).stdout)[0]
		return all, all["plan"].(map[string]any)
	}
	near := func(what string, got any, want float64) {
		t.Helper()
		// padding, and tiles that are not as efficient as larger ones.
		if g := got.(float64); math.Abs(g/want-1) > 0.12 {
			t.Errorf("%s: %g, and not some %g", what, g, want)
		}
	}
	const n = 1e6
	_, p := planned("--vertices 1000000 --device h100 --nodes 64 --node-link 50GB/s --node-disk 2GB/s")
	near("kernels of 64", p["kernel_seconds"], n*n*n/64/18.2e12)
	near("link", p["bytes_link"], 4*n*n*(1./8+1./8-2./64))
	near("link", p["link_seconds"], 4*n*n*(1./8+1./8-2./64)/50e9)
	near("sync", p["sync_seconds"], 4*n*n/64/2e9)
	if p["bound"] != "computing" {
		t.Errorf("bound by %v", p["bound"])
	}
	_, p = planned("--vertices 1000000 --device h100 --nodes 64 --gpus-per-node 8 --node-link 400Gb/s")
	near("kernels of 512", p["kernel_seconds"], n*n*n/512/18.2e12)
	if p["devices"] != 512.0 || p["grid_rows"] != 16.0 || p["grid_cols"] != 32.0 || p["sync_seconds"] != 0.0 {
		t.Error(p)
	}
	_, p = planned("--vertices 100000 --device h200 --nodes 64 --node-link 1GB/s")
	if p["bound"] != "link" {
		t.Errorf("bound by %v", p["bound"])
	}
	if _, p = planned("--vertices 100000 --device h200 --node-disk 100MB/s"); p["bound"] != "disk" ||
		p["nodes"] != 1.0 {
		t.Errorf("bound by %v", p["bound"])
	}
	// What neither devices nor host memory hold goes through the disk.
	_, held := planned("--vertices 100000 --device h100 --device-memory 4GiB --node-disk 2GB/s")
	_, streamed := planned("--vertices 100000 --device h100 --device-memory 4GiB --host-memory 4GiB --node-disk 2GB/s")
	if streamed["bound"] != "disk" || streamed["seconds"].(float64) < 2*held["seconds"].(float64) {
		t.Errorf("%v and %v", held, streamed)
	}
	all, _ := planned("--vertices 100000 --device h100 --undirected --kind u16")
	if all["layout"] != "upper" || all["store_bytes"].(float64) > 1.1*n*n/100 {
		t.Error(all)
	}
	ooc(t, dir, "gen", "random", "g.gr", "-n", "300", "-m", "2000").want(t, 0)
	ooc(t, dir, "plan", "g.gr", "--device", "h100", "--sources", "1").want(t, 2, "leave --sources away")
	ooc(t, dir, "plan", "g.gr", "--device", "cpu,cpu", "--nodes", "2", "--node-link", "1GB/s").want(t, 0,
		"4 share the rounds, in a grid of 2×2; 2 nodes, each with 2", "each node", "bound by")
	ooc(t, dir, "plan", "--vertices", "10000000", "--device", "h100", "--node-disk", "1kB/s").want(t, 0, "centuries")
	ooc(t, dir, "solve", "g.gr", "--device", "cpu", "--algorithm", "blocked").want(t, 0)
	ooc(t, dir, "plan", "g.ooc", "--device", "cpu", "--algorithm", "blocked").want(t, 0, "it is solved")
	for line, says := range map[string]string{
		"": "takes a graph", "g.gr --vertices 5": "takes a graph", "g.gr --nodes 2": "give --node-link",
		"g.gr --node-link 1GB/s":                                 "--nodes of two or more",
		"g.gr --nodes 2 --node-link 1GB/s --algorithm eliminate": "for blocked alone",
		"g.gr --device cpu --gpus-per-node 2":                    "is for GPUs",
		"--vertices 5 --sources 1":                               "rounds solve all rows",
		"--vertices 5 --device h100 --kind f64":                  "no rate of h100 is known for entries of kind f64",
		"--vertices 5 --device h100 --predecessors":              "no rate of h100 is known for predecessors",
	} {
		ooc(t, dir, append([]string{"plan"}, strings.Fields(line)...)...).want(t, class.Usage, says)
	}
	ooc(t, dir, "solve", "g.gr", "--device", "h100").want(t, class.Usage, "want one of auto")
}
