package live

import (
	"encoding/json"
	"time"
)

// liveEvery is the longest time between two reports to other processes.
const liveEvery = 250 * time.Millisecond

// Reporter publishes the progress of a solve to other processes, and calls a function at intervals. Its methods are for
// one goroutine.
type Reporter struct {
	o          ReporterOptions
	looks      chan func() Live
	quit, gone chan struct{}
	started    bool
	solved     bool // guarded by quit

	parent *Reporter // nil: this one publishes by itself
	change func(Live) Live
	after  func()
}

// ReporterOptions say who gets the reports.
type ReporterOptions struct {
	Control  *Control
	Publish  func(live []byte) error // publishes to other processes; its errors do not end a solve
	Progress func(Status)            // nil: none
	Interval time.Duration           // between two calls of Progress; 0: one second
}

// NewReporter returns a reporter that has nothing to report yet.
func NewReporter(o ReporterOptions) *Reporter {
	if o.Interval <= 0 {
		o.Interval = time.Second
	}
	return &Reporter{o: o, looks: make(chan func() Live), quit: make(chan struct{}), gone: make(chan struct{})}
}

// Within returns a reporter for a part of the solve. This reporter passes its reports on, through change; after is
// called when the part has ended.
func (r *Reporter) Within(change func(Live) Live, after func()) *Reporter {
	return &Reporter{parent: r, change: change, after: after}
}

// Show reports what look returns, now and at every interval from now on.
func (r *Reporter) Show(look func() Live) {
	if r.parent != nil {
		r.parent.Show(func() Live { return r.change(look()) })
		return
	}
	if !r.started {
		r.started = true
		go r.run()
	}
	r.looks <- look
	r.looks <- nil // received once the first report is out
}

// Stop sends the last report, which says how the solve ended.
func (r *Reporter) Stop(solved bool) {
	if r.parent != nil {
		r.after()
		return
	}
	if !r.started {
		return
	}
	r.started, r.solved = false, solved
	close(r.quit)
	<-r.gone
}

func (r *Reporter) run() {
	defer close(r.gone)
	tick := time.NewTicker(min(r.o.Interval, liveEvery))
	defer tick.Stop()
	look := <-r.looks
	r.tell(look, true)
	told := time.Now()
	for {
		progress := false
		select {
		case <-tick.C:
			progress = time.Since(told) >= r.o.Interval-r.o.Interval/8
		case <-r.o.Control.reports():
			progress = true
		case next := <-r.looks:
			if next == nil {
				continue
			}
			look, progress = next, true
		case <-r.quit:
			live := look()
			if live.State = Unfinished; live.RestorePoint == 1 && r.solved {
				live.State, live.ETA, live.Progress = Solved, 0, 1 // fewer relaxations may have been enough
			}
			r.send(live, true)
			return
		}
		if progress {
			told = time.Now()
		}
		r.tell(look, progress)
	}
}

// tell reports on a running solve.
func (r *Reporter) tell(look func() Live, progress bool) {
	live := look()
	if live.State = Running; r.o.Control.Paused() {
		live.State = Paused
	}
	r.send(live, progress)
}

// send publishes a report, and calls Progress if its interval has passed. Errors of publishing must not end a solve.
func (r *Reporter) send(live Live, progress bool) {
	told := live
	told.Store = "" // readers know the path, which may have another name for them
	if data, err := json.Marshal(told); err == nil {
		_ = r.o.Publish(data)
	}
	if progress && r.o.Progress != nil {
		r.o.Progress(live.Status)
	}
}
