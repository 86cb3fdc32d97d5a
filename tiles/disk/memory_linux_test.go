package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInMemory asks about every folder that the list of mounts says is in memory, as /dev/shm, and one that is not.
func TestInMemory(t *testing.T) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{} // by folder: a later mount hides an earlier one
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 2 {
			types[f[1]] = f[2]
		}
	}
	asked := 0
	for dir, is := range types {
		if fi, err := os.Stat(dir); is != "tmpfs" || err != nil || !fi.IsDir() {
			continue
		}
		asked++
		if !InMemory(filepath.Join(dir, "missing")) {
			t.Errorf("%s is a tmpfs, and not in memory", dir)
		}
	}
	if asked == 0 {
		t.Error("no tmpfs is mounted to ask about")
	}
	if InMemory("/proc/missing") {
		t.Error("/proc holds files in memory")
	}
}
