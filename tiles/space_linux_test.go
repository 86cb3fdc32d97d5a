package tiles

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ooc/tiles/disk"
	"ooc/tiles/internal/hook"
	"ooc/tiles/lock"
)

func init() {
	children["limited"] = childLimited
	children["confined"] = childConfined
	children["capped"] = childCapped
}

// childLimited creates a store under a limit on the size of files.
func childLimited(args []string) error {
	limit, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	_, err = Create(args[0], testMeta(1000, 64), nil, IDs{})
	if !errors.Is(err, disk.ErrNoSpace) || !errors.Is(err, unix.EFBIG) {
		return fmt.Errorf("not for the limit: %w", err)
	}
	fmt.Println("no space, as expected")
	return nil
}

// childConfined creates a store with little address space left.
func childConfined(args []string) error {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	pages, err := strconv.ParseUint(strings.Fields(string(statm))[0], 10, 64)
	if err != nil {
		return err
	}
	limit := pages*uint64(pageSize) + 256<<20 // what the race detector takes for itself, and less than the matrix
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	_, err = Create(args[0], testMeta(10_000, 64), nil, IDs{}) // 400 MB
	if !errors.Is(err, unix.ENOMEM) || !strings.Contains(err.Error(), nameDist) ||
		!strings.Contains(err.Error(), "ulimit -v") {
		return fmt.Errorf("not for the limit: %w", err)
	}
	fmt.Println("no address space, as expected")
	return nil
}

// childCapped writes tiles of a store that is there, first below a limit on the size of files and then beyond, on a
// volume with room.
func childCapped(args []string) error {
	s, err := Create(args[0], testMeta(300, 64), nil, IDs{})
	if err != nil {
		return err
	}
	limit := uint64(s.Geometry().TileOffset(1, 1)) + 5000
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	tile := make([]byte, s.Geometry().TileBytes())
	if err := s.WriteTile(1, 0, tile); err != nil {
		return err
	}
	var f *FaultError
	if err = s.WriteTile(1, 1, tile); !errors.As(err, &f) || !errors.Is(err, disk.ErrNoSpace) ||
		errors.Is(err, disk.ErrCorrupt) || f.I != 1 || f.J != 1 || !strings.Contains(err.Error(), s.path(nameDist)) {
		return fmt.Errorf("not for the limit: %w", err)
	}
	fmt.Println("no space, as expected")
	return nil
}

// TestByFileOnFullVolumes runs tests of full, failing and read-only volumes once more without a mapping. A quota, or
// a limit, is no space where the volume has room.
func TestByFileOnFullVolumes(t *testing.T) {
	withoutMapping(t, map[string]func(*testing.T){
		"ReservedToTheEnd": TestReservedToTheEnd, "NoFallocate": TestNoFallocate,
		"FullWithoutReservation": TestFullWithoutReservation,
		"MediumFails":            TestMediumFails, "ReadOnlyMedium": TestReadOnlyMedium,
		"capped": func(t *testing.T) {
			out, err := child(t, "capped", filepath.Join(t.TempDir(), "a.ooc")).Output()
			if err != nil || !strings.Contains(string(out), "as expected") {
				t.Errorf("%v: %s", err, out)
			}
		},
	})
}

// TestAddressSpace: a mapping that does not fit is an error with a remedy, and
// leaves nothing behind.
func TestAddressSpace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a.ooc")
	out, err := child(t, "confined", dir).Output()
	if err != nil || !strings.Contains(string(out), "as expected") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Errorf("left behind: %v", listing(t, dir))
	}
}

// TestNoSpace: on a volume that is too small Create says so and leaves nothing,
// whichever file does not fit.
func TestNoSpace(t *testing.T) {
	vol := tmpfs(t, "2m")
	big := testMeta(1000, 64) // 4 MiB
	small := testMeta(100, 64)
	small.N, small.Arcs = 70_000, 70_000 // far more graph than …
	small.T = 64                         // (19 GiB of matrix, too)
	graph := testMeta(300, 64)           // 400 KiB of matrix
	graph.Arcs = 300_000                 // and 2.4 MB of arcs
	for name, c := range map[string]struct {
		m   Meta
		csr *CSR
		ids IDs
	}{
		"matrix": {big, nil, IDs{}},
		"huge":   {small, ring(70_000), IDs{}},
		"graph":  {graph, multi(300, 1000), IDs{}},
		"ids":    {testMeta(300, 64), nil, IDs{Text: repeat(300, strings.Repeat("x", 8000))}},
	} {
		dir := filepath.Join(vol, "a.ooc")
		_, err := Create(dir, c.m, c.csr, c.ids)
		if !errors.Is(err, disk.ErrNoSpace) || !strings.Contains(err.Error(), "--out") {
			t.Errorf("%s: %v", name, err)
		}
		if left := listing(t, vol); len(left) != 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
		must(t, os.Mkdir(dir, 0o777)) // a folder of the user's stays
		if _, err := Create(dir, c.m, c.csr, c.ids); !errors.Is(err, disk.ErrNoSpace) {
			t.Errorf("%s: %v", name, err)
		}
		if left := listing(t, dir); len(left) != 0 {
			t.Errorf("%s: left behind in the folder: %v", name, left)
		}
		must(t, os.Remove(dir))
	}
}

// TestReplaceOnFullVolume: the old store's space is the new one's, its core's
// too, and a new store that does not fit all the same leaves the old one as it
// was.
func TestReplaceOnFullVolume(t *testing.T) {
	vol := tmpfs(t, "6m")
	s, err := Create(filepath.Join(vol, "a.ooc"), testMeta(1000, 64), nil, IDs{}) // 4 MiB
	must(t, err)
	must(t, fillRound(s, 7))
	must(t, s.Checkpoint(State{Done: 7}))
	before := contents(t, s.Dir())
	if _, err := s.Replace(testMeta(1280, 64), nil, IDs{}); !errors.Is(err, disk.ErrNoSpace) ||
		!strings.Contains(err.Error(), nameDist) {
		t.Errorf("6.25 MiB on 6: %v", err)
	}
	if after := contents(t, s.Dir()); !maps.Equal(before, after) {
		t.Error("the store that could not be replaced has changed")
	}
	s, err = s.Replace(testMeta(1100, 64), nil, IDs{})
	must(t, err)
	m := testMeta(300, 64)
	m.Parent = s.Meta().ID
	c, err := Create(s.path(nameCore), m, nil, IDs{})
	must(t, err)
	must(t, c.Close())
	fillUp(t, vol)
	s, err = s.Replace(testMeta(1150, 64), nil, IDs{}) // that of the core is needed
	must(t, err)
	must(t, os.Remove(s.path(nameStore)))
	must(t, s.Close())
	must(t, disk.Room(s.Dir(), nameDist, 5<<20, GivesBack(s.Dir()))) // of an import that died
	if err := disk.Room(s.Dir(), nameDist, 7<<20, GivesBack(s.Dir())); !errors.Is(err, disk.ErrNoSpace) {
		t.Errorf("7 MiB on 6: %v", err)
	}
	other := filepath.Join(vol, "b.ooc")
	if err := disk.Room(other, nameDist, 2<<20, GivesBack(other)); !errors.Is(err, disk.ErrNoSpace) {
		t.Errorf("another store beside it: %v", err)
	}
}

func repeat(n int, s string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = s
	}
	return all
}

// TestFallocateFails takes the free space after the look at it: the reservation
// itself must fail as cleanly.
func TestFallocateFails(t *testing.T) {
	vol := tmpfs(t, "2m")
	f, err := os.Create(filepath.Join(vol, "x"))
	must(t, err)
	defer f.Close()
	defer hook.Set(vol, nil)
	hook.Set(vol, &hook.Hooks{Before: func(op, _ string) error {
		if op != "reserve" {
			return nil
		}
		return os.WriteFile(filepath.Join(vol, "y"), make([]byte, 1<<20), 0o666)
	}})
	if err := disk.Reserve(f, 3<<19); !errors.Is(err, disk.ErrNoSpace) || !strings.Contains(err.Error(), "reserving") {
		t.Errorf("reserving 1.5 MiB of 2, of which 1 was taken meanwhile: %v", err)
	}
}

// TestFileSizeLimit: EFBIG counts as no space too, and SIGXFSZ kills nobody.
func TestFileSizeLimit(t *testing.T) {
	for _, limit := range []string{"100000", "2000000"} {
		dir := filepath.Join(t.TempDir(), "a.ooc")
		out, err := child(t, "limited", dir, limit).Output()
		if err != nil || !strings.Contains(string(out), "as expected") {
			t.Errorf("limit %s: %v: %s", limit, err, out)
		}
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("limit %s: left behind: %v", limit, listing(t, dir))
		}
	}
}

// TestReservedToTheEnd: once created, a store never runs out of space, on a
// volume that others fill to the last byte.
func TestReservedToTheEnd(t *testing.T) {
	vol := tmpfs(t, "6m")
	s, err := Create(filepath.Join(vol, "a.ooc"), testMeta(1000, 64), nil, IDs{})
	must(t, err)
	defer s.Close()
	fillUp(t, vol)
	must(t, fillRound(s, 7))
	must(t, s.SetLive([]byte("{}")))
	must(t, s.Note(State{Done: 1}))
	must(t, s.Checkpoint(State{Done: 1}))
	must(t, s.WriteSums(make([]uint32, 256)))
	must(t, s.Reset())
	fillUp(t, vol) // what Reset gave back would be gone
	must(t, s.Checkpoint(State{Done: 1}))
	must(t, s.WriteSums(make([]uint32, 256)))
}

// fillUp takes all space of a volume.
func fillUp(t *testing.T, vol string) {
	f, err := os.CreateTemp(vol, "filler")
	must(t, err)
	defer f.Close()
	for _, size := range []int{1 << 16, 1 << 10} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("filling up: %v", err)
	}
}

// TestNoFallocate: a volume that can neither allocate ahead nor say how much
// is free still holds a store.
func TestNoFallocate(t *testing.T) {
	vol := mountAt(t, "-t", "ramfs", "ooc-test")
	s, err := Create(filepath.Join(vol, "a.ooc"), testMeta(300, 64), nil, IDs{})
	must(t, err)
	defer s.Close()
	must(t, fillRound(s, 3))
	must(t, s.Checkpoint(State{Done: 3}))
}

// loopMount makes a file system in a file and mounts it.
func loopMount(t *testing.T, image, size, mkfs string, args ...string) string {
	t.Helper()
	tool, err := exec.LookPath(mkfs)
	if err != nil {
		t.Skipf("no %s here", mkfs)
	}
	if out, err := exec.Command("truncate", "-s", size, image).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command(tool, append(args, "-q", image)...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", mkfs, err, out)
	}
	return mountAt(t, "-o", "loop", image)
}

// TestFullWithoutReservation: on ext2, which cannot allocate ahead, others can
// take the space that Create saw. The write that finds none faults, and says
// no space, not damage.
func TestFullWithoutReservation(t *testing.T) {
	vol := loopMount(t, filepath.Join(t.TempDir(), "image"), "16m", "mkfs.ext2")
	if _, err := Create(filepath.Join(vol, "b.ooc"), testMeta(3000, 64), nil, IDs{}); !errors.Is(err, disk.ErrNoSpace) {
		t.Errorf("36 MB on 16: %v", err)
	}
	s, err := Create(filepath.Join(vol, "a.ooc"), testMeta(1000, 64), nil, IDs{})
	must(t, err)
	defer s.Close()
	fillUp(t, vol)
	err = fillRound(s, 7)
	var f *FaultError
	if !errors.As(err, &f) || !errors.Is(err, disk.ErrNoSpace) || errors.Is(err, disk.ErrCorrupt) {
		t.Errorf("writing on a full volume: %v", err)
	}
}

// TestMediumFails puts ext4 on a file whose own volume fills up, so that the
// kernel really cannot write pages back. The checkpoint must fail, the one
// before must stand, and the next run must not trust what the page cache
// still shows.
func TestMediumFails(t *testing.T) {
	below := tmpfs(t, "14m")
	vol := loopMount(t, filepath.Join(below, "image"), "64m", "mkfs.ext4", "-O", "^has_journal", "-E",
		"lazy_itable_init=1")
	s, err := Create(filepath.Join(vol, "a.ooc"), testMeta(2500, 64), nil, IDs{}) // 25 MB
	must(t, err)
	defer s.Close()
	tile := make([]byte, 16384)
	tile[0] = 1
	must(t, s.WriteTile(0, 0, tile))
	must(t, s.Checkpoint(State{Algorithm: "test", Done: 1}))
	must(t, s.Note(State{Algorithm: "test", Done: 2}))
	must(t, fillRound(s, 0x01010101))
	err = s.Checkpoint(State{Algorithm: "test", Done: 3})
	if err == nil {
		t.Fatal("25 MB were synced to a disk of 14")
	}
	t.Logf("the kernel says: %v", err)
	if err := s.Checkpoint(State{Algorithm: "test", Done: 3}); !errors.Is(err, ErrSyncFailed) {
		t.Errorf("trying again: %v", err)
	}
	must(t, s.Close())
	s, st, ok := reopen(t, s.Dir())
	defer s.Close()
	if !ok || st.Done != 1 {
		t.Errorf("resumed from %+v, %v", st, ok)
	}
	// The first tile was durable. Of the others, what failed must be seen as
	// the disk has it, zeros, and not as the cache had it.
	low, err := lowestEntry(s)
	must(t, err)
	if low != 0 {
		t.Error("pages that never reached the disk still show")
	}
}

// TestReadOnlyMedium: a volume that cannot be written at all.
func TestReadOnlyMedium(t *testing.T) {
	vol := tmpfs(t, "8m")
	s, err := Create(filepath.Join(vol, "a.ooc"), testMeta(300, 64), nil, IDs{})
	must(t, err)
	must(t, fillRound(s, 9))
	must(t, s.Checkpoint(State{Done: 9}))
	must(t, s.SetLive([]byte("bye")))
	must(t, s.Close())
	if out, err := exec.Command("mount", "-o", "remount,ro", vol).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r, err := OpenReadOnly(s.Dir())
	must(t, err)
	defer r.Close()
	if got, err := r.ReadAt(299, 299); got != 9 || err != nil {
		t.Errorf("entry %d, %v", got, err)
	}
	if st, ok, err := r.State(); st.Done != 9 || !ok || err != nil {
		t.Errorf("state %+v, %v, %v", st, ok, err)
	}
	if b, _, err := ReadLive(s.Dir()); string(b) != "bye" || err != nil {
		t.Errorf("live %q, %v", b, err)
	}
	if h, err := lock.HolderOf(s.Dir()); h.Running || err != nil {
		t.Errorf("lock: %v, %v", h.Running, err)
	}
	if _, err := Open(s.Dir()); !errors.Is(err, unix.EROFS) {
		t.Errorf("Open for writing: %v", err)
	}
}
