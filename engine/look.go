package engine

import (
	"ooc/engine/live"
	"ooc/tiles"
)

// View is what can be seen of a store from another process.
type View struct {
	live.Live
	Host    string `json:"host,omitempty"` // of the process that has, or last had, the store, with its PID
	Running bool   `json:"running"`        // that process has the store now
	Died    bool   `json:"died,omitempty"` // its process ended without recording why
}

// Look says what the store in dir is and what is being done with it. If a process solves it, Look reports what that process
// publishes, else what the files say. It only reads, takes no lock, and works on read-only media. Errors are those of
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
			v.Live, err = live.DecodeLive(data)
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

// restingState returns what the files say about a store that no process solves, or whose process has published nothing.
func restingState(dir string, running bool) (live.Live, error) {
	if half, err := tiles.Incomplete(dir); err == nil && half && running {
		return live.Live{Status: live.Status{Store: dir, State: live.Importing, ETA: -1}}, nil
	}
	p, err := OpenReadOnly(dir)
	if err != nil {
		return live.Live{}, err
	}
	defer p.Close()
	st, err := p.Status()
	if running && st.State != live.Solved {
		st.State = live.Running
	}
	return live.Live{Status: st}, err
}
