package engine_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// TestCheckpointAfterAnother asks for a checkpoint in a pause while another is on its way.
func TestCheckpointAfterAnother(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
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
	g := enginetest.RandomGraph(t, r, n, entry.KindI32, false)
	p, err := engine.Create(t.Context(), dir, g, engine.CreateOptions{Tile: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	armed = true
	o := enginetest.Shape{Tile: 64, Width: 1, Slots: inCoreSlots(entry.CeilDiv(n, 64), 1), Pages: 8,
		Streams: 2}.Options(t)
	o.Checkpoint = time.Hour
	ctl := new(live.Control)
	o.Control = ctl
	o.Interval = time.Millisecond
	var mu sync.Mutex
	var last live.Status
	o.Progress = func(s live.Status) { mu.Lock(); last = s; mu.Unlock() }
	look := func() live.Status { mu.Lock(); defer mu.Unlock(); return last }
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
	for until := time.Now().Add(2 * time.Minute); look().Checkpoint != "" ||
		look().RestorePoint == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("the checkpoint that was asked for in the pause was never taken: %+v", look())
		}
	}
	ctl.Resume()
	if err := <-end; err != nil && !errors.Is(err, task.ErrInterrupted) {
		t.Fatal(err)
	}
}
