package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestOpenCL solves on an OpenCL device as on the processor, byte by byte: in core and out of core, both halves of a symmetric matrix and one.
func TestOpenCL(t *testing.T) {
	name := openCL(t)
	if name == "" {
		t.Skip("no OpenCL device; OOC_REQUIRE_OPENCL=1 demands one")
	}
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "900", "-m", "6000", "--seed", "5").want(t, 0)
	for _, graph := range []string{"", "--undirected"} {
		for _, memory := range []string{"64MiB", "4MiB --host-memory 2MiB"} {
			var first []byte
			for _, device := range []string{"cpu", name} {
				solve := "solve g.gr --restart --algorithm blocked --tile 128 " + graph + " --device " + device + " --device-memory " + memory
				ooc(t, dir, strings.Fields(solve)...).want(t, 0, "solved")
				if data := readFile(t, dir, "g.ooc", "dist.npy"); first == nil {
					first = data
				} else if !bytes.Equal(data, first) {
					t.Errorf("%s: other distances than the processor's", solve)
				}
			}
		}
	}
	ooc(t, dir, "solve", "g.gr", "--restart", "--predecessors", "--algorithm", "blocked", "--device", name).want(t, 0, "device "+name)
	ooc(t, dir, "verify", "g.ooc", "--rows", "100").want(t, 0, "the predecessors of 100 rows lead back")
	ooc(t, dir, "solve", "g.gr", "--restart", "--device", "opencl:77").want(t, 1, "no OpenCL device: device 77: there are")
	ooc(t, dir, "devices").want(t, 0, name, "OpenCL, ")
}
