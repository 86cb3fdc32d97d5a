package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// TestOutputsOnFullVolume prints to, and writes, files on a volume that has room for a page, and then for nothing: exit
// code 5 each time, and no file that was to be made is left.
func TestOutputsOnFullVolume(t *testing.T) {
	crashtest.Slow(t)
	dir, lines := everyCommand(t)
	volume := mounted(t, "-t", "tmpfs", "-o", "size=4k", "ooc-test")
	printed := filepath.Join(volume, "printed")
	print := func(line string) (int, string) {
		file, err := os.Create(printed)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		cmd := command(t, dir, strings.Fields(line)...)
		var stderr strings.Builder
		cmd.Stdout, cmd.Stderr = file, &stderr
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode(), stderr.String()
	}
	for _, line := range []string{"sssp g.gr --source 1 --json", "mst g.gr --undirected --json",
		"query g.ooc --pairs many", "stats g.ooc --json", "export g.ooc -"} {
		writeFile(t, dir, "many", strings.Repeat("1 2\n", 5000))
		code, said := print(line)
		if info, err := os.Stat(printed); err != nil || info.Size() != 4096 {
			t.Errorf("ooc %s printed %d bytes, %v", line, info.Size(), err)
		}
		if code != class.NoSpace || !strings.Contains(said, "standard output is not complete") {
			t.Errorf("ooc %s: exit code %d\n%s", line, code, said)
		}
	}
	if err := os.Remove(printed); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(volume, "rest"), make([]byte, 8192), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	for _, line := range lines {
		if code, said := print(line); code != class.NoSpace {
			t.Errorf("ooc %s: exit code %d\n%s", line, code, said)
		}
	}
	if err := os.Remove(printed); err != nil {
		t.Fatal(err)
	}
	for _, w := range writers {
		line := strings.Fields(w.line)
		if strings.Contains(w.line, "--dry-run") {
			continue // it writes none
		}
		ooc(t, dir, append(line, filepath.Join(volume, "out"+w.ext))...).want(t, class.NoSpace,
			"no space left on device")
		if left, err := os.ReadDir(volume); err != nil || len(left) != 1 {
			t.Errorf("ooc %s left %v, %v", w.line, left, err)
		}
	}
}

// TestOutputsOnReadOnlyVolume wants commands whose output can never be made to say so before they do anything.
func TestOutputsOnReadOnlyVolume(t *testing.T) {
	dir, _ := outputs(t)
	volume := mounted(t, "-t", "tmpfs", "-o", "ro", "ooc-test")
	before := tree(t, dir)
	for _, w := range writers {
		ooc(t, dir, append(strings.Fields(w.line), filepath.Join(volume, "out"+w.ext))...).want(t, class.Failed,
			"read-only file system")
		if !maps.Equal(before, tree(t, dir)) {
			t.Errorf("ooc %s changed files", w.line)
		}
	}
}
