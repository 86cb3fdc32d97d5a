package live

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"ooc/stream"
)

// Timeline writes what each stage did, and when, as a JSON array of trace events, which chrome://tracing and Perfetto
// draw. Each stage is a process and each stream or goroutine a thread; times are in microseconds. See "Trace Event
// Format" (Google, 2016).
type Timeline struct {
	mu     sync.Mutex
	w      *bufio.Writer // guarded by mu, as all below
	before string        // what comes before the next event: [ or a comma
}

// traceEvent is one event of a timeline: what a stage did, and when, in microseconds.
type traceEvent struct {
	Name   string            `json:"name"`
	Phase  string            `json:"ph"`
	Start  float64           `json:"ts"`
	Took   float64           `json:"dur"`
	Stage  int               `json:"pid"`
	Worker int               `json:"tid"`
	Args   map[string]string `json:"args,omitempty"`
}

// NewTimeline returns nil if w is nil.
func NewTimeline(w io.Writer) *Timeline {
	if w == nil {
		return nil
	}
	t := &Timeline{w: bufio.NewWriterSize(w, 1<<20), before: "["}
	for s := range stream.Stages {
		t.put(traceEvent{Name: "process_name", Phase: "M", Stage: int(s), Args: map[string]string{"name": s.String()}})
	}
	return t
}

// Span is a pipeline's Trace, nil for no timeline.
func (t *Timeline) Span() func(stream.Span) {
	if t == nil {
		return nil
	}
	us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	return func(s stream.Span) {
		start, took := us(s.Start), us(s.End-s.Start)
		t.put(traceEvent{Name: s.Name, Phase: "X", Start: start, Took: took, Stage: int(s.Stage), Worker: s.Stream})
	}
}

func (t *Timeline) put(e traceEvent) {
	data, _ := json.Marshal(e) // which is made of texts and numbers
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.w, "%s\n%s", t.before, data)
	t.before = ","
}

// Close ends the array and returns the first error.
func (t *Timeline) Close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w.WriteString("\n]\n")
	return t.w.Flush() // whatever write has failed
}
