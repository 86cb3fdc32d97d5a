package searches

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/rows"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// OnDevice searches by bits on a device, from many sources at once.
type OnDevice struct {
	Batches []*DeviceBatch

	r       *leveled
	can     kernels.BitOps
	held    device.Held
	columns kernels.Tile // of rows of tiles
	tile    int          // their edge; 0: rows are only counted
}

// DeviceBatch is the memory of a device for a search at a time. It is for one goroutine. OnDevice.Close closes it.
type DeviceBatch struct {
	of      *OnDevice
	held    device.Held
	stream  kernels.Stream
	search  kernels.BitSearch
	device  kernels.Buffer // results, and values of levels
	results []byte         // the same on the host
	sources []byte         // places of the sources
	rows    kernels.Buffer // of tiles
}

// levelsAtOnce is how many levels a device goes before the host looks whether there are more.
const levelsAtOnce = 8

// Measured on an H100 (docs/benchmarks.md).
const (
	countStart = 0.1     // to begin
	countLoad  = 8e-8    // for each arc, to number a graph and copy it to a device
	countArc   = 1.8e-13 // for each source and arc
	countLevel = 25e-6   // for each level of a batch
	countLanes = 2048    // more take as long, and more memory
)

// countSeconds is about how many seconds devices take to count so many rows; +Inf: they cannot.
func countSeconds(g *graph.Graph, count, levels int, d kernels.Device) float64 {
	lanes := kernels.BitLanes[lanesFor(min(count, countLanes))]
	seconds := countArc*float64(g.Arcs())*again(float64(levels), count, lanes)*float64(count) +
		countLevel*float64(levels)*float64(entry.CeilDiv(count, lanes))
	return countStart + countLoad*float64(g.Arcs()) + shared[kernels.BitOps](g, d, seconds)
}

// again is about how many times as long a device takes for a batch whose sources are far from each other. They reach a
// vertex in different steps: in as many as there are across the part of the graph that the batch has, which on a map
// grow with the root of its area, and no more than there are sources. Near sources do in often of them.
func again(steps float64, count, lanes int) float64 {
	return max(1, min(float64(lanes), steps*math.Sqrt(min(1, float64(lanes)/float64(count))))/often)
}

// moreArcs is how many arcs beyond the last a device may count.
const moreArcs = 1 << 10

// shared is how long devices with some operations take together for what takes one so many seconds; +Inf: there are
// none, or the graph has more arcs than they count.
func shared[T any](g *graph.Graph, d kernels.Device, seconds float64) float64 {
	devices := 0
	for _, one := range device.Each(d) {
		if _, can := kernels.As[T](one); can && g.Arcs() < math.MaxInt32-moreArcs {
			devices++
		}
	}
	if devices == 0 {
		return math.Inf(1)
	}
	return seconds / float64(devices)
}

// DeviceSeconds is about how many seconds devices take to search from so many sources; +Inf: they do not.
func DeviceSeconds(ready rows.Ready, count int, d kernels.Device) float64 {
	if r, is := ready.(*leveled); is {
		return countSeconds(r.g, count, r.levels, d)
	}
	return math.Inf(1)
}

// Alone says why the processor searches alone where a device was to. tried: that takes less time, but had no memory. It
// is empty where there is no device, or it takes longer.
func Alone(ready rows.Ready, d kernels.Device, tried bool) string {
	_, is := ready.(*leveled)
	switch {
	case !is || d == nil:
	case !math.IsInf(DeviceSeconds(ready, 1, d), 1):
		if tried {
			return d.Info().Name + " has no memory for that"
		}
	case !d.Info().SharedCores:
		return d.Info().Name + " cannot"
	}
	return ""
}

// NewOnDevice copies a graph that is searched by bits to a device, and makes at most so many batches there as there is
// memory for, with no more lanes than there are sources, or few more. They count, or write rows of tiles of that edge,
// if it is not 0. It returns nil for any other Ready, for a device that does not search, and for larger tiles than it
// has lanes. It fails with kernels.ErrNoMemory where there is room for no batch.
func NewOnDevice(ready rows.Ready, d kernels.Device, most, sources, tile int) (x *OnDevice, err error) {
	r, is := ready.(*leveled)
	can, searches := kernels.As[kernels.BitOps](d)
	lanes := lanesFor(max(min(sources, countLanes), tile))
	if !is || !searches || r.g.Arcs() > math.MaxInt32 || tile > kernels.BitLanes[lanes] {
		return nil, nil
	}
	x = &OnDevice{r: r, can: can, held: device.Held{On: d}, tile: tile}
	search, err := x.load()
	for err == nil && len(x.Batches) < most {
		search.Lanes = kernels.BitLanes[lanes]
		var b *DeviceBatch
		b, err = x.newBatch(search)
		if err == nil {
			x.Batches = append(x.Batches, b)
		} else if errors.Is(err, kernels.ErrNoMemory) && len(x.Batches) == 0 && lanes > lanesFor(tile) {
			lanes, err = lanes-1, nil
		}
	}
	if err != nil && !(errors.Is(err, kernels.ErrNoMemory) && len(x.Batches) > 0) {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// lanesFor returns which of kernels.BitLanes has room for so many sources, or else the last.
func lanesFor(sources int) (i int) {
	for i < len(kernels.BitLanes)-1 && kernels.BitLanes[i] < sources {
		i++
	}
	return i
}

// load copies the graph.
func (x *OnDevice) load() (b kernels.BitSearch, err error) {
	s, err := x.held.On.NewStream()
	if err != nil {
		return b, err
	}
	in := x.r.in
	starts := make([]int32, len(in.start))
	for i, at := range in.start {
		starts[i] = int32(at)
	}
	put := func(list []int32) kernels.Tile { return x.held.Put(s, entry.Bytes(list), 0) }
	b = kernels.BitSearch{Vertices: x.r.g.N, Arcs: len(in.ends), Offsets: put(starts), Ends: put(in.ends),
		Order: put(x.r.place)}
	if x.tile > 0 {
		columns := slices.Clone(x.r.place)
		for len(columns)%x.tile != 0 {
			columns = append(columns, -1)
		}
		x.columns = put(columns)
		// More planes than the trial took, as other searches may go farther.
		b.Planes = min(bits.Len(uint(x.r.levels))+3, kernels.MostBitPlanes)
	}
	return b, errors.Join(x.held.Err(), s.Close())
}

func (x *OnDevice) newBatch(search kernels.BitSearch) (*DeviceBatch, error) {
	b := &DeviceBatch{of: x, held: device.Held{On: x.held.On}, search: search}
	size := int64(max(search.BitResults(levelsAtOnce), 8<<search.Planes))
	b.search.Memory.Buf = b.held.Buffer(x.can.BitRoom(search))
	b.search.Sources.Buf = b.held.Buffer(int64(entry.WordBytes * search.Lanes))
	b.device = b.held.Buffer(size)
	b.results, b.sources = b.held.Host(size), b.held.Host(int64(entry.WordBytes*search.Lanes))
	if x.tile > 0 {
		b.rows = b.held.Buffer(int64(search.Lanes/x.tile) * b.rowBytes())
	}
	b.stream = b.held.Stream()
	if err := b.held.Err(); err != nil {
		return nil, errors.Join(err, b.held.Close())
	}
	return b, nil
}

// Device is what the batch is of.
func (b *DeviceBatch) Device() kernels.Device { return b.held.On }

// Lanes is how many sources there are in a batch at most.
func (b *DeviceBatch) Lanes() int { return b.search.Lanes }

// Levels gives what there is at each distance from some sources to take, as that of a rows.LevelWorker does, but
// counted.
func (b *DeviceBatch) Levels(sources []int32, take func(rows.Level) error) error {
	if len(sources) > b.search.Lanes {
		return fmt.Errorf("%d sources in a batch of %d lanes", len(sources), b.search.Lanes)
	}
	r := b.of.r
	kind, lanes := r.g.Kind.Wide(), b.search.Lanes
	own := rows.Level{Distance: kind.Bits(0), Counts: make([]int32, len(sources)), First: sources}
	places := entry.View[int32](b.sources)
	for i, v := range sources {
		places[i], own.Counts[i] = r.place[v], 1
	}
	b.search.Count = len(sources)
	err := cmp.Or(b.stream.CopyIn(b.search.Sources, b.sources[:entry.WordBytes*len(sources)]),
		b.of.can.BitStart(b.stream, b.search), take(own))
	d := kind.Bits(0)
	to, results := kernels.Tile{Buf: b.device}, b.results[:b.search.BitResults(levelsAtOnce)]
	for first := 1; err == nil; first += levelsAtOnce {
		err = cmp.Or(b.of.can.BitLevels(b.stream, b.search, first, levelsAtOnce, to),
			b.stream.CopyOut(results, to), b.stream.Sync())
		found := entry.View[int32](results)
		for i := 0; i < levelsAtOnce && err == nil; i++ {
			d = r.entryOf(kind, d)
			l := rows.Level{Distance: d, Counts: found[2*i*lanes:][:len(sources)],
				First: found[(2*i+1)*lanes:][:len(sources)]}
			if err = take(l); !l.Any() {
				return err
			}
		}
	}
	return errors.Join(err, b.stream.Sync())
}

// errDeep is the error of rows whose levels no device has planes for.
var errDeep = errors.New("too many levels")

// TileRows writes the rows of some sources, at most as many as there are lanes, to rows of tiles, from a tile of each
// on. It reports whether it could: not where there are too many levels.
func (b *DeviceBatch) TileRows(sources []int32, first int, to []byte) (done bool, err error) {
	r, size := b.of.r, b.of.r.g.Kind.Bytes()
	kind, values, level := r.g.Kind, b.results, 0
	var entries []uint64 // by level
	err = b.Levels(sources, func(l rows.Level) error {
		if l.Any() {
			level = len(entries)
		}
		d := kind.Unreachable()
		if len(entries) > 1 {
			d = r.entryOf(kind, entries[len(entries)-1])
		} else if len(entries) == 1 {
			d = r.entryOf(kind, kind.Bits(0))
		}
		if entries = append(entries, d); level>>b.search.Planes > 0 {
			return errDeep
		}
		return nil
	})
	if errors.Is(err, errDeep) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	for i, d := range entries[:level+1] {
		kind.Put(values, i, d)
	}
	search := b.search
	search.Planes = bits.Len(uint(level)) // the others are empty
	at := kernels.Tile{Buf: b.device}
	err = cmp.Or(b.stream.CopyIn(at, values[:size<<search.Planes]),
		b.of.can.BitRows(b.stream, search, kernels.BitRows{Dst: kernels.Tile{Buf: b.rows}, Edge: b.of.tile,
			Side: b.side(), First: first, Columns: b.of.columns, Values: at, Size: size}))
	row, skip := b.rowBytes(), int64(first)*int64(b.of.tile)*int64(b.of.tile)*int64(size)
	for lo := int64(0); lo < int64(len(to)) && err == nil; lo += row {
		err = b.stream.CopyOut(to[lo+skip:lo+row], kernels.Tile{Buf: b.rows, Off: lo + skip})
	}
	return err == nil, errors.Join(err, b.stream.Sync())
}

// side is the number of tiles in a row of them.
func (b *DeviceBatch) side() int { return entry.CeilDiv(b.of.r.g.N, b.of.tile) }

// rowBytes is the size of a row of tiles.
func (b *DeviceBatch) rowBytes() int64 {
	return int64(b.side()) * int64(b.of.tile) * int64(b.of.tile) * int64(b.of.r.g.Kind.Bytes())
}

// Close frees the memory of the device, that of all batches, too. Nobody may use these any more.
func (x *OnDevice) Close() (err error) {
	for _, b := range x.Batches {
		err = errors.Join(err, b.held.Close())
	}
	x.Batches = nil
	return errors.Join(err, x.held.Close())
}
