package show

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ooc/engine"
	"ooc/engine/batch"
	"ooc/engine/live"
	"ooc/tiles/lock"
)

var update = flag.Bool("update", false, "write the screens that tests compare with")

// escape is what colours text.
var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// silent is the view of a solve that has said nothing for a while.
func silent(how time.Duration, process lock.ProcessState) engine.View {
	return engine.View{Running: true, Host: "box", Process: process, Silent: how,
		Live: live.Live{Status: live.Status{State: live.Running, Stage: live.StageRounds, Rounds: 9, PID: 7, ETA: -1}}}
}

// midRound is a solve in the middle of a round, with a board of across×down cells.
func midRound(across, down int) *Watched {
	cells := make([]live.Cell, across*down)
	for i := range cells {
		y, x := i/across, i%across
		switch {
		case y == 2 && x == 2:
			cells[i] = 15<<4 | 1
		case y == 2 || x == 2:
			cells[i] = 15<<4 | 2
		case y < down/2:
			cells[i] = live.Cell(1+i%15)<<4 | 3
		case y == down/2 && x < 3:
			cells[i] = 1 << 2
		}
	}
	w := &Watched{Dir: "roads.ooc", View: engine.View{
		Running: true, Host: "box",
		Live: live.Live{
			Status: live.Status{
				Store: "roads.ooc", Vertices: 12000, Arcs: 40000, Kind: "i32", Algorithm: "blocked",
				Device: "AVX-512, 2 threads, Some Processor",
				State:  live.Running, Stage: live.StageRounds, Round: 3, Rounds: 12, Progress: 0.21, RestorePoint: 0.16,
				Rate: 80e9, Ceiling: 100e9,
				InRate: 1e9, OutRate: 5e8, ReadRate: 2e8, WriteRate: 1e8, Busy: live.Busy{"kernel": 0.63, "in": 0.03},
				DeviceMemory: 64 << 20, HostMemory: 8 << 20, Elapsed: 95, ETA: 300, PID: 123,
			},
			Ceilings: live.Ceilings{In: 2e10, Out: 2e10},
			Workers:  live.Workers{Device: "kki.", Read: "r.", Write: "w.", Sync: "."},
			Board:    &live.Board{Across: across, Down: down, Cells: cells},
		},
	}}
	for range 100 {
		w.Remember(w.View.Workers)
	}
	return w
}

// TestScreen draws a solve at 60, 80 and 200 columns, and compares what is not colour with the screens in testdata.
func TestScreen(t *testing.T) {
	for _, c := range []struct {
		name          string
		width, height int
	}{{"60", 60, 30}, {"80", 80, 40}, {"200", 200, 50}} {
		plain := drawn(midRound(24, 24), c.width, c.height, false)
		file := filepath.Join("testdata", "screen"+c.name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(plain), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if plain != string(want) {
			t.Errorf("%s columns:\n%s\nwant\n%s\n(go test -run TestScreen -update ./cmd/ooc writes them)", c.name,
				plain, want)
		}
		if strings.Contains(plain, "\x1b") {
			t.Errorf("%s columns: escapes without colour", c.name)
		}
		colour := drawn(midRound(24, 24), c.width, c.height, true)
		if !strings.Contains(colour, "▀") || !strings.Contains(colour, "\x1b[") {
			t.Errorf("%s columns: no colour:\n%q", c.name, colour)
		}
		fits(t, plain, c.width, c.height)
		fits(t, colour, c.width, c.height)
	}
}

// drawn is a screen as text.
func drawn(w *Watched, width, height int, p paint) string {
	return strings.Join(w.Screen(width, height, p), "\n")
}

// fits demands that a screen is no larger than it may be.
func fits(t *testing.T, screen string, width, height int) {
	t.Helper()
	rows := strings.Split(screen, "\n")
	if len(rows) > height {
		t.Errorf("%d rows in %d", len(rows), height)
	}
	for _, row := range rows {
		if n := utf8.RuneCountInString(escape.ReplaceAllString(row, "")); n > width {
			t.Errorf("%d columns in %d: %q", n, width, row)
		}
	}
}

// TestEveryScreenFits draws boards and statuses of all sizes, states and stages on screens of all sizes.
func TestEveryScreenFits(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		w := midRound(1+r.IntN(64), 1+r.IntN(64))
		v := &w.View
		v.Stage = []live.Stage{live.StageRounds, live.StageCore, live.StageOrder, live.StageEliminate, live.StageExpand,
			live.StageWrite, ""}[r.IntN(7)]
		v.StageProgress = r.Float64()
		v.State = []live.State{live.Running, live.Paused, live.Solved, live.Unfinished, live.New,
			live.Importing}[r.IntN(6)]
		switch v.Checkpoint = live.CheckpointAsked; r.IntN(3) {
		case 0:
			v.Checkpoint = ""
		case 1:
			v.Checkpoint = live.CheckpointUnderWay
		}
		v.Running, v.Died = r.IntN(3) > 0, r.IntN(2) == 0
		if r.IntN(4) == 0 {
			v.Board = nil
		}
		if r.IntN(2) == 0 {
			v.Ceilings, v.Ceiling = live.Ceilings{}, 0
		}
		width, height := 10+r.IntN(200), 3+r.IntN(60)
		for _, p := range []paint{false, true} {
			screen := drawn(w, width, height, p)
			fits(t, screen, width, height)
			if t.Failed() {
				t.Fatalf("%d×%d, colour %v:\n%s", width, height, p, screen)
			}
		}
	}
}

// TestBoardSaysWhatItShows: each cell of a board that fits is drawn as what it is.
func TestBoardSaysWhatItShows(t *testing.T) {
	b := &live.Board{Across: 4, Down: 2,
		Cells: []live.Cell{15<<4 | 1, 15<<4 | 2, 15<<4 | 3, 1 << 2, 0, 1<<4 | 3, 8<<4 | 3, 12<<4 | 3}}
	for _, c := range []struct {
		width, height int
		want          string
	}{
		{4, 2, "12█*\n·░▒▓"},
		{8, 3, "1122██**\n··░░▒▒▓▓"},
		{16, 4, "11112222████****\n11112222████****\n····░░░░▒▒▒▒▓▓▓▓\n····░░░░▒▒▒▒▓▓▓▓"},
		{2, 1, "1*"}, // one cell for four: the least phase, and that one is at work
	} {
		if got := strings.Join(paint(false).board(b, c.width, c.height), "\n"); got != c.want {
			t.Errorf("%d×%d:\n%s\nwant\n%s", c.width, c.height, got, c.want)
		}
	}
	if rows := paint(true).board(b, 4, 1); len(rows) != 1 || !strings.Contains(rows[0], "38;5;203;48;5;238m▀") {
		t.Errorf("in colour: %q", rows)
	}
}

// TestRestingScreens say what to run.
func TestRestingScreens(t *testing.T) {
	for _, c := range []struct {
		view engine.View
		want []string
	}{
		{engine.View{Live: live.Live{Status: live.Status{State: live.New}}}, []string{"new", "ooc solve roads.ooc"}},
		{engine.View{Live: live.Live{Status: live.Status{State: live.Unfinished, Progress: 0.5}}},
			[]string{"unfinished, 50.0 % done", "ooc solve roads.ooc"}},
		{engine.View{Died: true, Host: "box", Live: live.Live{Status: live.Status{State: live.Unfinished, PID: 7}}},
			[]string{"process 7 on box ended before it was done", "ooc solve roads.ooc"}},
		{engine.View{Live: live.Live{Status: live.Status{State: live.Solved, Progress: 1}}},
			[]string{"solved", "ooc query roads.ooc U V\nq quits"}},
		{engine.View{Made: []string{"ooc", "stats", "r.gr", "--store", "t"},
			Live: live.Live{Status: live.Status{State: live.Unfinished}}},
			[]string{"unfinished", "ooc stats r.gr --store t\n"}},
		{engine.View{Made: []string{"ooc", "merge", "r.ooc", "a.ooc"},
			Live: live.Live{Status: live.Status{State: live.Unfinished}}},
			[]string{"ooc merge r.ooc a.ooc"}},
		{engine.View{Running: true, Live: live.Live{Status: live.Status{State: live.Importing, PID: 7}}},
			[]string{"importing by process 7"}},
		{silent(12*time.Second, lock.ProcessStopped),
			[]string{"no news for 12 s; process 7 is stopped", "kill -CONT 7"}},
		{silent(200*time.Second, lock.ProcessElsewhere),
			[]string{"no news for 3 min 20 s; process 7 is on another host: box", "ooc watch roads.ooc"}},
		{silent(10*time.Second, lock.ProcessContained),
			[]string{"no news for 10 s; process 7 is in another container: box"}},
		{silent(time.Minute, lock.ProcessEnded), []string{"process 7 has ended", "ooc solve roads.ooc"}},
		{silent(time.Minute, lock.ProcessRuns), []string{"no news for 1 min 0 s; process 7 on box still runs"}},
		{silent(time.Minute, ""), []string{"whether process 7 on box still runs cannot be told"}},
	} {
		screen := drawn(&Watched{Dir: "roads.ooc", View: c.view}, 120, 24, false)
		for _, want := range c.want {
			if !strings.Contains(screen, want) {
				t.Errorf("%+v: no %q in\n%s", c.view.State, want, screen)
			}
		}
	}
}

// TestBatchScreen wants the job that runs in a table that has no room for all, and its board below.
func TestBatchScreen(t *testing.T) {
	one := midRound(24, 24)
	w := &Watched{Dir: "graphs.batch", Queue: &batch.Queue{Running: true, PID: 7}, Jobs: []Watched{*one}}
	for i := range 200 {
		j := batch.Job{Input: fmt.Sprintf("g%d.gr", i), Store: fmt.Sprintf("g%d.ooc", i)}
		j.State = batch.Queued
		switch {
		case i < 120:
			j.State = batch.Solved
		case i == 120:
			j.State, j.Store = batch.Solving, one.Dir
		}
		w.Queue.Jobs = append(w.Queue.Jobs, j)
	}
	for _, width := range []int{60, 120, 200} {
		for _, height := range []int{20, 50} {
			screen := drawn(w, width, height, false)
			fits(t, screen, width, height)
			wants := []string{"120 of 200 jobs solved, 0 failed, by process 7", "g120.gr"}
			if width > 60 {
				wants = append(wants, "21.0 %")
			}
			if height > 24 {
				wants = append(wants, "roads.ooc: running by process 123", "kernel", "restore")
			}
			for _, want := range wants {
				if !strings.Contains(screen, want) {
					t.Errorf("%d×%d: no %q in\n%s", width, height, want, screen)
				}
			}
			fits(t, drawn(w, width, height, true), width, height)
		}
	}
}

// TestProgressBar draws the bar from the very beginning to the end.
func TestProgressBar(t *testing.T) {
	for progress, want := range map[float64]string{
		0: "░░░░░░░░░░   0.0 %", 0.004: "░░░░░░░░░░   0.4 %", 0.5: "█████░░░░░  50.0 %", 1: "██████████ 100.0 %",
	} {
		if got := progressBar(live.Status{Progress: progress}, 20); got != want {
			t.Errorf("%v: %q, want %q", progress, got, want)
		}
	}
}
