package tiles

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"ooc/tiles/internal/hook"
)

// withoutMapping runs tests once more on stores whose matrix is not mapped.
func withoutMapping(t *testing.T, tests map[string]func(*testing.T)) {
	t.Helper()
	hook.ByFile = true
	t.Cleanup(func() { hook.ByFile = false })
	for name, test := range tests {
		t.Run(name, test)
	}
}

// TestByFile runs the tests of all that is read from a matrix and written to it, and of what a cut file, a kill, and a failed sync do.
func TestByFile(t *testing.T) {
	withoutMapping(t, map[string]func(*testing.T){
		"TilesRowsAndEntries": TestTilesRowsAndEntries, "ReadEntries": TestReadEntries, "ReadEntriesErrors": TestReadEntriesErrors, "PartialStore": TestPartialStore,
		"Pairs": TestPairs, "WritePredecessors": TestWritePredecessors, "UpperReads": TestUpperReads, "UpperWrites": TestUpperWrites, "UpperDamage": TestUpperDamage,
		"TileSums": TestTileSums, "ReadsAreChecked": TestReadsAreChecked, "ArgumentsAreChecked": TestArgumentsAreChecked, "Beside": TestBeside,
		"CutUnderTheMapping": TestCutUnderTheMapping, "RemovedMatrix": TestRemovedMatrix, "ManyGoroutines": TestManyGoroutines, "CloseWhileInUse": TestCloseWhileInUse,
		"Checkpoints": TestCheckpoints, "FailedSync": TestFailedSync, "NoteAfterKill": TestNoteAfterKill, "SolveKilled": TestSolveKilled, "RandomHistory": TestRandomHistory,
		"ReadersWhileReplaced": TestReadersWhileReplaced, "Live": TestLive,
	})
}

// TestNetworkIsNotMapped: on a network file system a writer, a reader and whoever writes beside have no mapping; elsewhere they have one,
// until they are told to go by the file. What was written before is there then.
func TestNetworkIsNotMapped(t *testing.T) {
	for _, volume := range []string{"", "nfs"} {
		dir := filepath.Join(t.TempDir(), "a.ooc")
		hook.Set(dir, &hook.Hooks{Volume: volume})
		defer hook.Set(dir, nil)
		s, err := Create(dir, testMeta(150, 64), nil, IDs{})
		must(t, err)
		defer s.Close()
		reader, err := OpenReadOnly(dir)
		must(t, err)
		defer reader.Close()
		beside, err := OpenBeside(dir, s.Meta().ID)
		must(t, err)
		defer beside.Close()
		for _, store := range []*Store{s, reader, beside} {
			if mapped := len(store.mem) > 0; mapped != (volume == "") {
				t.Errorf("on %q: mapped: %v", volume, mapped)
			}
		}
		rng, got := seeded(t), make([]byte, s.Geometry().TileBytes())
		for i, writer := range []*Store{s, beside} {
			tile := randomTile(s.Geometry(), rng)
			must(t, writer.WriteTile(i, 2, tile))
			must(t, writer.ByFile())
			must(t, writer.ByFile())
			if len(writer.mem) > 0 || writer.mem == nil {
				t.Errorf("on %q: it is mapped still, or closed", volume)
			}
			for _, store := range []*Store{s, reader, beside} {
				must(t, store.ReadTile(got, i, 2))
				if !bytes.Equal(got, tile) {
					t.Errorf("on %q: tile (%d,2) is another", volume, i)
				}
			}
		}
		must(t, s.Checkpoint(State{Done: 1}))
		must(t, beside.SyncTiles())
		must(t, s.Close())
		if err := s.ByFile(); !errors.Is(err, ErrClosed) {
			t.Errorf("a closed store: %v", err)
		}
	}
}
