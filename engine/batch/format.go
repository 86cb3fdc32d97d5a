package batch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"ooc/engine/text"
	"ooc/tiles"
)

// The file queue is lines with checksums (text.SumLine). The object of the first is a head, of each other one a change.
const (
	queueFormat  = "ooc batch"
	queueVersion = 2

	longestRecord = 64 << 20 // bounds the memory that a reader takes
	longestError  = 4 << 10  // of an error, as recorded
)

type head struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	ID      tiles.ID  `json:"id"`
	Created time.Time `json:"created"`
	Command []string  `json:"command"`
	Jobs    []headJob `json:"jobs"`
}

type headJob struct {
	Input   string   `json:"input"`
	Store   string   `json:"store"`
	Flags   []string `json:"flags,omitempty"`
	Restart bool     `json:"restart,omitempty"`
}

type change struct {
	ID  tiles.ID `json:"id,omitzero"` // of the head
	Job int      `json:"job"`         // from 0
	progress
}

// errNothing says that the file was cut off within its first record, so no job was ever begun.
var errNothing = errors.New("its first record is not whole")

// encode returns a record as a line.
func encode(record any) ([]byte, error) {
	body, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	return text.SumLine(body), nil
}

// decode reads records up to the end or the torn last one. It returns how many bytes are good.
func decode(r io.Reader) (q *Queue, good int64, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err != nil {
			return nil, 0, err
		}
		if len(line) == 0 {
			break
		}
		body, ok := text.CutSum(line)
		if !ok {
			// Each record is synced before the next is written: damage before the end is no torn write.
			rest, err := io.Copy(io.Discard, in)
			if err != nil {
				return nil, 0, err
			}
			if rest > 0 && line[len(line)-1] == '\n' {
				return nil, 0, corrupt("line %d does not match its checksum, and more follow", n)
			}
			if q != nil {
				q.Torn = len(line) + int(rest)
			}
			break
		}
		if q == nil {
			q, err = begin(body)
		} else {
			err = q.apply(body)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", n, err)
		}
		good += int64(len(line))
	}
	if q == nil {
		return nil, 0, errNothing
	}
	return q, good, nil
}

// readLine returns the next line, with its newline if it has one; at the end it returns nothing.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil, err == io.EOF:
			return line, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		case len(line) > longestRecord:
			return nil, corrupt("a line of over %d bytes", longestRecord)
		}
	}
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errCorrupt, fmt.Sprintf(format, args...))
}

// begin reads the first record.
func begin(body []byte) (*Queue, error) {
	var h head
	if err := json.Unmarshal(body, &h); err != nil {
		return nil, corrupt("%v", err)
	}
	switch {
	case h.Format != queueFormat:
		return nil, corrupt("it is no queue of a batch")
	case h.Version != queueVersion:
		return nil, corrupt("version %d, and this program reads %d", h.Version, queueVersion)
	case h.ID == tiles.ID{}:
		return nil, corrupt("it has no id")
	}
	q := &Queue{id: h.ID, Created: h.Created, Command: h.Command, Jobs: make([]Job, len(h.Jobs))}
	for i, j := range h.Jobs {
		for _, word := range append([]string{j.Input, j.Store}, j.Flags...) {
			if !text.OneLine(word) {
				return nil, corrupt("job %d has a line end in %q", i, word)
			}
		}
		q.Jobs[i] = newJob(j.Input, j.Store, j.Flags, j.Restart)
	}
	return q, nil
}

// apply applies another record.
func (q *Queue) apply(body []byte) error {
	var c change
	if err := json.Unmarshal(body, &c); err != nil {
		return corrupt("%v", err)
	}
	if c.ID != q.id {
		return corrupt("it belongs to another batch")
	}
	if c.Job < 0 || c.Job >= len(q.Jobs) || !states[c.State] {
		return corrupt("job %d in state %q of %d jobs", c.Job, c.State, len(q.Jobs))
	}
	q.Jobs[c.Job].progress = c.progress
	return nil
}
