package engine_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

// TestDamagedSums demands that solving a solved store again writes checksums that are missing, and leaves alone those
// that are damaged.
func TestDamagedSums(t *testing.T) {
	r := seeds.New(t)
	p := enginetest.Solved(t, r, enginetest.RandomGraph(t, r, 100, entry.KindI32, false))
	path := filepath.Join(p.Dir(), "sums")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(good)
	bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
	o := enginetest.RandomShape(r, 100, p.Geometry().T).Options(t)
	for _, c := range []struct{ sums, want []byte }{{bad, bad}, {nil, good}} {
		err := os.Remove(path)
		if c.sums != nil {
			err = os.WriteFile(path, c.sums, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Solve(t.Context(), o)
		refused := errors.Is(err, disk.ErrCorrupt)
		if now, rerr := os.ReadFile(path); refused != (c.sums != nil) || rerr != nil || !bytes.Equal(now, c.want) {
			t.Errorf("damaged %v: %v, %v", c.sums != nil, err, rerr)
		}
	}
}
