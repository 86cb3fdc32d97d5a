package factors

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ooc/engine/internal/cancel"
	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/arrays"
	"ooc/tiles/disk"
)

// The arrays of a file of factors. Those of the arcs down are empty where they are those of the arcs up: in
// undirected graphs all, and mostly in others all but the weights.
const (
	headArray = iota // uint64: vertices, core vertices, entry.Variant
	verticesArray
	parentsArray
	upArrays                        // offsets, and of sparse.Lists first and ends
	downArrays       = upArrays + 3 // likewise
	upWeightsArray   = downArrays + 3
	downWeightsArray = upWeightsArray + 1
	coreArray        = downWeightsArray + 1
	arrayCount       = coreArray + 1
)

// Save writes the file that Engine.Load opens, durably and all or nothing. id is that of the store. It goes on
// if ctx ends, and fails with disk.ErrNoSpace.
func (f *Factors) Save(ctx context.Context, path string, id [16]byte) error {
	e, list := f.Elimination, make([][]byte, arrayCount)
	list[headArray] = entry.Bytes([]uint64{uint64(len(e.Vertices)), uint64(e.Core()), uint64(e.Variant)})
	list[verticesArray], list[parentsArray] = entry.Bytes(e.Vertices), entry.Bytes(e.Parent)
	put := func(at int, l *sparse.Lists) {
		list[at], list[at+1], list[at+2] = entry.Bytes(l.Offsets), entry.Bytes(l.First), entry.Bytes(l.Ends)
	}
	up, down := e.Lists()
	put(upArrays, up)
	if down != up {
		put(downArrays, down)
	}
	list[upWeightsArray] = entry.Bytes(e.Up.Weights)
	if e.Down != e.Up {
		list[downWeightsArray] = entry.Bytes(e.Down.Weights)
	}
	list[coreArray] = entry.Bytes(f.Core.Matrix)
	bytes := int64(0)
	for _, a := range list {
		bytes += int64(len(a))
	}
	return arrays.Write(path, id, list, &cancel.Begin(ctx, bytes).Done)
}

// Load implements rows.Keeper: it maps the file. What is small it checks at once, the rest when it is needed.
func (Engine) Load(path string, id [16]byte, n int, v entry.Variant) (_ rows.Ready, err error) {
	file, err := arrays.Open(path, id)
	if err != nil {
		return nil, err
	}
	host, err := cpu.Open(cpu.Options{})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f := &Factors{host: host, file: file}
	err = file.Guard(func() error { return f.load(n, v) })
	if errors.Is(err, sparse.ErrParts) {
		err = disk.Corrupt(path, "%v; solve again with --restart", err)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *Factors) load(n int, v entry.Variant) error {
	wrong := func() error {
		return fmt.Errorf("%w: they do not belong to a graph of %d vertices", sparse.ErrParts, n)
	}
	if f.file.Len() != arrayCount {
		return wrong()
	}
	list := make([][]byte, arrayCount)
	for i := range list {
		list[i] = f.file.Array(i)
	}
	for _, i := range []int{headArray, verticesArray, parentsArray, upArrays, upArrays + 1, downArrays,
		downArrays + 1} {
		if err := f.file.Need(list[i]); err != nil {
			return err
		}
	}
	if len(list[headArray]) != 24 {
		return wrong()
	}
	head := entry.View[uint64](list[headArray])
	if head[0] != uint64(n) || head[1] > uint64(n) || head[2] != uint64(v) || len(list[verticesArray]) != 4*n {
		return wrong()
	}
	core := int(head[1])
	f.Core = &sparse.DenseCore{Host: f.host.(kernels.HostLaneOps), Variant: v, Size: core,
		Pitch: entry.RoundUp(core, kernels.DeviceLaneUnit)}
	if int64(len(list[coreArray])) != int64(f.Core.Pitch)*int64(f.Core.Pitch)*int64(v.WeightBytes()) {
		return wrong()
	}
	f.Core.Matrix = entry.View[uint32](list[coreArray])
	get := func(at int) *sparse.Lists {
		return &sparse.Lists{Offsets: entry.View[int32](list[at]), First: entry.View[int32](list[at+1]),
			Ends: entry.View[int32](list[at+2])}
	}
	up := get(upArrays)
	down := up
	if len(list[downArrays]) > 0 {
		down = get(downArrays)
	}
	upWeights := entry.View[uint32](list[upWeightsArray])
	downWeights := upWeights
	if down != up || len(list[downWeightsArray]) > 0 {
		downWeights = entry.View[uint32](list[downWeightsArray])
	}
	var err error
	f.Elimination, err = sparse.Restored(v, core, entry.View[int32](list[verticesArray]),
		entry.View[int32](list[parentsArray]), up, down, upWeights, downWeights)
	return err
}

// need compares a part of the file with its checksums, if there is a file.
func (f *Factors) need() func(part []byte) error {
	if f.file == nil {
		return nil
	}
	return f.file.Need
}

// guard runs what reads factors that may be mapped.
func (f *Factors) guard(do func() error) error {
	if f.file == nil {
		return do()
	}
	return f.file.Guard(func() error {
		err := do()
		if errors.Is(err, sparse.ErrParts) {
			err = fmt.Errorf("%w: %w; solve again with --restart", disk.ErrCorrupt, err)
		}
		return err
	})
}

// whole makes sure, once, that all is there, and all of the file sound.
func (f *Factors) whole() error {
	f.checked.Do(func() {
		if f.file == nil {
			f.damaged = f.Core.Fetch()
			return
		}
		f.damaged = f.guard(func() error {
			for i := range f.file.Len() {
				if err := f.file.Need(f.file.Array(i)); err != nil {
					return err
				}
			}
			return f.Elimination.ListEnds()
		})
	})
	return f.damaged
}

// asked is what answers questions, made on first use and kept for the next.
type asked struct {
	checked sync.Once
	damaged error // of the file; nil: not known, or none

	searches sync.Pool // of *Search, for ReadAt

	mu       sync.Mutex
	reversed *Factors // nil: not made yet, or the factors themselves serve; guarded by mu
}
