package engine

import (
	"bufio"
	"encoding/json"
	"io"
	"sync"
	"time"

	"ooc/stream"
)

// timeline writes what each stage did when as a JSON array of trace events, which chrome://tracing and
// Perfetto draw: a process for each stage, a thread for each lane or goroutine, times in microseconds. See "Trace
// Event Format" (Google, 2016).
type timeline struct {
	mu    sync.Mutex
	w     *bufio.Writer // guarded by mu, as all below
	comma bool
	err   error
}

type traceEvent struct {
	Name  string            `json:"name"`
	Phase string            `json:"ph"`
	Start float64           `json:"ts"`
	Took  float64           `json:"dur"`
	Stage int               `json:"pid"`
	Lane  int               `json:"tid"`
	Args  map[string]string `json:"args,omitempty"`
}

// newTimeline returns nil where nobody wants one.
func newTimeline(w io.Writer) *timeline {
	if w == nil {
		return nil
	}
	t := &timeline{w: bufio.NewWriterSize(w, 1<<20)}
	for s := range stream.Stages {
		t.put(traceEvent{Name: "process_name", Phase: "M", Stage: int(s), Args: map[string]string{"name": s.String()}})
	}
	return t
}

// span is a pipeline's Trace, nil for no timeline.
func (t *timeline) span() func(stream.Span) {
	if t == nil {
		return nil
	}
	us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	return func(s stream.Span) {
		t.put(traceEvent{Name: s.Name, Phase: "X", Start: us(s.Start), Took: us(s.End - s.Start), Stage: int(s.Stage), Lane: s.Lane})
	}
}

func (t *timeline) put(e traceEvent) {
	data, err := json.Marshal(e)
	t.mu.Lock()
	defer t.mu.Unlock()
	head := "[\n"
	if t.comma {
		head = ",\n"
	}
	t.comma = true
	if _, werr := t.w.WriteString(head); err == nil {
		err = werr
	}
	if _, werr := t.w.Write(data); err == nil {
		err = werr
	}
	if t.err == nil {
		t.err = err
	}
}

// close ends the array and returns the first error.
func (t *timeline) close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.w.WriteString("\n]\n"); t.err == nil {
		t.err = err
	}
	if err := t.w.Flush(); t.err == nil {
		t.err = err
	}
	return t.err
}
