package tiles

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ooc/tiles/internal/hook"
	"ooc/tiles/lock"
)

// children are the parts that another process can play; see child.
var children = map[string]func([]string) error{
	"hold":   childHold,
	"create": childCreate,
	"solve":  childSolve,
}

// childHold opens a store and keeps it until it is killed.
func childHold(args []string) error {
	s, err := Open(args[0])
	if err != nil {
		return err
	}
	fmt.Println("ready", s.Dir())
	for { // a bare select would be a deadlock, which ends the process
		time.Sleep(time.Hour)
	}
}

// childCreate creates a store that takes a while to write, and says how it went.
func childCreate(args []string) error {
	fmt.Println("ready")
	m := testMeta(2000, 256)
	m.Arcs = 400_000
	s, err := Create(args[0], m, multi(2000, 200), IDs{})
	if err != nil {
		return err
	}
	fmt.Println("created")
	return s.Close()
}

// childSolve raises every entry of the matrix to round 1, 2, …, with a note
// after each round and now and then a checkpoint, until it is killed.
func childSolve(args []string) error {
	s, err := Open(args[0])
	if err != nil {
		return err
	}
	st, _, err := s.Recover()
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for round := st.Done + 1; round < int64(s.geo.N); round++ {
		if err := fillRound(s, uint32(round)); err != nil {
			return err
		}
		st := State{Algorithm: "test", Done: round}
		if round%16 == 0 {
			err = s.Checkpoint(st)
		} else {
			err = s.Note(st)
		}
		if err != nil {
			return err
		}
		fmt.Println("round", round)
	}
	return nil
}

// fillRound writes a round number to every entry.
func fillRound(s *Store, round uint32) error {
	b := make([]byte, s.geo.TileBytes())
	for at := 0; at < len(b); at += 4 {
		binary.LittleEndian.PutUint32(b[at:], round)
	}
	for i := range s.geo.Side() {
		for j := range s.geo.Side() {
			if err := s.WriteTile(i, j, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// lowestEntry is the smallest entry of the matrix.
func lowestEntry(s *Store) (uint32, error) {
	b, low := make([]byte, s.geo.TileBytes()), ^uint32(0)
	for i := range s.geo.Side() {
		for j := range s.geo.Side() {
			if err := s.ReadTile(b, i, j); err != nil {
				return 0, err
			}
			for at := 0; at < len(b); at += 4 {
				low = min(low, binary.LittleEndian.Uint32(b[at:]))
			}
		}
	}
	return low, nil
}

// multi is a graph of n vertices with d arcs each.
func multi(n, d int) *CSR {
	c := &CSR{Offsets: make([]int64, n+1), Targets: make([]int32, n*d), Weights: make([]byte, 4*n*d)}
	for u := range n {
		c.Offsets[u+1] = int64((u + 1) * d)
	}
	return c
}

// start runs a child up to its first line.
func start(t *testing.T, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "ready") {
		t.Fatalf("the child says %q", lines.Text())
	}
	return lines
}

func TestLockBetweenProcesses(t *testing.T) {
	s := newStore(t, 64, 64)
	dir := s.Dir()
	must(t, s.Close())
	if h, err := lock.HolderOf(dir); h.PID != 0 || h.Host != "" || h.Running || err != nil {
		t.Errorf("after a clean end: %+v, %v", h, err)
	}
	cmd := child(t, "hold", dir)
	start(t, cmd)
	host, err := os.Hostname()
	must(t, err)
	for name, open := range map[string]func() (*Store, error){
		"Open":   func() (*Store, error) { return Open(dir) },
		"Create": func() (*Store, error) { return Create(dir, testMeta(64, 64), nil, IDs{}) },
	} {
		_, err := open()
		var locked *lock.LockedError
		if !errors.As(err, &locked) || !errors.Is(err, lock.ErrLocked) || locked.PID != cmd.Process.Pid ||
			locked.Host != host {
			t.Errorf("%s of a locked store: %v", name, err)
		}
	}
	if h, err := lock.HolderOf(dir); h.PID != cmd.Process.Pid || h.Host != host || !h.Running || err != nil {
		t.Errorf("holder %+v, %v", h, err)
	}
	r, err := OpenReadOnly(dir)
	must(t, err)
	must(t, r.Close())
	must(t, cmd.Process.Kill())
	cmd.Wait()
	if h, err := lock.HolderOf(dir); h.PID != cmd.Process.Pid || h.Running || err != nil {
		t.Errorf("after a kill: %+v, %v", h, err)
	}
	reopen(t, dir)
}

func TestLockWithinProcess(t *testing.T) {
	s := newStore(t, 64, 64)
	if _, err := Open(s.Dir()); !errors.Is(err, lock.ErrLocked) {
		t.Errorf("second writer: %v", err)
	}
	must(t, s.Close())
	reopen(t, s.Dir())
}

// TestVolumeWithoutLocks: where a volume has no locks nothing is written, and what is there can be read.
func TestVolumeWithoutLocks(t *testing.T) {
	s := newStore(t, 64, 64)
	must(t, s.Close())
	for _, kind := range []error{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOSYS} {
		refused := os.NewSyscallError("flock", kind)
		hook.Set(s.Dir(), &hook.Hooks{Lock: refused})
		defer hook.Set(s.Dir(), nil)
		if _, err := Open(s.Dir()); !errors.Is(err, lock.ErrNoLocks) || !errors.Is(err, kind) ||
			!strings.Contains(err.Error(), "--out") {
			t.Errorf("%v: a writer: %v", kind, err)
		}
		if h, err := lock.HolderOf(s.Dir()); h.Running || err != nil {
			t.Errorf("%v: a reader is told %+v, %v", kind, h, err)
		}
		dir := filepath.Join(t.TempDir(), "new.ooc")
		hook.Set(dir, &hook.Hooks{Lock: refused})
		defer hook.Set(dir, nil)
		if _, err := Create(dir, s.Meta(), nil, IDs{}); !errors.Is(err, lock.ErrNoLocks) {
			t.Errorf("%v: an import: %v", kind, err)
		}
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: the import left its folder: %v", kind, err)
		}
	}
	hook.Set(s.Dir(), nil)
	reopen(t, s.Dir())
}

// TestNetworkLock: on a network file system a lock that another host has not
// given back counts, though flock gives it to us; on any other it does not.
func TestNetworkLock(t *testing.T) {
	s := newStore(t, 64, 64)
	dir := s.Dir()
	must(t, s.Close())
	remote := func() { must(t, os.WriteFile(s.path(nameLock), []byte(lockMagic+"\npid 7\nhost elsewhere\n"), 0o666)) }
	remote()
	open := func() error {
		s, err := Open(dir)
		if err == nil {
			err = s.Close()
		}
		return err
	}
	must(t, open()) // a copy from elsewhere
	hook.Set(dir, &hook.Hooks{Volume: "nfs"})
	defer hook.Set(dir, nil)
	must(t, open()) // that was ours, and given back
	remote()
	var locked *lock.LockedError
	if err := open(); !errors.As(err, &locked) || locked.PID != 7 || locked.Host != "elsewhere" ||
		!strings.Contains(err.Error(), "remove "+s.path(nameLock)) {
		t.Errorf("a lock of another host: %v", err)
	}
	if b, err := os.ReadFile(s.path(nameLock)); err != nil || !strings.Contains(string(b), "elsewhere") {
		t.Errorf("the refused Open left %q, %v", b, err)
	}
	must(t, os.Remove(s.path(nameLock)))
	must(t, open())
}

// TestVacantFolder: said before anything else is done.
func TestVacantFolder(t *testing.T) {
	s := newStore(t, 64, 64)
	if err := Vacant(s.Dir()); !errors.Is(err, lock.ErrLocked) {
		t.Errorf("a store in use: %v", err)
	}
	must(t, s.Close())
	must(t, Vacant(s.Dir()))
	must(t, Vacant(filepath.Join(t.TempDir(), "none")))
	must(t, os.WriteFile(s.path("notes.txt"), nil, 0o666))
	if err := Vacant(s.Dir()); !errors.Is(err, lock.ErrNotStore) {
		t.Errorf("a folder with more: %v", err)
	}
}

// TestTornLock: any part of what we write to a lock may be all that there is,
// with zeros for the rest, and is ours; nothing else is.
func TestTornLock(t *testing.T) {
	dir := fullStore(t)
	path := filepath.Join(dir, nameLock)
	whole := lockMagic + "\npid 12345\nhost there\n"
	for n := range len(whole) + 1 {
		for _, zeros := range []int{0, 1, len(whole) - n, 4096 - n} {
			must(t, os.WriteFile(path, []byte(whole[:n]+strings.Repeat("\x00", zeros)), 0o666))
			if _, err := ownFiles(dir); err != nil {
				t.Errorf("%d bytes and %d zeros: %v", n, zeros, err)
			}
			s, err := Open(dir)
			must(t, err)
			must(t, s.Close())
		}
	}
	for _, text := range []string{"yarn\n", "\x00ooc lock\n", "ooc locked", "ooc lock 2\n",
		whole + strings.Repeat("\x00", 4096)} {
		must(t, os.WriteFile(path, []byte(text), 0o666))
		for what, err := range map[string]error{"the look": second(ownFiles(dir)), "Open": second(Open(dir))} {
			if !errors.Is(err, lock.ErrNotStore) || !strings.Contains(err.Error(), nameLock) {
				t.Errorf("%s at %.20q: %v", what, text, err)
			}
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("%.20q became %.20q, %v", text, after, err)
		}
	}
}

// TestProbingIsNoObstacle: LockHolder never makes a writer fail.
func TestProbingIsNoObstacle(t *testing.T) {
	s := newStore(t, 64, 64)
	dir := s.Dir()
	must(t, s.Close())
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				lock.HolderOf(dir)
				time.Sleep(100 * time.Microsecond)
			}
		}
	})
	for range 100 {
		s, err := Open(dir)
		if err != nil {
			t.Errorf("while being probed: %v", err)
			break
		}
		must(t, s.Close())
	}
	close(stop)
	wg.Wait()
}

// TestCreateRace: of many processes that create one store, one does and the
// others are told why not.
func TestCreateRace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a.ooc")
	const racers = 6
	outputs := make(chan string, racers)
	for range racers {
		cmd := child(t, "create", dir)
		go func() {
			out, _ := cmd.Output()
			outputs <- string(out)
		}()
	}
	won := 0
	for range racers {
		out := <-outputs
		switch {
		case strings.Contains(out, "created"):
			won++
		case !strings.Contains(out, lock.ErrLocked.Error()) && !strings.Contains(out, ErrExists.Error()):
			t.Errorf("a loser says %q", out)
		}
	}
	if won != 1 {
		t.Errorf("%d processes created the store", won)
	}
	s, _, ok := reopen(t, dir)
	if ok || s.Meta().N != 2000 {
		t.Errorf("the store: %+v", s.Meta())
	}
}

// TestCreateKilled kills Create at random moments. What is left is nothing, an
// import that can be started over, or a store.
func TestCreateKilled(t *testing.T) {
	rng := seeded(t)
	ends := map[string]int{}
	defer func() { t.Logf("ends: %v", ends) }()
	for range 25 {
		dir := filepath.Join(t.TempDir(), "a.ooc")
		cmd := child(t, "create", dir)
		start(t, cmd)
		time.Sleep(time.Duration(rng.IntN(8000)) * time.Microsecond)
		must(t, cmd.Process.Kill())
		cmd.Wait()
		half, err := Incomplete(dir)
		must(t, err)
		s, err := Open(dir)
		ends[fmt.Sprintf("incomplete %v, opens %v", half, err == nil)]++
		switch {
		case err == nil && !half:
			csr, err := s.CSR()
			must(t, err)
			if len(csr.Targets) != 400_000 {
				t.Errorf("%d arcs", len(csr.Targets))
			}
			must(t, s.Close())
			continue
		case err == nil, half && !errors.Is(err, ErrIncomplete):
			t.Fatalf("incomplete %v, but Open: %v", half, err)
		}
		s, err = Create(dir, testMeta(100, 64), nil, IDs{})
		must(t, err)
		must(t, s.Close())
		if s, _, _ = reopen(t, dir); s.Meta().N != 100 {
			t.Errorf("started over as %+v", s.Meta())
		}
	}
}

// TestSolveKilled kills a process that writes rounds and notes. The restore
// point is at least the last round it spoke of, and the matrix is at least
// there.
func TestSolveKilled(t *testing.T) {
	needsNotes(t)
	rng := seeded(t)
	s := newStore(t, 640, 64)
	dir := s.Dir()
	must(t, s.Close())
	for range 8 {
		cmd := child(t, "solve", dir)
		lines := start(t, cmd)
		last := int64(0)
		for n := rng.IntN(40); n >= 0 && lines.Scan(); n-- {
			fmt.Sscanf(lines.Text(), "round %d", &last)
		}
		must(t, cmd.Process.Kill())
		cmd.Wait()
		s, st, ok := reopen(t, dir)
		if !ok || st.Done < last {
			t.Fatalf("it said round %d; recovered %+v, %v", last, st, ok)
		}
		low, err := lowestEntry(s)
		must(t, err)
		if int64(low) < st.Done {
			t.Fatalf("restore point %d, but an entry is at %d", st.Done, low)
		}
		must(t, s.Close())
	}
}
