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
	// of the process that has, or last had, the store, with its PID
	Host    string `json:"host,omitempty"`
	Running bool   `json:"running"` // that process has the store now
	// what that process does; "" if it has no store, or cannot be told
	Process lock.ProcessState `json:"process,omitempty"`
	// how long it has said nothing, if that is too long for a solve; then there are no rates and no time left
	Silent time.Duration `json:"-"`
	Died   bool          `json:"died,omitempty"` // its process ended without recording why
	Made   []string      `json:"-"`              // the command line that made the store; nil where a process solves it
	All    string        `json:"-"`              // of a part store: the folder of all parts
	GoOn   string        `json:"-"`              // and the command that goes on with them
}

// silentAfter is how long a solve may say nothing. It speaks several times a second, but a busy disk or machine may
// hold that up.
const silentAfter = 10 * time.Second

// Look says what the store in dir is and what is being done with it. If a process solves it, Look reports what that
// process publishes, else what the files say. It only reads, takes no lock, and works on read-only media. Errors are
// those of OpenReadOnly.
//
// Of a folder that holds all part stores of a solve, the first says what is being done with all.
func Look(dir string) (View, error) {
	if parts := tiles.PartsIn(dir); parts != nil && !tiles.IsStore(dir) {
		if v, err := Look(parts[0]); err == nil && v.Running {
			v.Store = dir
			return v, nil
		}
	}
	h, err := lock.HolderOf(dir)
	if err != nil {
		return View{}, err
	}
	v := View{Host: h.Host, Running: h.Running, Died: !h.Running && h.PID != 0}
	if h.Running {
		v.Process = h.State()
		data, at, err := tiles.ReadLive(dir)
		if err == nil {
			err = v.Live.Decode(data)
		}
		if err == nil && v.PID == h.PID { // else it is what another run left
			v.Store = dir
			v.listen(time.Since(at))
			return v, nil
		}
	}
	if err = v.rest(dir); err != nil {
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
	s.Rate, s.DistanceRate, s.VertexRate, s.Busy, s.ETA = 0, 0, 0, nil, -1
	s.InRate, s.OutRate, s.ReadRate, s.WriteRate = 0, 0, 0, 0
	v.Workers = live.Workers{}
	for i := range s.Devices {
		s.Devices[i].Rate, s.Devices[i].Busy, s.Devices[i].TakenRate = 0, 0, 0
	}
}

// rest says what the files do about a store that no process solves, or whose process has published nothing.
func (v *View) rest(dir string) error {
	if half, err := tiles.Incomplete(dir); err == nil && half && v.Running {
		v.Live = live.Live{Status: live.Status{Store: dir, State: live.Importing, ETA: -1}}
		return nil
	}
	p, err := OpenReadOnly(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	st, err := p.Status()
	if v.Running && st.State != live.Solved {
		st.State = live.Running
	}
	v.Live, v.Made = live.Live{Status: st}, p.Meta().Command
	if p.store.IsPart() || p.store.Parts() != nil {
		v.All, v.GoOn = p.allParts(), p.ClusterCommand()
	}
	return err
}
