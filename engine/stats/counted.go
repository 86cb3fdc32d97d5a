package stats

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"ooc/engine/device"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// countBatches is how many batches there are at most on a device: it searches in one while the processor ends bands of
// the other.
const countBatches = 2

// counted reports whether counts of vertices by their distance are all that takers ask for.
func (x *graphGathering) counted() bool {
	questions, all := x.questions()
	return all && x.symmetric && x.device != nil && !slices.ContainsFunc(questions,
		func(q kernels.LaneQuestion) bool {
			_, lists := q.(kernels.LaneNearest)
			return lists
		})
}

// countOnDevices makes devices count the vertices at each distance. Bands, and results, are those of the processor. It
// does nothing where no device has the memory.
func (x *graphGathering) countOnDevices() error {
	devices := device.Each(x.device)
	counts := make([]*searches.OnDevice, len(devices))
	left := (x.run.Units() - x.run.First) * rows.Lanes
	var opening errgroup.Group
	for i, d := range devices {
		opening.Go(func() (err error) {
			counts[i], err = searches.NewOnDevice(x.ready, d, countBatches, entry.CeilDiv(left, len(devices)), 0)
			if errors.Is(err, kernels.ErrNoMemory) {
				return nil
			}
			return err
		})
	}
	err := opening.Wait()
	computed := x.from.close
	x.from.close = func() (err error) {
		for _, c := range counts {
			if c != nil {
				err = errors.Join(err, c.Close())
			}
		}
		return errors.Join(err, computed())
	}
	if err != nil {
		return fmt.Errorf("counts by distance: %w", err)
	}
	var used []kernels.Device
	var batches []*searches.DeviceBatch
	most := 0
	for i, c := range counts {
		if c != nil {
			used, batches = append(used, devices[i]), append(batches, c.Batches...)
			most = max(most, c.Batches[0].Lanes()/rows.Lanes)
		}
	}
	if len(used) == 0 {
		return nil
	}
	x.sum.Alone = ""
	x.from.hands, x.from.device = len(batches), device.Several(used).Info().Model
	x.run.AtOnce = func(left int) int { return min(most, entry.CeilDiv(left, len(batches))) }
	byRow := rowReader{order: x.from.order, kind: x.kind, n: x.g.N}
	_, leads := x.ready.(rows.LevelReady).Sources()
	x.from.reader = func(i int) (reader, error) {
		r := &countReader{batch: batches[i], run: x.run}
		for range batches[i].Lanes() / rows.Lanes {
			r.bands = append(r.bands, newLevelReader(byRow, leads, x.ready.Order(), x.g.Kind, false))
		}
		return r, nil
	}
	return nil
}

// countReader gathers some bands at a time, whose vertices a device counts by their distance.
type countReader struct {
	batch       *searches.DeviceBatch
	run         *rows.Run
	bands       []*levelReader // of the units from first on
	first       int
	next, until int // the units that are to be read
	counted     int // those before have been counted
}

func (r *countReader) Close() error { return nil }

func (r *countReader) read(ctx context.Context, _, _ int, takers takers) error {
	if r.next >= r.counted {
		if err := r.search(ctx, takers); err != nil {
			return fmt.Errorf("counts by distance: %w; what was gathered is kept, and the same command goes on, with "+
				"--device cpu on the processor", err)
		}
	}
	r.bands[r.next-r.first].tellAll(takers)
	r.next++
	return nil
}

// search counts for as many units as there are lanes for.
func (r *countReader) search(ctx context.Context, takers takers) error {
	r.first, r.counted = r.next, r.next
	var sources []int32
	for _, b := range r.bands[:min(len(r.bands), r.until-r.first)] {
		b.begin(r.run.RowsOf(r.counted))
		if len(sources)+len(b.sources) > r.batch.Lanes() {
			break
		}
		b.askAll(takers)
		sources = append(sources, b.sources...)
		r.counted++
	}
	return r.batch.Levels(sources, func(l rows.Level) error {
		at := 0
		for _, b := range r.bands[:r.counted-r.first] {
			end := at + len(b.sources)
			b.add(rows.Level{Distance: l.Distance, Counts: l.Counts[at:end], First: l.First[at:end]})
			at = end
		}
		return context.Cause(ctx)
	})
}
