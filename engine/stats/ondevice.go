package stats

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"ooc/engine/device"
	"ooc/engine/factors"
	"ooc/engine/rows"
	"ooc/engine/rowsums"
	"ooc/engine/searches"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// deviceBatches is how many batches there are at most on a device: while it computes some, which one alone would not
// keep busy, the processor prepares the next ones and adds up the results of those before. It is a variable only for
// tests.
var deviceBatches = 16

// searchBatches is the same of searches, of which each keeps a device busy.
const searchBatches = 4

// sumTaker is a taker that can take the sums of a band's rows.
type sumTaker interface {
	// addSums takes the sums of all of the band's rows, and, unless they are nil, those of its columns. They stay
	// there until the band has ended.
	addSums(rows, columns []kernels.LaneSum)
}

// asker is a taker that can have a device asked about a band's rows, once these are added up.
type asker interface {
	// question returns what is asked; nil: a device cannot tell. Without sums, it is what takes most memory of all
	// that may be asked.
	question(sums []kernels.LaneSum) kernels.LaneQuestion
	// answered takes the answer, which is of so many lanes, the first of them the band's rows.
	answered(answer []byte, lanes int)
}

// questions returns what takers ask of rows beside sums, and reports whether devices can tell all that they take.
func (x *graphGathering) questions() (questions []kernels.LaneQuestion, all bool) {
	for _, g := range x.gatherers {
		switch t := g.worker().(type) {
		case sumTaker:
		case asker:
			q := t.question(nil)
			if q == nil {
				return nil, false
			}
			questions = append(questions, q)
		default:
			return nil, false
		}
	}
	return questions, true
}

// askDevices returns the devices that add up rows, if all takers take sums or ask them. questions are those of the
// takers.
func (x *graphGathering) askDevices() (devices []kernels.Device, questions []kernels.LaneQuestion) {
	if x.device == nil {
		return nil, nil
	}
	questions, all := x.questions()
	if !all {
		return nil, nil
	}
	for _, d := range device.Each(x.device) {
		_, adds := kernels.As[kernels.LaneOps](d)
		_, answers := kernels.As[kernels.LaneStats](d)
		if adds && (answers || len(questions) == 0) {
			devices = append(devices, d)
		}
	}
	return devices, questions
}

// mostUpper is how many upper ranks may be between pieces: the host and each device have memory for the distances
// between them, and for as many entries of the pieces. 0: rows are not added up on devices.
func (x *graphGathering) mostUpper() int {
	devices, _ := x.askDevices()
	if len(devices) == 0 {
		return 0
	}
	room, v := x.o.Memory, x.g.Kind.Variant(x.g.Negative)
	if room == 0 {
		room = device.FreeMemory() / computedShare
	}
	most := float64(device.Several(devices).Info().Memory/3) / float64(v.Bytes())
	if room > 0 { // it is known
		most = min(most, float64(room/2)/float64(v.WeightBytes()))
	}
	return int(math.Sqrt(most)) / kernels.DeviceLaneUnit * kernels.DeviceLaneUnit
}

// opening is Sums that are opened on devices, those of an elimination while its core is closed.
type opening struct {
	devices []kernels.Device
	sums    []*rowsums.Sums // nil: there is no memory for it
	all     errgroup.Group
	core    chan struct{} // is closed when f is there
	f       *factors.Factors
	err     error // why it is not
}

// begin begins to open them.
func (o *opening) begin(open func(kernels.Device) (*rowsums.Sums, error)) {
	o.sums = make([]*rowsums.Sums, len(o.devices))
	for i, d := range o.devices {
		o.all.Go(func() (err error) {
			if o.sums[i], err = open(d); errors.Is(err, kernels.ErrNoMemory) {
				return nil // fewer devices do, or none
			}
			return err
		})
	}
}

// open begins to open them, unless elimination has left more than most upper ranks.
func (x *graphGathering) open(ctx context.Context, e *sparse.Elimination, most int) {
	if e.Pieces.Upper > most {
		return
	}
	devices, questions := x.askDevices()
	o := &opening{devices: devices, core: make(chan struct{})}
	core := func() (*sparse.DenseCore, error) {
		if <-o.core; o.err != nil {
			return nil, o.err
		}
		return o.f.Core, nil
	}
	upper := sync.OnceValues(func() (*sparse.DenseCore, error) {
		core, err := core()
		if err != nil {
			return nil, err
		}
		return e.UpperDistances(ctx, core.Host, core)
	})
	lanes := entry.RoundUp(heightOf(x.o.rows(x.g)), kernels.DeviceLaneUnit)
	x.opening = o
	o.begin(func(d kernels.Device) (*rowsums.Sums, error) {
		return rowsums.New(e, d, core, upper, !x.symmetric, deviceBatches, lanes, questions...)
	})
}

// closed says how closing the core has ended.
func (o *opening) closed(ready rows.Ready, err error) {
	if o != nil {
		o.f, _ = ready.(*factors.Factors)
		o.err = err
		close(o.core)
	}
}

func (o *opening) close() (err error) {
	if o == nil {
		return nil
	}
	_ = o.all.Wait() // whose error is told by now
	for _, s := range o.sums {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}

// leaveDevices gives back the devices' memory that rows have taken, for what follows them.
func (x *graphGathering) leaveDevices() error {
	err := x.opening.close()
	x.opening = nil
	if f, ok := x.ready.(*factors.Factors); ok {
		err = errors.Join(err, f.Core.Fetch())
	}
	return err
}

// onDevices makes the rows of the gathering's source be added up on devices as they are computed there, a batch for
// each band. Bands are dealt to batches of all devices, which are of one shape and end in order, so on devices of one
// kind results have the same bits whatever their number. It does nothing where no device has the memory, or elimination
// has left too many upper ranks. A batch takes some MB of host memory, and 32 bytes a vertex for sums of columns, which
// no limit counts.
func (x *graphGathering) onDevices(f *factors.Factors) error {
	if x.opening == nil {
		return nil
	}
	used, err := x.addUp()
	if used {
		f.Elimination.Pieces.Down = nil // the devices have it
	}
	return err
}

// openSearch begins to open Sums of rows that devices find by searches, for bands of so many rows, if it is tried and
// any can.
func (x *graphGathering) openSearch(tried bool, height int) {
	devices, _ := x.askDevices()
	devices = slices.DeleteFunc(devices, func(d kernels.Device) bool {
		_, can := kernels.As[kernels.SearchOps](d)
		return !can
	})
	if d := x.device; d != nil && len(devices) == 0 && !d.Info().SharedCores {
		x.sum.Alone = d.Info().Name + " cannot"
	}
	if !tried || len(devices) == 0 {
		return
	}
	g, lanes := searches.InLanes(x.ready), entry.RoundUp(height, kernels.DeviceLaneUnit)
	x.inLanes, x.opening = g.Variant.Kind(), &opening{devices: devices}
	questions, _ := x.questions() // of lanes of this kind
	x.opening.begin(func(d kernels.Device) (*rowsums.Sums, error) {
		return rowsums.NewSearched(g, d, !x.symmetric, searchBatches, lanes, questions...)
	})
}

// searchOnDevices does the same with rows that devices find by searches, in fewer lanes where they have not the memory
// for a band, unless an earlier call has begun.
func (x *graphGathering) searchOnDevices(resumed bool) error {
	for height := x.from.height; x.opening != nil; x.openSearch(true, height) {
		used, err := x.addUp()
		if used && height < x.from.height {
			x.bandsOf(height)
		}
		if used || err != nil {
			return err
		}
		if height = fewerLanes(height); height == 0 || resumed {
			x.opening, x.sum.Alone = nil, x.device.Info().Name+" has no memory for that"
			break
		}
	}
	return nil
}

// fewerLanes is about half as many.
func fewerLanes(lanes int) int {
	const unit = kernels.DeviceLaneUnit
	return entry.RoundUp(lanes, unit) / 2 / unit * unit
}

// bandsOf cuts bands of so many rows, which is less than they have.
func (x *graphGathering) bandsOf(height int) {
	x.from.height, x.from.starts = height, nil
	for at := 0; at < len(x.from.order); at += height {
		x.from.starts = append(x.from.starts, int32(at))
	}
	x.from.starts = append(x.from.starts, int32(len(x.from.order)))
	x.run.Starts, x.slot.Order = x.from.starts, x.order()
}

// addUp waits for the Sums that are opened, and makes them add up rows. It reports whether there are any.
func (x *graphGathering) addUp() (added bool, err error) {
	if err := x.opening.all.Wait(); err != nil {
		return false, fmt.Errorf("sums of rows: %w", err)
	}
	var used []kernels.Device
	var batches []*rowsums.Batch // of all devices in turn
	for k := range deviceBatches {
		for i, s := range x.opening.sums {
			if s != nil && k == 0 {
				used = append(used, x.opening.devices[i])
			}
			if s != nil && k < len(s.Batches) {
				batches = append(batches, s.Batches[k])
			}
		}
	}
	if len(used) == 0 {
		return false, nil
	}
	x.from.hands, x.from.device = len(batches), device.Several(used).Info().Model
	x.from.reader = func(i int) (reader, error) { return &deviceReader{batches[i], x.from.order}, nil }
	return true, nil
}

// deviceReader adds up a band at a time.
type deviceReader struct {
	batch *rowsums.Batch
	order []int32
}

func (r *deviceReader) Close() error { return nil }

func (r *deviceReader) read(ctx context.Context, lo, hi int, all takers) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := r.ask(r.order[lo:hi], all); err != nil {
		return fmt.Errorf("sums of rows: %w; what was gathered is kept, and the same command goes on, with --device "+
			"cpu on the processor", err)
	}
	return nil
}

// ask gives all takers what the device finds in a band's rows, those of some vertices.
func (r *deviceReader) ask(vertices []int32, all takers) error {
	rows, columns, err := r.batch.Sums(vertices)
	if err != nil {
		return err
	}
	var askers []asker
	var questions []kernels.LaneQuestion
	for _, t := range all {
		if sums, ok := t.(sumTaker); ok {
			sums.addSums(rows, columns)
			continue
		}
		askers = append(askers, t.(asker))
		questions = append(questions, askers[len(askers)-1].question(rows))
	}
	answers, err := r.batch.Ask(questions)
	if err != nil {
		return err
	}
	for i, a := range askers {
		a.answered(answers[i], r.batch.Lanes())
	}
	return nil
}
