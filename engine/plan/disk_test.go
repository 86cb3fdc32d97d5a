package plan

import (
	"os"
	"testing"
)

func TestTimeDisk(t *testing.T) {
	dir := t.TempDir()
	read, write, sync, err := timeDisk(dir, 3<<20+5, 2)
	if err != nil {
		t.Fatal(err)
	}
	if read <= 0 || write <= 0 || sync <= 0 {
		t.Errorf("nothing measured: %g, %g, %g", read, write, sync)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, _, _, err := timeDisk(dir+"/missing", 1<<20, 2); err == nil {
		t.Error("a missing folder was timed")
	}
}
