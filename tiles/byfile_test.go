package tiles

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ooc/tiles/disk"
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

// TestByFile runs the tests of all that is read from a matrix and written to it, and of what a cut file, a kill, and
// a failed sync do.
func TestByFile(t *testing.T) {
	withoutMapping(t, map[string]func(*testing.T){
		"TilesRowsAndEntries": TestTilesRowsAndEntries, "ReadEntries": TestReadEntries,
		"ReadEntriesErrors": TestReadEntriesErrors, "PartialStore": TestPartialStore,
		"Pairs": TestPairs, "WritePredecessors": TestWritePredecessors, "UpperReads": TestUpperReads,
		"UpperWrites": TestUpperWrites, "UpperDamage": TestUpperDamage,
		"TileSums": TestTileSums, "ReadsAreChecked": TestReadsAreChecked,
		"ArgumentsAreChecked": TestArgumentsAreChecked, "Beside": TestBeside,
		"CutUnderTheMapping": TestCutUnderTheMapping, "RemovedMatrix": TestRemovedMatrix,
		"ManyGoroutines": TestManyGoroutines, "CloseWhileInUse": TestCloseWhileInUse,
		"Checkpoints": TestCheckpoints, "FailedSync": TestFailedSync, "NoteAfterKill": TestNoteAfterKill,
		"SolveKilled": TestSolveKilled, "RandomHistory": TestRandomHistory,
		"ReadersWhileReplaced": TestReadersWhileReplaced, "Live": TestLive,
	})
}

// TestNetworkIsNotMapped: on a network file system a writer, a reader and whoever writes beside have no mapping;
// elsewhere they have one, until they are told to go by the file. What was written before is there then.
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
		if err := s.ByFile(); !errors.Is(err, errClosed) {
			t.Errorf("a closed store: %v", err)
		}
	}
}

// TestFileFaults: a file that ends early and a medium that fails are damage, a quota is no space, and whatever else
// the system says is neither.
func TestFileFaults(t *testing.T) {
	s := newStore(t, 150, 64)
	for _, c := range []struct{ err, kind error }{
		{io.EOF, disk.ErrCorrupt}, {syscall.EIO, disk.ErrCorrupt},
		{syscall.ENOSPC, disk.ErrNoSpace}, {syscall.EDQUOT, disk.ErrNoSpace}, {syscall.EFBIG, disk.ErrNoSpace},
		{syscall.ESTALE, nil}, {syscall.ETIMEDOUT, nil}, {syscall.EACCES, nil}, {syscall.EINTR, nil},
	} {
		for _, op := range []string{"read", "write"} {
			err := s.fileFault(op, 1, 2, 4096, &fs.PathError{Op: "pread", Path: s.dist.Name(), Err: c.err})
			for _, kind := range []error{disk.ErrCorrupt, disk.ErrNoSpace} {
				if errors.Is(err, kind) != (kind == c.kind) {
					t.Errorf("%v: %v", c.err, err)
				}
			}
			f := (*FaultError)(nil)
			if !errors.Is(err, c.err) || !errors.As(err, &f) || f.Op != op || f.File != s.dist.Name() || f.I != 1 ||
				f.J != 2 || f.Reason == "" {
				t.Errorf("%v: %v", c.err, err)
			}
		}
	}
}

// TestFileRefuses: calls of the system that fail for reasons of their own say so, with tile and remedy, and call
// nothing damaged.
func TestFileRefuses(t *testing.T) {
	s := newStore(t, 150, 64)
	must(t, s.ByFile())
	tile := make([]byte, s.Geometry().TileBytes())
	whole := s.dist
	t.Cleanup(func() { s.dist = whole })
	for _, c := range []struct {
		op    string
		flags int // of a descriptor that does not do
		do    func() error
	}{
		{"read", os.O_WRONLY, func() error { return s.ReadTile(tile, 1, 2) }},
		{"read", os.O_WRONLY, func() error { return s.ReadTileFile(tile, 1, 2) }},
		{"write", os.O_RDONLY, func() error { return s.WriteTile(1, 2, tile) }},
	} {
		f, err := os.OpenFile(whole.Name(), c.flags, 0)
		must(t, err)
		s.dist = f
		err = c.do()
		must(t, f.Close())
		if errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), c.op+" "+whole.Name()+", tile (1,2)") ||
			!strings.Contains(err.Error(), "run the same command again") {
			t.Errorf("%s: %v", c.op, err)
		}
		if err := c.do(); errors.Is(err, disk.ErrCorrupt) { // nor can its size be asked for
			t.Errorf("%s of a closed file: %v", c.op, err)
		}
	}
}
