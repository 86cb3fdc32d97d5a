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
	State        string  `json:"state"` // "new", "running", "paused", "unfinished", "solved"
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
	Checkpoint   string  `json:"checkpoint,omitempty"` // one that was asked for: "asked"; one on its way: "under way"
	Elapsed      float64 `json:"elapsed_seconds"`      // all runs, pauses left out
	ETA          float64 `json:"eta_seconds"`          // from this run's own speed; -1 while unknown
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
	at    time.Time // by the solve's Control, so that pauses take no time
	stats stream.Stats
}

// startReports reports on the rounds, until the function it returns is called.
func (r *run) startReports() (stop func()) {
	history := []sample{{r.o.Control.now(), r.x.pipe.Stats()}}
	first := history[0].at
	return r.watchers.show(func() Live {
		now := sample{r.o.Control.now(), r.x.pipe.Stats()}
		for len(history) > 1 && now.at.Sub(history[0].at) > window {
			history = history[1:]
		}
		live := r.live(history[0], now, first)
		history = append(history, now)
		return live
	})
}

// live describes the solve at now, with rates since then.
func (r *run) live(then, now sample, began time.Time) Live {
	done, round := r.x.grid.least(), r.x.way.round(&r.plan)
	begun := done
	if !r.x.way.pivots { // a unit is a row of tiles, all of which have one more than those above them when a pass begins
		begun = min((done/round+1)*round, r.last) - 1
	}
	live := Live{
		Status: r.status(then, now, began),
		Lanes:  lanesOf(r.x.pipe.Activity()),
		Board:  r.x.grid.board(begun, round),
		Ceilings: Ceilings{
			In: r.rates.In, Out: r.rates.Out, Read: r.rates.Read, Write: r.rates.Write,
		},
	}
	live.Round = min(live.Rounds, 1+done/round)
	return live
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
	if dt := now.at.Sub(then.at).Seconds(); dt > 0 && !r.o.Control.Paused() {
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
	st.Checkpoint = checkpointState(r.o.Control, len(r.x.syncing) > 0)
	st.ETA = -1
	if here > 0 {
		st.ETA = max(0, total-before-here) / here * now.at.Sub(began).Seconds()
	}
	return st
}

// Ceiling returns the device's ceiling, or 0 where it knows none.
func Ceiling(d kernels.Device, v kernels.Variant) float64 {
	if c, ok := kernels.As[kernels.Ceiler](d); ok {
		return c.Ceiling(v)
	}
	return 0
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
