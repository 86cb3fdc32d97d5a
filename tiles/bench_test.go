package tiles

import (
	"fmt"
	"path/filepath"
	"testing"

	"golang.org/x/sync/errgroup"
)

// benchStore is a matrix of 1 MiB tiles, 1 GiB in all.
func benchStore(b *testing.B) *Store {
	b.Helper()
	s, err := Create(filepath.Join(b.TempDir(), "a.ooc"), testMeta(512*32, 512), nil, IDs{})
	must(b, err)
	b.Cleanup(func() { s.Close() })
	return s
}

// eachTile runs use on all tiles, from par goroutines, and counts the bytes.
func eachTile(b *testing.B, s *Store, par int, use func(buf []byte, i, j int) error) {
	side := s.Geometry().Side()
	var g errgroup.Group
	for p := range par {
		g.Go(func() error {
			buf := make([]byte, s.Geometry().TileBytes())
			for k := p; k < side*side; k += par {
				if err := use(buf, k/side, k%side); err != nil {
					return err
				}
			}
			return nil
		})
	}
	must(b, g.Wait())
}

// BenchmarkTiles copies the whole matrix per iteration: write is into pages
// that are dirty already, afterSync into pages that a checkpoint has cleaned.
func BenchmarkTiles(b *testing.B) {
	for _, par := range []int{1, 2} {
		s := benchStore(b)
		write := func(buf []byte, i, j int) error { return s.WriteTile(i, j, buf) }
		bench := func(name string, before func(), use func([]byte, int, int) error) {
			b.Run(fmt.Sprintf("%s/%d", name, par), func(b *testing.B) {
				b.SetBytes(s.Geometry().MatrixBytes())
				for b.Loop() {
					b.StopTimer()
					before()
					b.StartTimer()
					eachTile(b, s, par, use)
				}
			})
		}
		bench("write", func() {}, write)
		bench("read", func() {}, func(buf []byte, i, j int) error { return s.ReadTile(buf, i, j) })
		bench("afterSync", func() { must(b, s.Checkpoint(State{})) }, write)
		bench("sum", func() {}, func(_ []byte, i,
			j int) error {
			return s.TileSums(make([]uint32, s.meta.SumsPerTile()), i, j)
		})
		must(b, s.Close())
	}
}

// BenchmarkTouch is what one access costs besides the copy.
func BenchmarkTouch(b *testing.B) {
	s := benchStore(b)
	for b.Loop() {
		if _, err := s.ReadAt(0, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCheckpoint writes and syncs the whole matrix per iteration.
func BenchmarkCheckpoint(b *testing.B) {
	s := benchStore(b)
	b.SetBytes(s.Geometry().MatrixBytes())
	for b.Loop() {
		b.StopTimer()
		eachTile(b, s, 1, func(buf []byte, i, j int) error { return s.WriteTile(i, j, buf) })
		b.StartTimer()
		must(b, s.Checkpoint(State{}))
	}
}
