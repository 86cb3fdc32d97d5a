package opencl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// candidates returns the tunables that Tune tries: those of the table first.
func candidates(f *Found) ([]tunables, error) {
	first, err := choose(f)
	if err != nil {
		return nil, err
	}
	all := []tunables{first}
	add := func(t tunables) {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	if f.cpu {
		for _, rows := range []int{4, 8} {
			t := first
			t.rows = rows
			add(t)
		}
		return all, nil
	}
	for _, block := range []int{64, 128} {
		for _, slab := range []int{8, 16} {
			for _, mixed := range []int{0, 1} {
				t := first
				t.block, t.slab, t.mixed = block, slab, mixed
				if f.local >= t.localBytes(block, 4) && f.group >= int64(block/8*(block/8)) {
					add(t)
				}
			}
		}
	}
	return all, nil
}

// text names tunables, in what is printed and in what is kept.
func (t *tunables) text() string {
	if t.block == 0 {
		return fmt.Sprintf("rows=%d", t.rows)
	}
	return fmt.Sprintf("block=%d slab=%d mixed=%d", t.block, t.slab, t.mixed)
}

// Tuned is what Tune measured: relaxations per second of products.
type Tuned struct {
	Tunables string  `json:"tunables"`
	I32      float64 `json:"i32_relaxations_per_second"`
	F32      float64 `json:"f32_relaxations_per_second"`
	Kept     bool    `json:"kept"` // the best of all, which later processes use; it is reported once more
}

// Tune measures products on a device with all tunables that it may have, and keeps the best.
func Tune(ctx context.Context, o Options, report func(Tuned)) error {
	all, err := list()
	if err == nil && o.Index >= len(all) {
		err = fmt.Errorf("%w: device %d: there are %d, counted from 0", ErrNoDevice, o.Index, len(all))
	}
	var tries []tunables
	if err == nil {
		tries, err = candidates(&all[o.Index])
	}
	var best Tuned
	for i := range tries {
		if err = errors.Join(err, ctx.Err()); err != nil {
			break
		}
		row := Tuned{Tunables: tries[i].text()}
		o.tunables = &tries[i]
		if row.I32, row.F32, err = o.products(); err != nil {
			break
		}
		report(row)
		if row.I32*row.F32 > best.I32*best.F32 {
			best = row
		}
	}
	if err == nil {
		best.Kept = true
		err = kept.keep(&all[o.Index], best.Tunables)
	}
	if err != nil {
		return fmt.Errorf("opencl: %w", err)
	}
	report(best)
	return nil
}

// products opens a device and measures products in i32 and f32.
func (o Options) products() (i32, f32 float64, err error) {
	d, err := open(o)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if i32, err = d.productRate(entry.I32); err == nil {
		f32, err = d.productRate(entry.F32)
	}
	return i32, f32, err
}

// productRate is the best of some batches of products.
func (d *device) productRate(v entry.Variant) (rate float64, err error) {
	t, count := 2048, 16
	if d.found.cpu {
		t, count = 512, 8
	}
	w, err := ledger.NewWork(d, v, t, 1, count, false)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for range 4 { // the first compiles
		took, err := w.Run()
		if err != nil {
			return 0, err
		}
		rate = max(rate, w.Relaxations/took.Seconds())
	}
	return rate, nil
}

// kept are the best tunables of devices that Tune measured, by keptName.
var kept keptTunables

type keptTunables struct {
	mu   sync.Mutex
	file string // guarded by mu; "": nothing is kept
}

// KeepTunables has Tune keep the best tunables in a file, and Open use them. A file that is damaged or not ours
// counts as empty.
func KeepTunables(file string) {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	kept.file = file
}

// keptName is what tunables are kept under: another driver may have another compiler.
func keptName(f *Found) string { return f.Platform + "; " + f.Name + "; " + f.Version }

// read returns what the file holds.
func (k *keptTunables) read() map[string]string {
	all := map[string]string{}
	if info, err := os.Lstat(k.file); err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return all
	}
	if data, err := os.ReadFile(k.file); err != nil || json.Unmarshal(data, &all) != nil || all == nil {
		return map[string]string{}
	}
	return all
}

// of returns the tunables of a device: those that were kept, if Tune might try such, or else those of the table.
func (k *keptTunables) of(f *Found) (tunables, error) {
	all, err := candidates(f)
	if err != nil {
		return tunables{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	best := k.read()[keptName(f)]
	return all[max(0, slices.IndexFunc(all, func(t tunables) bool { return t.text() == best }))], nil
}

// keep adds the best tunables of a device to the file.
func (k *keptTunables) keep(f *Found, best string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.file == "" {
		return nil
	}
	all := k.read()
	all[keptName(f)] = best
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(k.file), 0o700); err != nil {
		return err
	}
	if info, err := os.Lstat(k.file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", k.file) // a link leads to somebody else's file, a pipe blocks
	}
	return os.WriteFile(k.file, data, 0o600)
}
