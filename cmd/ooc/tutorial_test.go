package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestTutorial types what docs/tutorial.md tells readers to type, in its order and in one folder, and wants the output that stands there. An … in
// a line stands for any text, and a line of … alone for any lines.
func TestTutorial(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tutorial is for a Unix shell")
	}
	text := readFile(t, "..", "..", "docs", "tutorial.md")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nOOC_TEST_MAIN=1 exec '%s' \"$@\"\n", self)
	if err := os.WriteFile(filepath.Join(bin, "ooc"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	typed := 0
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for _, entry := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			line, want, _ := strings.Cut(strings.TrimSuffix(entry, "\n"), "\n")
			if strings.Contains(line, "<<END") {
				line, want = entry, ""
			}
			cmd := exec.Command("bash", "-c", line)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := cmd.Output()
			if got := strings.TrimSuffix(string(out), "\n"); err != nil || !likeOutput(want, got) {
				t.Errorf("$ %s\n%s\n%v; the tutorial has\n%s", line, got, err, want)
			}
			typed++
		}
	}
	if typed < 20 {
		t.Errorf("%d commands in the tutorial", typed)
	}
}

// likeOutput reports whether an output is what the tutorial shows.
func likeOutput(want, got string) bool {
	var pattern []string
	for line := range strings.SplitSeq(want, "\n") {
		if line == "…" {
			pattern = append(pattern, "(?s:.*)")
			continue
		}
		pattern = append(pattern, strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*"))
	}
	lines := strings.Join(pattern, "\n")
	for _, all := range []string{"(?s:.*)\n", "\n(?s:.*)"} { // no lines at all, too
		lines = strings.ReplaceAll(lines, all, "("+all+")?")
	}
	return slices.Contains([]string{want}, got) || regexp.MustCompile("^"+lines+"$").MatchString(got)
}
