package plan

import (
	"os"
	"testing"
)

func TestTimeDisk(t *testing.T) {
	dir := t.TempDir()
	r, err := timeDisk(dir, 3<<20+5, 2)
	if err != nil {
		t.Fatal(err)
	}
	if r.Read <= 0 || r.Write <= 0 || r.Sync <= 0 {
		t.Errorf("nothing measured: %+v", r)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := timeDisk(dir+"/missing", 1<<20, 2); err == nil {
		t.Error("a missing folder was timed")
	}
}
