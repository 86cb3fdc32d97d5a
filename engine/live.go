package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"ooc/stream"
	"ooc/tiles"
)

// Live is what a solve tells other processes while it runs.
type Live struct {
	Status
	Ceilings Ceilings `json:"ceilings"`
	Lanes    Lanes    `json:"lanes"`
	Board    *Board   `json:"board,omitempty"` // nil: there is nothing to draw
}

// Ceilings are the rates that the plan reckoned with, measured when the solve began; 0: unknown. In and Out are those
// between host and device, Read and Write those between the matrix's mapping and host memory, in bytes/s.
type Ceilings struct {
	In    float64 `json:"bytes_in_per_second,omitempty"`
	Out   float64 `json:"bytes_out_per_second,omitempty"`
	Read  float64 `json:"bytes_read_per_second,omitempty"`
	Write float64 `json:"bytes_written_per_second,omitempty"`
}

// Lanes say what each worker of the pipeline is at, a letter each: r read, i in, k kernel, o out, w write, s sync,
// and . for one that waits. "" where there is no pipeline.
type Lanes struct {
	Device string `json:"device,omitempty"` // the lanes of the device
	Read   string `json:"read,omitempty"`   // goroutines, as those below
	Write  string `json:"write,omitempty"`
	Sync   string `json:"sync,omitempty"`
}

// LaneLetters are the letters of Lanes, in the order of the stages.
const LaneLetters = "rikows."

func lanesOf(a stream.Activity) Lanes {
	text := func(stages []stream.Stage) string {
		var b strings.Builder
		for _, s := range stages {
			b.WriteByte(LaneLetters[s])
		}
		return b.String()
	}
	return Lanes{Device: text(a.Lanes), Read: text(a.Read), Write: text(a.Write), Sync: text(a.Sync)}
}

// checkpointState is Status.Checkpoint.
func checkpointState(c *Control, underWay bool) string {
	switch {
	case underWay:
		return "under way"
	case c.wanted():
		return "asked"
	}
	return ""
}

// liveEvery is how often other processes are told, at least.
const liveEvery = 250 * time.Millisecond

// reporter tells other processes, and at intervals Progress, how far a solve is.
type reporter struct {
	p          *Problem
	o          Options
	looks      chan func() Live
	quit, gone chan struct{}
}

// startReports tells what look returns, at once and from then on, until stop is called.
func (p *Problem) startReports(o Options, look func() Live) *reporter {
	if o.Interval <= 0 {
		o.Interval = time.Second
	}
	r := &reporter{p: p, o: o, looks: make(chan func() Live), quit: make(chan struct{}), gone: make(chan struct{})}
	go r.run()
	r.show(look)
	return r
}

// show tells by another function from now on, and at once.
func (r *reporter) show(look func() Live) {
	r.looks <- look
	r.looks <- nil // taken once that was told
}

// stop tells once more, how the solve ended.
func (r *reporter) stop() {
	close(r.quit)
	<-r.gone
}

func (r *reporter) run() {
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
			if live.State = "unfinished"; live.RestorePoint == 1 && r.p.summed.Load() {
				live.State, live.ETA, live.Progress = "solved", 0, 1 // fewer relaxations may have been enough
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

// tell says how a solve that runs is doing.
func (r *reporter) tell(look func() Live, progress bool) {
	live := look()
	if live.State = "running"; r.o.Control.Paused() {
		live.State = "paused"
	}
	r.send(live, progress)
}

// send tells other processes, and Progress if it is its turn. That others cannot be told must not end a solve.
func (r *reporter) send(live Live, progress bool) {
	told := live
	told.Store = "" // whoever reads it knows, and our name for it may not be theirs
	if data, err := json.Marshal(told); err == nil {
		_ = r.p.store.SetLive(data)
	}
	if progress && r.o.Progress != nil {
		r.o.Progress(live.Status)
	}
}

// View is what can be seen of a store from outside.
type View struct {
	Live
	Host    string `json:"host,omitempty"` // of the process that has, or last had, the store, with its PID
	Running bool   `json:"running"`        // that process has the store now
	Died    bool   `json:"died,omitempty"` // it ended without a word
}

// StateImporting is the state of a store that is being made.
const StateImporting = "importing"

// Look says what the store in dir is and what is being done to it: what the process that solves it says if there is
// one, else what its files say. It reads only, takes no lock, and works on read-only media. Errors are those of
// OpenReadOnly.
func Look(dir string) (View, error) {
	pid, host, running, err := tiles.LockHolder(dir)
	if err != nil {
		return View{}, err
	}
	v := View{Host: host, Running: running, Died: !running && pid != 0}
	if running {
		data, err := tiles.ReadLive(dir)
		if err == nil {
			v.Live, err = decodeLive(data)
		}
		if err == nil && v.PID == pid { // else it is what another run left
			v.Store = dir
			return v, nil
		}
	}
	if v.Live, err = restingState(dir, running); err != nil {
		return View{}, err
	}
	v.PID = pid
	return v, nil
}

// restingState is what the files say, of a store that a process has in hand but says nothing about, or that is left alone.
func restingState(dir string, running bool) (Live, error) {
	if half, err := tiles.Incomplete(dir); err == nil && half && running {
		return Live{Status: Status{Store: dir, State: StateImporting, ETA: -1}}, nil
	}
	p, err := OpenReadOnly(dir)
	if err != nil {
		return Live{}, err
	}
	defer p.Close()
	st, err := p.Status()
	if running && st.State != "solved" {
		st.State = "running"
	}
	return Live{Status: st}, err
}

// decodeLive reads what a process said: perhaps one of another version, or no process of ours.
func decodeLive(data []byte) (Live, error) {
	var live Live
	if err := json.Unmarshal(data, &live); err != nil {
		return Live{}, fmt.Errorf("live status: %w", err)
	}
	if live.Board != nil && !live.Board.valid() {
		live.Board = nil
	}
	for _, text := range []*string{&live.Kind, &live.Algorithm, &live.Device, &live.State, &live.Stage, &live.Checkpoint,
		&live.Lanes.Device, &live.Lanes.Read, &live.Lanes.Write, &live.Lanes.Sync} {
		*text = printable(*text)
	}
	return live, nil
}

// printable drops what would move a terminal's cursor.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
}
