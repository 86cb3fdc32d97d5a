package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ooc/kernels/opencl"
)

// TestOpenCL solves on an OpenCL device as on the processor, byte by byte: in core and out of core, both halves of a
// symmetric matrix and one.
func TestOpenCL(t *testing.T) {
	name := openCL(t)
	if name == "" {
		t.Skip("no OpenCL device; OOC_REQUIRE_OPENCL=1 demands one")
	}
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "900", "-m", "6000", "--seed", "5").want(t, 0)
	for _, graph := range []string{"", "--undirected"} {
		for _, memory := range []string{"64MiB", "17MiB --host-memory 2MiB"} {
			var first []byte
			for _, device := range []string{"cpu", name} {
				solve := "solve g.gr --restart --algorithm blocked --tile 128 " + graph + " --device " + device +
					" --device-memory " + memory
				ooc(t, dir, strings.Fields(solve)...).want(t, 0, "solved")
				if data := readFile(t, dir, "g.ooc", "dist.npy"); first == nil {
					first = data
				} else if !bytes.Equal(data, first) {
					t.Errorf("%s: other distances than the processor's", solve)
				}
			}
		}
	}
	ooc(t, dir, "gen", "road", "road.gr", "-n", "300", "--seed", "5").want(t, 0)
	ooc(t, dir, "solve", "road.gr", "--algorithm", "eliminate", "--device", "cpu").want(t, 0)
	first := readFile(t, dir, "road.ooc", "dist.npy")
	expanded := ooc(t, dir, "solve", "road.gr", "--restart", "--algorithm", "eliminate", "--device", name, "--json")
	if expanded.want(t, 0); strings.Contains(expanded.stdout, `"lanes":0`) ||
		!bytes.Equal(readFile(t, dir, "road.ooc", "dist.npy"), first) {
		t.Errorf("an expansion has other distances than the processor's, or ran there: %s", expanded.stdout)
	}
	ooc(t, dir, "solve", "g.gr", "--restart", "--predecessors", "--algorithm", "blocked", "--device", name).want(t, 0,
		"device "+name)
	ooc(t, dir, "verify", "g.ooc", "--rows", "100").want(t, 0, "the predecessors of 100 rows lead back")
	ooc(t, dir, "devices").want(t, 0, name, "OpenCL, ")
}

// TestOpenCLBroken wants drivers that are not there, that are none, and whose compiler fails to be told, and auto to
// do without.
func TestOpenCLBroken(t *testing.T) {
	name := openCL(t)
	if name == "" {
		t.Skip("no OpenCL device; OOC_REQUIRE_OPENCL=1 demands one")
	}
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "100", "-m", "600", "--seed", "5").want(t, 0)
	solve := func(device string) result {
		return ooc(t, dir, "solve", "g.gr", "--restart", "--algorithm", "blocked", "--device", device)
	}
	solve("opencl:77").want(t, 1, "no OpenCL device: device 77: there are", "--device auto")
	for names, says := range map[string]string{"libnothere.so.1": "cannot be loaded: libnothere.so.1",
		"libm.so.6": "is none: "} {
		vendors := t.TempDir()
		if err := os.WriteFile(filepath.Join(vendors, "broken.icd"), []byte(names+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("OCL_ICD_VENDORS", vendors)
		says = "the driver that " + filepath.Join(vendors, "broken.icd") + " names " + says
		solve("opencl").want(t, 1, "no OpenCL device", says)
		solve("auto").want(t, 0, "solved")
		ooc(t, dir, "devices").want(t, 0, "not usable", says)
	}
	t.Setenv("OCL_ICD_VENDORS", t.TempDir())
	solve("opencl").want(t, 1, "is the driver's package for OpenCL installed?")
	if err := os.Unsetenv("OCL_ICD_VENDORS"); err != nil {
		t.Fatal(err)
	}
	all, err := opencl.List()
	if err != nil || !slices.ContainsFunc(all,
		func(f opencl.Found) bool { return f.Platform == "Portable Computing Language" }) {
		t.Skipf("the compiler of another driver than PoCL's is not broken: %v", err)
	}
	t.Setenv("POCL_EXTRA_BUILD_FLAGS", "-Dkernel=nonsense")
	t.Setenv("POCL_CACHE_DIR", t.TempDir())
	solve(name).want(t, 1, "CL_BUILD_PROGRAM_FAILURE", "unknown type name 'nonsense'", "--device cpu")
}
