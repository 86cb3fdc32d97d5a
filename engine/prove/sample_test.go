package prove

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ooc/engine"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

// TestWrongEntryIsFound changes one distance and demands that a verification of its row names it.
func TestWrongEntryIsFound(t *testing.T) {
	g := enginetest.RandomGraph(t, seeds.New(t), 100, entry.KindI32, false)
	p := enginetest.Create(t, g, 64)
	enginetest.Solve(t, p, enginetest.RandomShape(rand.New(rand.NewPCG(1, 1)), 100, 64).Options(t))
	f, err := os.OpenFile(filepath.Join(p.Dir(), "dist.npy"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	at := p.Geometry().TileOffset(1, 0) + 4*(3*64+5) // entry (67, 5)
	if _, err := f.WriteAt([]byte{1, 2, 3, 0}, at); err != nil {
		t.Fatal(err)
	}
	if _, err := Sample(context.Background(), p, 0, 1); !errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("checksums: %v", err)
	}
	sums, err := p.Store().Sums()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Store().TileSums(sums[1*2+0:][:1], 1, 0); err != nil { // as if the solve itself had been wrong
		t.Fatal(err)
	}
	if err := p.Store().WriteSums(sums); err != nil {
		t.Fatal(err)
	}
	if _, err := Sample(context.Background(), p, 100, 1); !errors.Is(err, engine.ErrWrong) {
		t.Errorf("rows: %v", err)
	}
}
