// Package crashtest cuts the power of a running store, for tests.
//
// A Harness stands between a store and the operating system's sync calls. It
// remembers what each file held when it was last synced, so that Cut can write
// the store as a disk might hold it if the power went now: every page written
// since then is there or is not, at random.
//
// It keeps a copy of the matrix in memory and is meant for small stores, on
// systems where reading a file sees what was written through a mapping.
package crashtest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"ooc/tiles/internal/hook"
)

const (
	pageBytes   = 4096
	sectorBytes = 512 // what a disk writes whole or not at all

	dist  = "dist.npy"
	state = "state"
	sums  = "sums"
	spare = "sums.tmp"
	names = "." // a sync of the folder

	factors      = "factors" // in the place of dist
	factorsSpare = "factors.tmp"
)

// Harness watches the syncs of the store in one folder.
type Harness struct {
	// OnSync, if set before the store is opened, is called before (done
	// false) and after (done true) each sync of a file; name is the file's,
	// "." for the folder. It may call Cut.
	OnSync func(name string, done bool)
	// Step, if set before the store is opened, is called before each operation
	// on a file of the store, as hook.Hooks.Before is: what it returns is what
	// becomes of the operation. It may call Cut.
	Step func(op, name string) error
	// Sectors makes Cut keep or drop each sector of 512 bytes by itself, and
	// not pages of which some are torn.
	Sectors bool

	dir   string
	mu    sync.Mutex        // guards the rest; held while Cut copies, so no sync is acknowledged then
	disk  map[string][]byte // what is durable of dist.npy and state
	sums  bool              // whether the name "sums" is durable
	named bool              // whether the name "factors" is
	lie   bool              // acknowledge syncs of the matrix without doing them; set before the store is opened
}

var boots atomic.Int64

// Watch registers a harness for the store that is opened or created at dir
// next, which maps its matrix or, every other time, does not. What is in the folder already counts as durable.
func Watch(dir string) (*Harness, error) {
	h := &Harness{dir: dir, disk: map[string][]byte{}}
	for _, name := range []string{dist, state} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		h.disk[name] = b
	}
	h.sums, h.named = exists(filepath.Join(dir, sums)), exists(filepath.Join(dir, factors))
	// A boot id of its own makes notes worthless in what Cut writes, as they
	// are after a reboot; stores opened at dir under this harness trust them.
	number := boots.Add(1)
	boot := fmt.Sprintf("crashtest %d %d", os.Getpid(), number)
	hook.Set(dir, &hook.Hooks{Before: h.before, Sync: h.sync, BootID: boot, ByFile: number%2 == 0})
	return h, nil
}

// ByFile has this process map no matrix, as on a network file system. Call it before a store is opened.
func ByFile() { hook.ByFile = true }

// StopAt has this process call stop before its n-th operation on files of any store, and makes each of them slow, so
// that small solves are stopped, and take checkpoints, on their way. Call it before a store is opened.
func StopAt(n int64, stop func()) {
	var count atomic.Int64
	hook.All = &hook.Hooks{Before: func(_, _ string) error {
		time.Sleep(time.Millisecond)
		if count.Add(1) == n {
			stop()
		}
		return nil
	}}
}

// Close removes the harness. Stores that are open keep it.
func (h *Harness) Close() { hook.Set(h.dir, nil) }

func (h *Harness) before(op, name string) error {
	if h.Step == nil {
		return nil
	}
	return h.Step(op, name)
}

// sync is the hook. What the file holds before the call is durable after it;
// what is written meanwhile may be or not.
func (h *Harness) sync(name string, do func() error) error {
	if h.OnSync != nil {
		h.OnSync(name, false)
	}
	held, err := h.held(name)
	lies := h.lie && name == dist
	if err == nil && !lies {
		err = do()
	}
	if err == nil {
		h.after(name, held, lies)
	}
	if h.OnSync != nil {
		h.OnSync(name, true)
	}
	return err
}

// held takes the content that the sync will make durable.
func (h *Harness) held(name string) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if name != dist && name != state && name != factorsSpare {
		return nil, nil
	}
	return os.ReadFile(filepath.Join(h.dir, name))
}

func (h *Harness) after(name string, held []byte, lies bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case name == names:
		h.sums, h.named = exists(filepath.Join(h.dir, sums)), exists(filepath.Join(h.dir, factors))
	case held != nil && !lies:
		h.disk[name] = held
	}
}

// Cut writes to the new folder dst the store as a disk might hold it if the
// power went now, and as it looks after the reboot. It fails if the store is
// not complete yet. The store may be in use, and in the middle of a sync.
//
// The state is read before the matrix: pages may then be newer than the state
// says, as on a disk, but never older than it vouches for.
func (h *Harness) Cut(dst string, rng *rand.Rand) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := os.Mkdir(dst, 0o777); err != nil {
		return err
	}
	keep := keepRate(rng)
	return errors.Join(
		h.cutFile(dst, state, state, h.disk[state], sectorBytes, keep, rng),
		h.cutMatrix(dst, keep, rng),
		h.cutSums(dst, rng),
		present(h.copyFile(dst, "graph.csr", "graph.csr")),
		present(h.copyFile(dst, "ids", "ids")),
		os.WriteFile(filepath.Join(dst, "lock"), nil, 0o666),
		h.copyFile(dst, "store.json", "store.json"))
}

// keepRate is the share of unsynced pages that survive: all and none are the
// cases most likely to hide or show a fault, so they come up often.
func keepRate(rng *rand.Rand) float64 {
	switch rng.IntN(4) {
	case 0:
		return 0
	case 1:
		return 1
	}
	return rng.Float64()
}

// cutFile copies a file, each unit that is not durable new or old at random;
// some pages are torn between sectors.
func (h *Harness) cutFile(dst, from, to string, old []byte, unit int, keep float64, rng *rand.Rand) error {
	b, err := os.ReadFile(filepath.Join(h.dir, from))
	if err != nil {
		return err
	}
	if len(old) < len(b) { // reserved and never written: zeros
		old = append(bytes.Clone(old), make([]byte, len(b)-len(old))...)
	}
	for at := 0; at < len(b); at += unit {
		end := min(at+unit, len(b))
		step := unit
		if h.Sectors || rng.IntN(8) == 0 {
			step = sectorBytes
		}
		for from := at; from < end; from += step {
			to := min(from+step, end)
			if !bytes.Equal(b[from:to], old[from:to]) && rng.Float64() >= keep {
				copy(b[from:to], old[from:to])
			}
		}
	}
	return os.WriteFile(filepath.Join(dst, to), b, 0o666)
}

// cutMatrix copies the matrix, or in a store that has none the factors.
func (h *Harness) cutMatrix(dst string, keep float64, rng *rand.Rand) error {
	if exists(filepath.Join(h.dir, dist)) {
		return h.cutFile(dst, dist, dist, h.disk[dist], pageBytes, keep, rng)
	}
	named := h.named && exists(filepath.Join(h.dir, factors)) // factors never go back to the name from before
	from, to := h.names(factors, factorsSpare, named, rng)
	return present(h.cutFile(dst, from, to, h.disk[factorsSpare], pageBytes, keep, rng))
}

// cutSums copies the checksums.
func (h *Harness) cutSums(dst string, rng *rand.Rand) error {
	from, to := h.names(sums, spare, h.sums, rng)
	return present(h.copyFile(dst, from, to))
}

// names returns the name that a file has, which is written under another one and renamed, and that which it has after
// the cut: if a rename is not durable yet, it may be the one from before. durable says whether the folder had the name
// when it was synced.
func (h *Harness) names(name, spare string, durable bool, rng *rand.Rand) (from, to string) {
	now := exists(filepath.Join(h.dir, name))
	from, to = spare, spare
	if now {
		from = name
	}
	if durable && now || durable != now && rng.IntN(2) == 0 {
		to = name
	}
	return from, to
}

// present is the error of copying a file that need not be there.
func present(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (h *Harness) copyFile(dst, from, to string) error {
	b, err := os.ReadFile(filepath.Join(h.dir, from))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dst, to), b, 0o666)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
