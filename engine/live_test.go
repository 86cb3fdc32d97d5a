package engine

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/tiles"
)

// lastLive is what a solve said last.
func lastLive(t *testing.T, p *Problem) Live {
	t.Helper()
	data, err := tiles.ReadLive(p.Dir())
	if err != nil {
		t.Fatal(err)
	}
	live, err := decodeLive(data)
	if err != nil {
		t.Fatal(err)
	}
	return live
}

// TestLook looks at a store in every state.
func TestLook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.ooc")
	if _, err := Look(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no store: %v", err)
	}
	p, err := Create(dir, randomGraph(t, seeded(t), 100, graph.KindI32, false), CreateOptions{Tile: 64})
	if err != nil {
		t.Fatal(err)
	}
	look := func(what string, state string, running, died bool) View {
		t.Helper()
		v, err := Look(dir)
		if err != nil || v.State != state || v.Running != running || v.Died != died || v.Store != dir {
			t.Fatalf("%s: %+v, %v", what, v, err)
		}
		return v
	}
	if v := look("in our hands, nothing said", "running", true, false); v.PID != os.Getpid() || v.Host == "" {
		t.Errorf("by process %d on %q", v.PID, v.Host)
	}
	reports := p.startReports(Options{Control: new(Control)}, func() Live {
		return Live{Status: Status{PID: os.Getpid(), Progress: 0.25, RestorePoint: 0.25, Device: "a\x1b[2Jb"}, Lanes: Lanes{Device: "ki."}}
	})
	if v := look("told", "running", true, false); v.Progress != 0.25 || v.Device != "a[2Jb" || v.Lanes.Device != "ki." {
		t.Errorf("told %+v", v)
	}
	reports.stop()
	text, err := os.ReadFile(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	look("left alone", "new", false, false)
	if err := os.WriteFile(filepath.Join(dir, "lock"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	if v := look("left by a killed process", "new", false, true); v.PID != os.Getpid() {
		t.Errorf("process %d died", v.PID)
	}
	if p, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	mustSolve(t, p, Options{})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	look("solved", "solved", false, false)
}

// TestLiveFitsItsFile makes the longest status that there can be.
func TestLiveFitsItsFile(t *testing.T) {
	live := Live{
		Status: Status{Device: strings.Repeat("\x00", 500), Busy: Busy{"read": 1.0 / 3, "in": 1.0 / 3, "kernel": 1.0 / 3}},
		Lanes:  Lanes{Device: strings.Repeat("k", 65), Read: strings.Repeat("r", 16), Write: strings.Repeat("w", 16), Sync: "s"},
		Board:  &Board{Across: MaxBoard, Down: MaxBoard, Cells: make([]Cell, MaxBoard*MaxBoard)},
	}
	data, err := json.Marshal(live)
	if err != nil || len(data) > tiles.MaxLive {
		t.Errorf("%d bytes of %d, %v", len(data), tiles.MaxLive, err)
	}
}

// FuzzLive reads what other processes might have said: an error, or something that can be drawn.
func FuzzLive(f *testing.F) {
	f.Add([]byte(`{"state":"running","round":3,"rounds":9,"pid":1}`)) // as it was before there were boards
	f.Add([]byte(`{"board":{"across":2,"down":1,"cells":"AAE="},"lanes":{"device":"kk."},"ceilings":{}}`))
	f.Add([]byte(`{"board":{"across":-2,"down":1000000000,"cells":""},"state":"\u001b]0;x\u0007"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		live, err := decodeLive(data)
		if err != nil {
			return
		}
		if live.Board != nil {
			b := live.Board.Fit(10, 3)
			if !b.valid() || b.Across > 10 || b.Down > 3 {
				t.Errorf("board %+v", b)
			}
		}
		if strings.ContainsAny(live.State+live.Device+live.Stage+live.Lanes.Device, "\x1b\x07\n\r") {
			t.Errorf("control characters in %+v", live)
		}
	})
}
