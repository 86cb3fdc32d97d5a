package rowsums

import (
	"errors"
	"fmt"

	"ooc/kernels"
)

// asking is the memory of a question: on the device all of it, and on the host what is copied.
type asking struct {
	memory kernels.Buffer
	host   []byte // what is copied in: zeros and the data; and then the answer
}

// Lanes is how many lanes an answer is of.
func (b *Batch) Lanes() int { return b.lanes }

// Ask returns the answers to questions about the rows of the last Sums, whose sources are the first lanes. Names are
// vertices. The questions are like those of New, and take no more memory. Answers are there until the next call.
func (b *Batch) Ask(questions []kernels.LaneQuestion) (answers [][]byte, err error) {
	if len(questions) == 0 {
		return nil, nil
	}
	for i, q := range questions {
		var answer []byte
		if answer, err = b.enqueueQuestion(b.asked[i], q); err != nil {
			break
		}
		answers = append(answers, answer)
	}
	return answers, errors.Join(err, b.stream.Sync())
}

func (b *Batch) enqueueQuestion(a *asking, q kernels.LaneQuestion) (answer []byte, err error) {
	can, ok := kernels.As[kernels.LaneStats](b.w.device)
	if !ok {
		return nil, errors.New("the device has no statistics of lanes")
	}
	room := q.Room(b.w.variant, b.lanes, len(b.w.vertices))
	data, work, all := room.Places()
	if int64(all) > a.memory.Bytes() || work > len(a.host) {
		return nil, fmt.Errorf("a question that takes %d bytes, of %d", all, a.memory.Bytes())
	}
	memory := kernels.Tile{Buf: a.memory}
	clear(a.host[:data])
	copy(a.host[data:], q.Data())
	if err := b.stream.CopyIn(memory, a.host[:work]); err != nil {
		return nil, err
	}
	rows := kernels.LaneRows{Lanes: b.row(0), Width: b.lanes, Rows: len(b.w.vertices), Count: b.count,
		Names: b.w.names, Memory: memory}
	if err := can.LaneStat(b.stream, b.w.variant, rows, q); err != nil {
		return nil, err
	}
	return a.host[:room.Answer], b.stream.CopyOut(a.host[:room.Answer], memory)
}
