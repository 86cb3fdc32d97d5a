package engine

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ooc/engine/graph"
	"ooc/tiles/crashtest"
)

// TestCheckpointAfterAnother asks for a checkpoint in a pause while another is on its way.
func TestCheckpointAfterAnother(t *testing.T) {
	r := seeded(t)
	n := 1500
	dir := filepath.Join(t.TempDir(), "x.ooc")
	h, err := crashtest.Watch(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	started, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	armed := false
	h.OnSync = func(name string, done bool) {
		if name == "dist.npy" && !done && armed {
			once.Do(func() { close(started); <-release })
		}
	}
	g := randomGraph(t, r, n, graph.KindI32, false)
	p, err := Create(dir, g, CreateOptions{Tile: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	armed = true
	o := shape{tile: 64, width: 1, slots: inCoreSlots(ceilDiv(n, 64), 1), pages: 8, streams: 2}.open(t)
	o.Checkpoint = time.Hour
	ctl := new(Control)
	o.Control = ctl
	o.Interval = time.Millisecond
	var mu sync.Mutex
	var last Status
	o.Progress = func(s Status) { mu.Lock(); last = s; mu.Unlock() }
	look := func() Status { mu.Lock(); defer mu.Unlock(); return last }
	ctl.Checkpoint()
	end := make(chan error, 1)
	go func() { _, err := p.Solve(t.Context(), o); end <- err }()
	select {
	case <-started:
	case err := <-end:
		t.Fatal("ended", err)
	}
	at := look().Round
	for look().Round < at+3 {
		time.Sleep(time.Millisecond)
	}
	ctl.Pause()
	ctl.Checkpoint()
	close(release)
	for until := time.Now().Add(2 * time.Minute); look().Checkpoint != "" || look().RestorePoint == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("the checkpoint that was asked for in the pause was never taken: %+v", look())
		}
	}
	ctl.Resume()
	if err := <-end; err != nil && !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
}
