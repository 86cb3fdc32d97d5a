package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ooc/kernels/entry"
	"ooc/tiles/class"
)

// player plays the steps of a history in a folder, and holds each answer against the model.
type player struct {
	*model
	dir     string
	other   string // a binary; "": this one
	stores  map[string]*kept
	counts  map[string]int  // steps by what became of them
	outcome result          // of the last step
	torn    map[string]bool // what two builds were stopped in the middle of
}

// kept is a store, as its status says, and what is known of it besides.
type kept struct {
	Kind         string
	Scale        int64
	State        string
	Layout       string
	Tile         int
	Sources      *int
	Predecessors bool

	rows    []int
	asked   string // the choices that it was made with; "?" where two runs may have made it
	damaged string // the file
}

// failure is what a history shows. Smaller histories have to fail in the same class.
type failure struct{ class, text string }

// verdict is what has to become of a step.
type verdict int

const (
	needed verdict = iota // it ends with 0
	maybe                 // it ends with 0 and the right answer, or is refused
	refuse                // it may not end with 0
)

func newPlayer(t testing.TB, h *history, dir, other string) *player {
	t.Helper()
	writeFile(t, dir, h.graph.file, string(h.graph.content()))
	return &player{model: newModel(h.graph), dir: dir, other: other, stores: map[string]*kept{},
		counts: map[string]int{}, torn: map[string]bool{}}
}

// step does one step.
func (p *player) step(t testing.TB, s step) *failure {
	t.Helper()
	if s.how == "flip" || s.how == "cut" {
		p.counts["damage"]++
		return p.damage(s)
	}
	want, check := p.expect(s)
	_, err := os.Stat(filepath.Join(p.dir, p.target(s)))
	r := p.command(t, s)
	p.outcome = r
	name := s.args[0]
	fail := func(what, format string, args ...any) *failure {
		text := fmt.Sprintf(format, args...)
		return &failure{name + " " + what, fmt.Sprintf("%s\nexit code %d\n%s%s", text, r.code, r.stdout, r.stderr)}
	}
	if strings.Contains(r.stderr, "goroutine ") || strings.Contains(r.stderr, "panic") {
		return fail("crashes", "it crashed")
	}
	stopped := s.how != "ooc" && (r.code < 0 || r.code == class.Interrupted)
	switch {
	case stopped:
		p.counts["stopped"]++
	case r.code == 0 && want == refuse:
		return fail("takes what cannot be", "it has to be refused")
	case r.code == 0:
		p.counts["done"]++
		p.counts["done "+name]++
		if resumedFrom.MatchString(r.stdout) {
			p.counts["gone on with"]++
		}
		if err := check(); err != nil {
			return fail("answers wrongly", "%v", err)
		}
	case want == needed:
		return fail(fmt.Sprintf("ends with %d", r.code), "it has to be done")
	case !slices.Contains([]int{class.Failed, class.Usage, class.Input, class.NegativeCycle, class.Corrupt}, r.code):
		return fail(fmt.Sprintf("ends with %d", r.code), "that is no code of a refusal")
	default:
		p.counts["refused"]++
		if err := saysWhy(r); err != nil {
			return fail("is refused without a reason", "%v", err)
		}
	}
	if name == "solve" || name == "merge" {
		if f := p.look(t, s, r.code == 0, stopped, err == nil); f != nil {
			f.text += fmt.Sprintf("\nexit code %d\n%s%s", r.code, r.stdout, r.stderr)
			return f
		}
	}
	return nil
}

// resumedFrom is in the summary of a solve that went on from the middle.
var resumedFrom = regexp.MustCompile(`"already_solved":false.*"resumed_from":0\.\d*[1-9]`)

// failed is an error of the test itself.
func failed(err error) *failure {
	if err == nil {
		return nil
	}
	return &failure{"the test", err.Error()}
}

// saysWhy wants the error of a refusal in its last object, and on standard error.
func saysWhy(r result) error {
	objects, err := objectsOf(r.stdout)
	if err != nil {
		return err
	}
	if len(objects) > 0 && r.stderr != "" {
		if last := objects[len(objects)-1]; last["type"] == "error" && last["exit_code"] == float64(r.code) {
			return nil
		}
	}
	return errors.New("standard output does not end with the error, or standard error is empty")
}

// command runs a step. This binary stops itself at an operation; another one is stopped after so many milliseconds.
func (p *player) command(t testing.TB, s step) result {
	t.Helper()
	cmd := command(t, p.dir, s.args...)
	if p.other != "" {
		env := cmd.Env
		cmd = exec.Command(p.other, s.args...)
		cmd.Dir, cmd.Env = p.dir, env
	} else if s.how != "ooc" {
		cmd.Env = append(cmd.Env, fmt.Sprintf("OOC_TEST_STOP=%s %d", s.how, s.at))
	}
	cmd.Env = append(cmd.Env, "GOMAXPROCS=2") // which decides what fits in a limit
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if p.other != "" && s.how != "ooc" {
		time.AfterFunc(time.Duration(s.at)*time.Millisecond, func() {
			if s.how == "kill" {
				_ = cmd.Process.Kill() // it may have ended
			} else {
				_ = cmd.Process.Signal(os.Interrupt)
			}
		})
	}
	_ = cmd.Wait() // the state says how it ended
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// objectsOf are the JSON objects of an output.
func objectsOf(text string) (list []map[string]any, err error) {
	for line := range strings.Lines(text) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return nil, fmt.Errorf("%q is no JSON object: %w", line, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// damage changes some bytes of a file of a solved store, or cuts the file; before that it has no checksums.
func (p *player) damage(s step) *failure {
	store, file := filepath.Split(s.args[0])
	k := p.stores[strings.TrimSuffix(store, "/")]
	path := filepath.Join(p.dir, s.args[0])
	b, err := os.ReadFile(path)
	if k == nil || k.State != "solved" || k.damaged != "" || err != nil || len(b) == 0 {
		return nil // there is nothing to damage
	}
	at := len(b) * s.at / 1000
	if s.how == "cut" {
		b = b[:at]
	} else {
		for i := at; i <= min(at+len(b)/20, len(b)-1); i++ {
			b[i] ^= 0x40
		}
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		return &failure{"damage", err.Error()}
	}
	k.damaged = file
	if file == "dist.npy" && (s.how == "cut" || at >= 4096) {
		k.damaged = "matrix"
	}
	return nil
}

// look asks for the status of a store that a step has made or changed, and compares it with what was asked.
func (p *player) look(t testing.TB, s step, ended, stopped, there bool) *failure {
	t.Helper()
	name, before := p.target(s), p.stores[p.target(s)]
	if !ended && !stopped && before == nil { // nothing is made by what is refused
		// How much memory factors take is known when the store is there, which may go on with more.
		lacks := s.flag("--keep") == "factors" && s.flag("--host-memory") != ""
		if _, err := os.Stat(filepath.Join(p.dir, name)); err == nil && !there && !lacks {
			return &failure{"solve leaves something", name + " is there after it was refused"}
		}
		return nil
	}
	if !ended && !stopped && before.damaged != "" {
		if s.flag("--restart") != "" && before.damaged == "store.json" { // whose remedy it is to remove the folder
			delete(p.stores, name)
			if err := os.RemoveAll(filepath.Join(p.dir, name)); err != nil {
				return &failure{"remove", err.Error()}
			}
		}
		return nil
	}
	resumed := resumedFrom.MatchString(p.outcome.stdout)
	r := p.command(t, step{how: "ooc", args: []string{"status", name, "--json"}})
	now := &kept{asked: choices(s), rows: p.all()}
	if r.code != 0 {
		if stopped && before != nil && before.damaged != "" {
			return nil
		}
		if stopped {
			delete(p.stores, name) // an import that died, which any command may begin again
			return nil
		}
		return &failure{"status after " + s.args[0], fmt.Sprintf("exit code %d\n%s", r.code, r.stderr)}
	}
	if err := json.Unmarshal([]byte(r.stdout), now); err != nil {
		return &failure{"status after " + s.args[0], err.Error()}
	}
	fresh := before == nil || s.flag("--restart") != ""
	switch {
	case before != nil && (!fresh || !ended && !stopped):
		now.asked = before.asked
	case before != nil && stopped && before.asked != now.asked: // it may be the old store or the new one
		now.asked = "?"
	}
	// Which rows there are is known by their number, since a history has one list of sources.
	if asked := p.sources(s); now.Sources != nil {
		switch {
		// The old store may have been looked at before it was given up.
		case before != nil && *now.Sources == len(before.rows) && (asked == nil || !fresh || !ended):
			now.rows = before.rows
		case *now.Sources == len(asked):
			now.rows = asked
		default:
			return &failure{"status of other sources", r.stdout}
		}
	}
	if before != nil && !(ended && s.flag("--restart") != "") {
		now.damaged = before.damaged
	}
	p.stores[name] = now
	switch {
	case ended && now.State != "solved" && now.damaged == "":
		return &failure{s.args[0] + " does not solve", r.stdout}
	case ended && s.args[0] == "solve":
		if f := p.asAsked(s, now, fresh, r.stdout); f != nil || !resumed || now.damaged != "" {
			return f
		}
		// What went on from the middle is looked at as a whole.
		whole := step{how: "ooc", args: []string{"export", name, "whole.npy", "--json", "--overwrite"}}
		outcome := p.outcome
		f := p.step(t, whole)
		p.outcome = outcome
		return cmp.Or(f, failed(os.Remove(filepath.Join(p.dir, "whole.npy"))))
	case !ended && !stopped && (now.State != before.State || now.Kind != before.Kind || now.Layout != before.Layout):
		return &failure{s.args[0] + " is refused, and gives something up", r.stdout}
	}
	return nil
}

// asAsked wants a store to be what was asked for: in all that flags say, and a new one in what they leave out, too.
func (p *player) asAsked(s step, k *kept, fresh bool, status string) *failure {
	kind, scale := p.kindOf(s)
	layout, chosen := s.flag("--layout"), s.flag("--sources") != ""
	if s.flag("--keep") == "factors" {
		layout = "factors"
	} else if chosen {
		layout = "rows"
	}
	if !fresh && len(p.sources(s)) == p.n { // a store of all rows has these
		layout, chosen = "", k.Sources != nil
	}
	for _, x := range []struct {
		name      string
		got, want any
		counts    bool
	}{
		{"kind", k.Kind, kind, fresh || s.flag("--kind") != ""},
		{"scale", k.Scale, scale, fresh || s.flag("--scale") != ""},
		{"tile", fmt.Sprint(k.Tile), s.flag("--tile"), s.flag("--tile") != ""},
		{"layout", k.Layout, layout, layout != ""},
		{"predecessors", k.Predecessors, s.flag("--predecessors") != "", fresh || s.flag("--predecessors") != ""},
		{"sources", k.Sources != nil, chosen, fresh || s.flag("--sources") != ""},
		{"number of sources", len(k.rows), len(p.sources(s)), chosen},
	} {
		if x.counts && x.got != x.want {
			return &failure{"solve with another " + x.name, fmt.Sprintf("%v, want %v\n%s", x.got, x.want, status)}
		}
	}
	return nil
}

// target is the store that a step makes.
func (p *player) target(s step) string {
	if s.args[0] == "merge" {
		return s.operands()[0]
	}
	return s.flag("--out") // of solve; "" is the folder of the history
}

// choices are the flags of a solve that a store is made with.
func choices(s step) string {
	var list []string
	for _, name := range []string{
		"--kind", "--scale", "--tile", "--keep", "--predecessors", "--sources", "--layout", "--algorithm",
	} {
		list = append(list, s.flag(name))
	}
	return strings.Join(list, " ")
}

// kindOf is the kind and the scale that flags ask for.
func (p *player) kindOf(s step) (kind string, scale int64) {
	scale, _ = strconv.ParseInt(s.flag("--scale"), 10, 64)
	switch kind = s.flag("--kind"); {
	case kind != "":
	case scale > 0 || p.whole():
		kind = "i32"
	default:
		kind = "f32"
	}
	return kind, max(scale, 1)
}

// sources are the rows that flags ask for; none for all.
func (p *player) sources(s step) (rows []int) {
	list := s.flag("--sources")
	var i, k int
	if _, err := fmt.Sscanf(list, "part:%d/%d", &i, &k); err == nil {
		side := entry.CeilDiv(p.n, 64) // the tile of all parts of histories
		for v := side * (i - 1) / k * 64; v < min(side*i/k*64, p.n); v++ {
			rows = append(rows, v)
		}
		return rows
	}
	return p.named(list)
}

// named are the vertices of a list of ids; those that there are.
func (p *player) named(list string) (vertices []int) {
	for id := range strings.SplitSeq(list, ",") {
		if v, ok := p.vertex[id]; ok {
			vertices = append(vertices, v)
		}
	}
	return vertices
}
