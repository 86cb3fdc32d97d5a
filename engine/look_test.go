package engine_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ooc/engine"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// lastLive is what a solve said last.
func lastLive(t *testing.T, p *engine.Problem) live.Live {
	t.Helper()
	data, _, err := tiles.ReadLive(p.Dir())
	if err != nil {
		t.Fatal(err)
	}
	var l live.Live
	if err := l.Decode(data); err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLook looks at a store in every state.
func TestLook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.ooc")
	if _, err := engine.Look(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no store: %v", err)
	}
	p, err := engine.Create(t.Context(), dir, enginetest.RandomGraph(t, seeds.New(t), 100, entry.KindI32, false),
		engine.CreateOptions{Tile: 64})
	if err != nil {
		t.Fatal(err)
	}
	look := func(what string, state live.State, running, died bool) engine.View {
		t.Helper()
		v, err := engine.Look(dir)
		if err != nil || v.State != state || v.Running != running || v.Died != died || v.Store != dir {
			t.Fatalf("%s: %+v, %v", what, v, err)
		}
		return v
	}
	if v := look("in our hands, nothing said", live.Running, true, false); v.PID != os.Getpid() || v.Host == "" {
		t.Errorf("by process %d on %q", v.PID, v.Host)
	}
	reports := live.NewReporter(live.ReporterOptions{Control: new(live.Control), Publish: p.Store().SetLive})
	reports.Show(func() live.Live {
		return live.Live{Status: live.Status{PID: os.Getpid(), Progress: 0.25, RestorePoint: 0.25, Device: "a\x1b[2Jb"},
			Workers: live.Workers{Device: "ki."}}
	})
	if v := look("told", live.Running, true, false); v.Progress != 0.25 || v.Device != `a\u001b[2Jb` ||
		v.Workers.Device != "ki." {
		t.Errorf("told %+v", v)
	}
	own, err := os.ReadFile(filepath.Join(dir, "live"))
	if err != nil {
		t.Fatal(err)
	}
	other := enginetest.Create(t, enginetest.RandomGraph(t, seeds.New(t), 100, entry.KindI32, false), 64)
	if err := other.Store().SetLive([]byte(fmt.Sprintf(`{"pid":%d,"state":"running","progress":0.75}`,
		os.Getpid()))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "live")),
		os.Rename(filepath.Join(other.Dir(), "live"), filepath.Join(dir, "live"))); err != nil {
		t.Fatal(err)
	}
	if v := look("another store's progress in the place of its own", live.Running, true, false); v.Progress != 0 {
		t.Errorf("told of another store: %+v", v)
	}
	if err := os.WriteFile(filepath.Join(dir, "live"), own, 0o666); err != nil {
		t.Fatal(err)
	}
	reports.Stop(false)
	text, err := os.ReadFile(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	look("left alone", live.New, false, false)
	if err := os.WriteFile(filepath.Join(dir, "lock"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	if v := look("left by a killed process", live.New, false, true); v.PID != os.Getpid() {
		t.Errorf("process %d died", v.PID)
	}
	if p, err = engine.Open(dir); err != nil {
		t.Fatal(err)
	}
	enginetest.Solve(t, p, engine.Options{})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	look("solved", live.Solved, false, false)
}

// TestBoardsOfSolves wants the boards that solves tell to end all done, for both algorithms.
func TestBoardsOfSolves(t *testing.T) {
	r := seeds.New(t)
	n := 300 + r.IntN(300)
	for _, o := range []engine.Options{enginetest.RandomShape(r, n, 64).Options(t), eliminating(t)} {
		p := enginetest.Create(t, enginetest.RandomGraph(t, r, n, entry.KindI32, false), 64)
		enginetest.Solve(t, p, o)
		shown := lastLive(t, p)
		if shown.State != live.Solved || shown.Board == nil || shown.Board.Across != entry.CeilDiv(n, 64) ||
			shown.Board.Down != shown.Board.Across {
			t.Fatalf("%s: %+v", o.Algorithm, shown)
		}
		if i := slices.IndexFunc(shown.Board.Cells,
			func(c live.Cell) bool { return c.Share() != 1 || c.Working() || c.Phase() == 0 }); i >= 0 {
			t.Errorf("%s: cell %d at the end: %b", o.Algorithm, i, shown.Board.Cells[i])
		}
	}
}
