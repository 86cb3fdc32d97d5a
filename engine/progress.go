package engine

import (
	"os"
	"time"

	"ooc/kernels"
	"ooc/stream"
)

// The stages of a solve, for people. That by rounds has the first alone.
const (
	StageRounds    = "rounds"
	StageEliminate = "eliminate"
	StageCore      = "core" // in rounds of its own, if it is large
	StageExpand    = "expand"
)

// Status is how far a solve is and what it is doing. Rates are over the last few seconds.
type Status struct {
	Store        string  `json:"store"`
	Vertices     int     `json:"vertices"`
	Arcs         int64   `json:"arcs"`
	Kind         string  `json:"kind"`
	Algorithm    string  `json:"algorithm"`
	Device       string  `json:"device,omitempty"`
	State        string  `json:"state"` // "new", "running", "unfinished", "solved"
	Stage        string  `json:"stage"` // one of those above
	Round        int     `json:"round"` // the one being worked on, from 1
	Rounds       int     `json:"rounds"`
	Progress     float64 `json:"progress"`      // 0…1, of all relaxations
	RestorePoint float64 `json:"restore_point"` // 0…1: what a new run would go on from after a power cut

	Rows         int     `json:"rows,omitempty"` // of distances, of an elimination; how many are written and how fast
	RowsDone     int     `json:"rows_done,omitempty"`
	DistanceRate float64 `json:"distances_per_second,omitempty"`

	Rate         float64 `json:"relaxations_per_second"`
	Ceiling      float64 `json:"ceiling_relaxations_per_second,omitempty"`
	InRate       float64 `json:"bytes_in_per_second"`
	OutRate      float64 `json:"bytes_out_per_second"`
	ReadRate     float64 `json:"bytes_read_per_second"`
	WriteRate    float64 `json:"bytes_written_per_second"`
	Busy         Busy    `json:"busy"` // by stage, as a share of the time; 2 is two goroutines or lanes all the time
	DeviceMemory int64   `json:"device_memory_bytes"`
	HostMemory   int64   `json:"host_memory_bytes"`
	Elapsed      float64 `json:"elapsed_seconds"` // all runs
	ETA          float64 `json:"eta_seconds"`     // from this run's own speed; -1 while unknown
	PID          int     `json:"pid,omitempty"`
}

// Busy is the time that stages of the pipeline were at work, summed over their goroutines or lanes.
type Busy map[string]float64

// busy returns what the stages did from then to now, in units of the given time.
func busy(then, now stream.Stats, unit time.Duration) Busy {
	b := Busy{}
	for s := range stream.Stages {
		b[s.String()] = float64(now[s].Busy-then[s].Busy) / float64(unit)
	}
	return b
}

// window is the span over which rates are taken.
const window = 5 * time.Second

type sample struct {
	at    time.Time
	stats stream.Stats
}

// liveEvery is how often other processes are told, at least.
const liveEvery = 500 * time.Millisecond

// startReports tells other processes and, at intervals, Progress what status returns, until the function it
// returns is called, which tells them once more, how it ended.
func (p *Problem) startReports(o Options, status func() Status) (stop func()) {
	every := o.Interval
	if every <= 0 {
		every = time.Second
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(min(every, liveEvery))
		defer tick.Stop()
		var told time.Time
		for running := true; running; {
			select {
			case <-tick.C:
			case <-quit:
				running = false
			}
			st, now := status(), time.Now()
			switch {
			case running:
				st.State = "running"
			case st.RestorePoint == 1:
				st.State, st.ETA = "solved", 0
			default:
				st.State = "unfinished"
			}
			p.setLive(st)
			if o.Progress != nil && (!running || now.Sub(told) >= every-every/8) {
				told = now
				o.Progress(st)
			}
		}
	}()
	return func() {
		close(quit)
		<-gone
	}
}

// startReports reports on the rounds.
func (r *run) startReports() (stop func()) {
	first := sample{at: time.Now()}
	history := []sample{first}
	r.p.setLive(r.starting())
	return r.p.startReports(r.o, func() Status {
		now := sample{time.Now(), r.x.pipe.Stats()}
		for len(history) > 1 && now.at.Sub(history[0].at) > window {
			history = history[1:]
		}
		st := r.status(history[0], now, first.at)
		history = append(history, now)
		return st
	})
}

// starting is the status before anything was done, in place of what an earlier run left.
func (r *run) starting() Status {
	now := sample{at: time.Now()}
	st := r.status(now, now, now.at)
	st.State = "running"
	return st
}

// status describes the solve at now, with rates since then.
func (r *run) status(then, now sample, began time.Time) Status {
	st := r.p.status()
	st.Stage, st.Algorithm = StageRounds, r.x.way.name
	st.Device, st.PID = r.o.Device.Info().Model, os.Getpid()
	n := float64(r.p.geom.N)
	here := r.useful(now.stats[stream.Kernel].Work)
	total := n * n * n * float64(r.x.way.work(r.p.geom))
	before := total * float64(r.start) / float64(r.last)
	st.Progress = min(1, (before+here)/total)
	st.RestorePoint = float64(r.x.track.restorePoint()) / n
	st.Rounds = ceilDiv(r.last, r.x.way.round(&r.plan))
	st.Round = min(st.Rounds, 1+int(st.Progress*float64(r.last))/r.x.way.round(&r.plan))
	if dt := now.at.Sub(then.at).Seconds(); dt > 0 {
		rate := func(s stream.Stage) float64 { return float64(now.stats[s].Bytes-then.stats[s].Bytes) / dt }
		st.Rate = (here - r.useful(then.stats[stream.Kernel].Work)) / dt
		st.InRate, st.OutRate = rate(stream.In), rate(stream.Out)
		st.ReadRate, st.WriteRate = rate(stream.Read), rate(stream.Write)
		st.Busy = busy(then.stats, now.stats, now.at.Sub(then.at))
	}
	st.Ceiling = Ceiling(r.o.Device, r.x.variant)
	st.DeviceMemory = int64(r.plan.Slots) * r.p.geom.TileBytes()
	st.HostMemory = int64(r.plan.Pages) * r.p.geom.TileBytes()
	st.Elapsed = (r.prior + now.at.Sub(r.began)).Seconds()
	st.ETA = -1
	if here > 0 {
		st.ETA = max(0, total-before-here) / here * now.at.Sub(began).Seconds()
	}
	return st
}

// Ceiling returns the device's ceiling, or 0 where it knows none.
func Ceiling(d kernels.Device, v kernels.Variant) float64 {
	if c, ok := d.(kernels.Ceiler); ok {
		return c.Ceiling(v)
	}
	return 0
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
