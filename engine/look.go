package engine

import (
	"time"

	"ooc/engine/live"
	"ooc/tiles"
	"ooc/tiles/lock"
)

// View is what can be seen of a store from another process.
type View struct {
	live.Live
	Host    string            `json:"host,omitempty"`    // of the process that has, or last had, the store, with its PID
	Running bool              `json:"running"`           // that process has the store now
	Process lock.ProcessState `json:"process,omitempty"` // what that process does; "" if it has no store, or cannot be told
	Silent  time.Duration     `json:"-"`                 // how long it has said nothing, if that is too long for a solve; then there are no rates and no time left
	Died    bool              `json:"died,omitempty"`    // its process ended without recording why
	Made    []string          `json:"-"`                 // the command line that made the store; nil where a process solves it
}

// silentAfter is how long a solve may say nothing. It speaks several times a second, but a busy disk or machine may hold
// that up.
const silentAfter = 10 * time.Second

// Look says what the store in dir is and what is being done with it. If a process solves it, Look reports what that process
// publishes, else what the files say. It only reads, takes no lock, and works on read-only media. Errors are those of
// OpenReadOnly.
func Look(dir string) (View, error) {
	h, err := lock.HolderOf(dir)
	if err != nil {
		return View{}, err
	}
	v := View{Host: h.Host, Running: h.Running, Died: !h.Running && h.PID != 0}
	if h.Running {
		v.Process = h.State()
		at, err := tiles.LiveTime(dir)
		var data []byte
		if err == nil {
			data, err = tiles.ReadLive(dir)
		}
		if err == nil {
			v.Live, err = live.DecodeLive(data)
		}
		if err == nil && v.PID == h.PID { // else it is what another run left
			v.Store = dir
			v.listen(time.Since(at))
			return v, nil
		}
	}
	if v.Live, v.Made, err = restingState(dir, h.Running); err != nil {
		return View{}, err
	}
	v.PID = h.PID
	return v, nil
}

// listen takes back what a process said so long ago of a solve that nothing is known of since.
func (v *View) listen(age time.Duration) {
	halted := v.Process == lock.ProcessStopped || v.Process == lock.ProcessEnded
	if v.State != live.Running && v.State != live.Paused || age < silentAfter && !halted {
		return
	}
	v.Silent = max(age, 1)
	s := &v.Status
	s.Rate, s.DistanceRate, s.InRate, s.OutRate, s.ReadRate, s.WriteRate, s.Busy, s.ETA = 0, 0, 0, 0, 0, 0, nil, -1
	v.Lanes = live.Lanes{}
	for i := range s.Devices {
		s.Devices[i].Rate, s.Devices[i].Busy, s.Devices[i].TakenRate = 0, 0, 0
	}
}

// restingState returns what the files say about a store that no process solves, or whose process has published nothing.
func restingState(dir string, running bool) (l live.Live, made []string, err error) {
	if half, err := tiles.Incomplete(dir); err == nil && half && running {
		return live.Live{Status: live.Status{Store: dir, State: live.Importing, ETA: -1}}, nil, nil
	}
	p, err := OpenReadOnly(dir)
	if err != nil {
		return live.Live{}, nil, err
	}
	defer p.Close()
	st, err := p.Status()
	if running && st.State != live.Solved {
		st.State = live.Running
	}
	return live.Live{Status: st}, p.Meta().Command, err
}
