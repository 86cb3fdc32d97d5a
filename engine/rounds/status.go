package rounds

import (
	"fmt"
	"strings"
	"time"

	"ooc/engine/device"
	"ooc/engine/live"
	"ooc/kernels/entry"
	"ooc/stream"
)

// window is the time over which rates are averaged.
const window = 5 * time.Second

type sample struct {
	at    time.Time // by the solve's Control, so that pauses take no time
	stats stream.Stats
	parts []stream.Stats
}

func (r *run) sample() sample {
	parts := r.partStats()
	return sample{r.Control.Now(), total(parts), parts}
}

// startReports starts the reports on the rounds.
func (r *run) startReports() {
	history := []sample{r.sample()}
	first := history[0].at
	r.Reports.Show(func() live.Live {
		now := r.sample()
		for len(history) > 1 && now.at.Sub(history[0].at) > window {
			history = history[1:]
		}
		live := r.live(history[0], now, first)
		history = append(history, now)
		return live
	})
}

// live describes the solve at now, with rates since then.
func (r *run) live(then, now sample, began time.Time) live.Live {
	done, round := r.grid.least(), r.algorithm.round(&r.plan)
	live := live.Live{
		Status:  r.status(then, now, began),
		Workers: workersOf(r.activity()),
		Board:   r.grid.board(r.algorithm.roundStart(done, round, r.last), round),
		Ceilings: live.Ceilings{
			In: r.rates.In, Out: r.rates.Out, Read: r.rates.Read, Write: r.rates.Write,
		},
	}
	live.Round = min(live.Rounds, 1+done/round)
	return live
}

// status describes the solve at now, with rates since then.
func (r *run) status(then, now sample, began time.Time) live.Status {
	st := r.Task.Status()
	st.Stage = live.StageRounds
	n := float64(r.Geometry.N)
	here := r.useful(now.stats[stream.Kernel].Work)
	total := n * n * n * share(r.Geometry) * float64(r.algorithm.work(r.Geometry))
	before := total * float64(r.start) / float64(r.last)
	st.Progress = min(1, (before+here)/total)
	st.StageProgress = st.Progress
	st.RestorePoint = float64(r.track.restore.Load()) / n
	st.Rounds = entry.CeilDiv(r.last, r.algorithm.round(&r.plan))
	st.Devices = together(r.devicesAt(then, now))
	if dt := now.at.Sub(then.at).Seconds(); dt > 0 && !r.Control.Paused() {
		rate := func(s stream.Stage) float64 { return float64(now.stats[s].Bytes-then.stats[s].Bytes) / dt }
		st.Rate = (here - r.useful(then.stats[stream.Kernel].Work)) / dt
		st.InRate, st.OutRate = rate(stream.In), rate(stream.Out)
		st.ReadRate, st.WriteRate = rate(stream.Read), rate(stream.Write)
		st.Busy = busyBetween(then.stats, now.stats, r.activity(), now.at.Sub(then.at))
	}
	st.Ceiling = float64(r.devices()) * device.Ceiling(r.parts[0].x.device, r.Meta.Variant(), r.Geometry.N)
	st.DeviceMemory = int64(r.devices()) * int64(r.plan.Slots) * r.Geometry.TileBytes()
	st.HostMemory = int64(r.devices()) * int64(r.plan.Pages) * r.Geometry.TileBytes()
	st.Checkpoint = r.Control.CheckpointState(r.syncing())
	st.ETA = -1
	if here > 0 {
		st.ETA = max(0, total-before-here) / here * now.at.Sub(began).Seconds()
	}
	return st
}

// devicesAt says what each of several devices does at now, with rates since then.
func (r *run) devicesAt(then, now sample) []live.Device {
	if r.devices() == 1 {
		return nil
	}
	list := make([]live.Device, len(now.parts))
	for i := range list {
		d := &list[i]
		if r.talk != nil {
			d.Name = fmt.Sprintf("rank %d", i)
		} else {
			d.Name = r.parts[i].x.device.Info().Name
		}
		d.DeviceMemory, d.HostMemory = int64(r.plan.Slots)*r.Geometry.TileBytes(),
			int64(r.plan.Pages)*r.Geometry.TileBytes()
		if dt := now.at.Sub(then.at).Seconds(); dt > 0 && !r.Control.Paused() {
			was, is := &then.parts[i], &now.parts[i]
			d.Rate = r.useful(is[stream.Kernel].Work-was[stream.Kernel].Work) / dt
			d.Busy = min(1, (is[stream.Kernel].Busy-was[stream.Kernel].Busy).Seconds()/dt/float64(r.plan.Streams+1))
			d.TakenRate = float64(is[stream.Receive].Bytes-was[stream.Receive].Bytes) / dt
		}
	}
	return list
}

// mostNamed is how many devices a status names: it has to fit where it is published.
const mostNamed = 32

// together has one entry for all devices behind those that are named.
func together(list []live.Device) []live.Device {
	if len(list) <= mostNamed {
		return list
	}
	rest := list[mostNamed-1:]
	all := live.Device{Name: fmt.Sprintf("%d more", len(rest))}
	for _, d := range rest {
		all.Rate, all.TakenRate, all.Busy = all.Rate+d.Rate, all.TakenRate+d.TakenRate,
			all.Busy+d.Busy/float64(len(rest))
		all.DeviceMemory, all.HostMemory = all.DeviceMemory+d.DeviceMemory, all.HostMemory+d.HostMemory
	}
	return append(list[:mostNamed-1:mostNamed-1], all)
}

// syncing reports whether a checkpoint is in progress.
func (r *run) syncing() bool {
	for _, p := range r.parts {
		if len(p.x.syncing) > 0 {
			return true
		}
	}
	return false
}

// workersOf returns the letters for what the workers of a pipeline are doing.
func workersOf(a stream.Activity) live.Workers {
	text := func(stages []stream.Stage) string {
		var b strings.Builder
		for _, s := range stages {
			b.WriteByte(live.WorkerLetters[min(int(s), len(live.WorkerLetters)-1)])
		}
		return b.String()
	}
	return live.Workers{Device: text(a[stream.Kernel]), Read: text(a[stream.Read]), Write: text(a[stream.Write]),
		Sync: text(a[stream.Sync])}
}

// busySeconds returns how long the stages were busy, summed over their goroutines or streams.
func busySeconds(st stream.Stats) live.Busy {
	b := live.Busy{}
	for s := range stream.Stages {
		if s != stream.Send && s != stream.Receive || st[s].Ops > 0 { // most solves have one part
			b[s.String()] = st[s].Busy.Seconds()
		}
	}
	return b
}

// busyBetween returns the share of a time, between two samples, for which the stages were busy. a has the goroutines
// and streams that there are.
func busyBetween(then, now stream.Stats, a stream.Activity, took time.Duration) live.Busy {
	a[stream.In], a[stream.Out] = a[stream.Kernel], a[stream.Kernel]
	b := live.Busy{}
	for s, workers := range a {
		if all := float64(len(workers)) * float64(took); all > 0 { // the samples are not taken at one instant
			b[stream.Stage(s).String()] = min(1, float64(now[s].Busy-then[s].Busy)/all)
		}
	}
	return b
}
