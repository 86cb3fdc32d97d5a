package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"ooc/engine/device/registry"
)

// hog takes the memory of a GPU, but for what its driver and other processes need at least, and holds it until standard
// input ends.
func hog() int {
	d, _, err := registry.Open("cuda", 0)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if _, err := d.Alloc(d.Info().Memory - d.Info().Scratch); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// startHog starts a process that takes the memory of the GPU, and returns what ends it.
func startHog(t *testing.T) (end func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "OOC_TEST_MAIN=hog")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil || !bytes.HasPrefix(line, []byte("ready")) {
		t.Fatalf("%v: %s", err, line[:n])
	}
	return func() {
		_ = in.Close()
		_ = cmd.Wait() // it has nothing to say
	}
}

// TestCampaignMemoryTaken has another process hold the memory of the GPU: before a solve, which then takes what is
// left, or says that it cannot; and during one, which has what it needs.
func TestCampaignMemoryTaken(t *testing.T) {
	if !hasGPU(t) {
		t.Skip("there is no GPU")
	}
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "24000", "-m", "240000").want(t, 0)
	solve := []string{"solve", "g.gr", "--device", "cuda", "--algorithm", "blocked", "--tile", "1024", "--checkpoint",
		"200ms", "--out"}
	ooc(t, dir, append(solve, "whole.ooc")...).want(t, 0)
	want := checksums(t, dir, "whole.ooc")

	end := startHog(t)
	t.Log(ooc(t, dir, append(solve, "asked.ooc", "--device-memory", "8GiB")...).want(t, 1, "device memory exhausted",
		"--device-memory").stderr)
	t.Log(ooc(t, dir, append(solve, "left.ooc")...).want(t, 0).stderr)
	end()
	ooc(t, dir, append(solve, "asked.ooc", "--device-memory", "8GiB")...).want(t, 0)

	cmd := command(t, dir, append(solve, "during.ooc", "--device-memory", "256MiB", "--json")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := out.Read(first); err != nil {
		t.Fatal(err)
	}
	end = startHog(t)
	defer end()
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, store := range []string{"left.ooc", "asked.ooc", "during.ooc"} {
		if !bytes.Equal(checksums(t, dir, store), want) {
			t.Errorf("%s has other checksums", store)
		}
	}
	// A second one takes what the first left, and no context fits beside them.
	defer startHog(t)()
	ooc(t, dir, "solve", "g.gr", "--device", "cuda", "--out", "none.ooc").want(t, 1, "other processes hold it")
	ooc(t, dir, "devices").want(t, 0, "not usable")
}
