package stats

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ooc/engine/device"
	"ooc/engine/rowsums"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// onDevice is a source whose rows are added up on a device as they are computed there: a batch for each band. Rows that are asked for
// one by one are computed by the processor.
type onDevice struct {
	*expanded
	sums    *rowsums.Sums
	columns bool                // sums of columns are wanted
	batches chan *rowsums.Batch // that no reader has yet
}

// deviceBatches is how many batches there are at most: while the device computes one, the processor prepares the next ones and adds up
// the results of those before.
const deviceBatches = 4

// sumTaker is a taker that can take the sums of a band's rows.
type sumTaker interface {
	// addSums takes the sums of all of the band's rows, and, unless they are nil, those of its columns. They stay there until the band has ended.
	addSums(rows, columns []kernels.LaneSum)
}

// asker is a taker that can have a device asked about a band's rows, once these are added up.
type asker interface {
	// question returns what is asked; nil: a device cannot tell. Without sums, it is what takes most memory of all that may be asked.
	question(sums []kernels.LaneSum) kernels.LaneQuestion
	// answered takes the answer, which is of so many lanes, the first of them the band's rows.
	answered(answer []byte, lanes int)
}

// askDevice reports whether there is a device that adds up rows, and all takers take sums or ask it. questions are theirs.
func (x *graphGathering) askDevice() (questions []kernels.LaneQuestion, can bool) {
	if x.o.Device == nil {
		return nil, false
	}
	_, adds := kernels.As[kernels.LaneOps](x.o.Device)
	_, answers := kernels.As[kernels.LaneStats](x.o.Device)
	for _, g := range x.gatherers {
		switch t := g.worker().(type) {
		case sumTaker:
		case asker:
			q := t.question(nil)
			if q == nil || !answers {
				return nil, false
			}
			questions = append(questions, q)
		default:
			return nil, false
		}
	}
	return questions, adds
}

// mostUpper is how many upper ranks may be between pieces: the host and the device have memory for the distances between them, and for
// as many entries of the pieces. 0: rows are not added up on a device.
func (x *graphGathering) mostUpper() int {
	if _, can := x.askDevice(); !can {
		return 0
	}
	room, v := x.o.Memory, x.g.Kind.Variant(x.g.Negative)
	if room == 0 {
		room = device.FreeMemory() / expandedShare
	}
	most := float64(x.o.Device.Info().Memory/3) / float64(v.Bytes())
	if room > 0 { // it is known
		most = min(most, float64(room/2)/float64(v.WeightBytes()))
	}
	return int(math.Sqrt(most)) / kernels.DeviceLaneUnit * kernels.DeviceLaneUnit
}

// newOnDevice returns the source on the device, nil if it or the host lacks the memory: for at most so many upper ranks. A batch takes some 2
// KB of host memory for each of them, and 32 bytes a vertex, which no limit counts.
func (x *graphGathering) newOnDevice(ctx context.Context, most int) (_ *onDevice, err error) {
	e, d := x.f.Elimination, x.o.Device
	if e.Pieces == nil || most == 0 || e.Pieces.Upper > most {
		return nil, nil
	}
	questions, _ := x.askDevice()
	fixed, batch := rowsums.Bytes(e, x.rows.batchLanes(), questions...)
	count := int(min(deviceBatches, (d.Info().Memory-fixed)/batch))
	if count <= 0 {
		return nil, nil
	}
	s := &onDevice{expanded: x.rows, columns: !x.symmetric, batches: make(chan *rowsums.Batch, count)}
	if s.sums, err = rowsums.New(ctx, e, d, x.f.Core); errors.Is(err, kernels.ErrNoMemory) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("sums of rows: %w", err)
	}
	e.Pieces.Inside, e.Pieces.Down = nil, nil // the device has them
	for range count {
		b, err := s.sums.NewBatch(x.rows.batchLanes(), questions...)
		if errors.Is(err, kernels.ErrNoMemory) {
			break
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("sums of rows: %w", err), s.close())
		}
		s.batches <- b
	}
	if len(s.batches) == 0 {
		return nil, s.close()
	}
	return s, nil
}

func (s *onDevice) close() (err error) {
	for len(s.batches) > 0 {
		err = errors.Join(err, (<-s.batches).Close())
	}
	return errors.Join(err, s.sums.Close())
}

func (s *onDevice) workers() int { return len(s.batches) }

// batchLanes is the lanes of a batch that has room for a band.
func (s *expanded) batchLanes() int { return entry.RoundUp(s.height, kernels.DeviceLaneUnit) }

func (s *onDevice) reader() (reader, error) {
	return &deviceReader{onDevice: s, batch: <-s.batches}, nil
}

// deviceReader adds up a band at a time.
type deviceReader struct {
	*onDevice
	batch *rowsums.Batch
}

func (r *deviceReader) close() error { return r.batch.Close() }

func (r *deviceReader) read(ctx context.Context, band int, all takers) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := r.ask(band, all); err != nil {
		return fmt.Errorf("sums of rows: %w; what was gathered is kept, and the same command goes on, with --device cpu on the processor", err)
	}
	return nil
}

// ask gives all takers what the device finds in a band's rows.
func (r *deviceReader) ask(band int, all takers) error {
	rows, columns, err := r.batch.Sums(r.rows(band), r.columns)
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
