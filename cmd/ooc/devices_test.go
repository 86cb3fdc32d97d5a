package main

import (
	"bytes"
	"testing"
)

// TestSeveralDevices solves, and gathers statistics, with two devices as with one, and wants commands that use one to
// refuse a list.
func TestSeveralDevices(t *testing.T) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "400", "-m", "3000").want(t, 0)
	ooc(t, dir, "solve", "g.gr", "--out", "one.ooc", "--tile", "64", "--algorithm", "blocked", "--device",
		"cpu").want(t, 0)
	for _, algorithm := range []string{"blocked", "eliminate"} {
		out := algorithm + ".ooc"
		ooc(t, dir, "solve", "g.gr", "--out", out, "--tile", "64", "--algorithm", algorithm, "--device",
			"cpu,cpu").want(t, 0, "2 × ")
		if !bytes.Equal(readFile(t, dir, out, "dist.npy"), readFile(t, dir, "one.ooc", "dist.npy")) {
			t.Errorf("%s: two devices and one differ", algorithm)
		}
	}
	one := ooc(t, dir, "stats", "g.gr", "--csv").want(t, 0).stdout
	if two := ooc(t, dir, "stats", "g.gr", "--csv", "--device", "cpu,cpu").want(t, 0).stdout; one != two {
		t.Error("statistics on two devices and one differ")
	}
	ooc(t, dir, "plan", "g.gr", "--algorithm", "blocked", "--device", "cpu,cpu").want(t, 0, "2 share the rounds")
	ooc(t, dir, "solve", "g.gr", "--out", "s.ooc", "--algorithm", "squaring", "--device", "cpu,cpu").want(t, 2,
		"squaring runs on one device")
	for _, args := range [][]string{
		{"solve", "g.gr", "one.ooc", "--device", "cpu,cpu"}, {"sssp", "g.gr", "--source", "1", "--device", "cpu,cpu"},
		{"mst", "g.gr", "--undirected", "--device", "cpu,cpu"},
	} {
		ooc(t, dir, args...).want(t, 2, "runs on one device; name one")
	}
	for _, name := range []string{"cpu,", "cpu:1", "cuda:2-1", "cuda:0,x", "cuda:0-99"} {
		ooc(t, dir, "solve", "g.gr", "--out", "s.ooc", "--device", name).want(t, 2)
	}
}
