//go:build amd64 || arm64

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// hurt is a run of which one call of the system is not done.
type hurt struct {
	first *hurt // the call comes only where this was done before
	call  fileCall
	// fail: what the call fails with; 0: the process is killed there. ENOSPC lasts: a full disk stays full.
	fail syscall.Errno
}

func (h hurt) String() string {
	text := fmt.Sprintf("%v: %v", h.call, h.fail)
	if h.fail == 0 {
		text = "killed before " + h.call.String()
	}
	if h.first != nil {
		text = h.first.String() + ", then " + text
	}
	return text
}

func (h hurt) fate() fate { return fate{Kill: h.fail == 0, Fail: h.fail} }

// hurts is what is done to each call.
var hurts = []syscall.Errno{0, syscall.EIO, syscall.ENOSPC}

// attempt runs a scenario's command in a folder, and asks decide about each call that changes it.
func (s *scenario) attempt(t *testing.T, dir string, args []string, decide func(fileCall) fate) (result,
	*os.ProcessState) {
	t.Helper()
	cmd := command(t, dir, args...)
	// So that calls come in much the same order each time.
	cmd.Env = append(cmd.Env, "OOC_TEST_MAIN=submitted", "GOMAXPROCS=1")
	if s.byFile {
		cmd.Env = append(cmd.Env, "OOC_TEST_BYFILE=1")
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if s.stdout != "" {
		f, err := os.Create(filepath.Join(dir, s.stdout))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd.Stdout = f
	}
	// A trace says where it hangs.
	late := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	defer late.Stop()
	err := runWatched(cmd, dir, decide)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	r := result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	if r.code == exitNotSubmitted {
		if os.Getenv("OOC_REQUIRE_SYSCALLS") == "1" {
			t.Fatal(r.stderr)
		}
		t.Skip(r.stderr)
	}
	return r, cmd.ProcessState
}

func done(fileCall) fate { return fate{} }

// takesRoom says that a call fails on a full disk.
func takesRoom(c fileCall) bool {
	switch c.Name {
	case "write", "writev", "pwrite64", "pwritev", "pwritev2", "fallocate", "openat", "mkdirat", "renameat", "linkat",
		"symlinkat", "copy_file_range", "sendfile":
		return true
	}
	return false
}

// tally counts what was done to a scenario.
type tally struct{ calls, kills, again, errors, silent, kept, missed int }

func (t *tally) add(o tally) {
	t.calls, t.kills, t.again, t.errors = t.calls+o.calls, t.kills+o.kills, t.again+o.again, t.errors+o.errors
	t.silent, t.kept, t.missed = t.silent+o.silent, t.kept+o.kept, t.missed+o.missed
}

func (t tally) String() string {
	return fmt.Sprintf("%d calls: %d kills, %d of them twice over, %d errors told, %d of no matter; %d times what was "+
		"solved before still answered; %d calls did not come again",
		t.calls, t.kills+t.again, t.again, t.errors, t.silent, t.kept, t.missed)
}

// TestCampaignCalls does not let a call be done by which a run changes the disk: it kills the process there, or fails
// the call, once for each call of every scenario. What was solved before still answers, or was given up whole; then
// the same command goes on, and ends with what a run ends with that nothing happened to.
func TestCampaignCalls(t *testing.T) {
	crashtest.Campaign(t)
	r, began := seeded(t), time.Now()
	var all tally
	for _, s := range scenarios(t) {
		if r.IntN(5) >= crashtest.Times(1, 50) { // a short campaign takes a fifth, others all
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			sum := s.campaign(t, rand.New(rand.NewPCG(r.Uint64(), 1)))
			t.Log(sum)
			all.add(sum)
		})
	}
	t.Logf("in %v: %v", time.Since(began).Round(time.Second), all)
}

// work is what is left to do of a scenario.
type work struct {
	mu    sync.Mutex // guards the rest
	known map[fileCall]bool
	left  []hurt
	sum   tally
}

// see adds a call that was not seen before, and what was done to the run before it came.
func (w *work) see(first *hurt, c fileCall) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known[c] {
		return
	}
	w.known[c] = true
	w.sum.calls++
	for _, h := range hurts {
		w.left = append(w.left, hurt{first, c, h})
	}
}

// take takes the next.
func (w *work) take() (h hurt, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.left) == 0 {
		return h, false
	}
	h, w.left = w.left[0], w.left[1:]
	return h, true
}

// campaign does everything to a scenario, or in the short campaign a few things.
func (s *scenario) campaign(t *testing.T, r *rand.Rand) tally {
	t.Helper()
	s.template = filepath.Join(t.TempDir(), "template")
	if err := os.Mkdir(s.template, 0o777); err != nil {
		t.Fatal(err)
	}
	s.prepare(t, s.template)
	dir := filepath.Join(t.TempDir(), "run")
	s.fresh(t, dir)
	w := &work{known: map[fileCall]bool{}}
	whole, _ := s.attempt(t, dir, s.args, func(c fileCall) fate { w.see(nil, c); return fate{} })
	whole.want(t, 0)
	s.learn(t, dir)
	if !slices.ContainsFunc(w.left, func(h hurt) bool { return strings.Contains(h.call.Path, s.about) }) {
		t.Fatalf("no call changes anything, or nothing of %q", s.about)
	}
	if !crashtest.Long() {
		r.Shuffle(len(w.left), func(i, j int) { w.left[i], w.left[j] = w.left[j], w.left[i] })
		w.left = w.left[:min(len(w.left), 8)]
	}
	t.Run("workers", func(t *testing.T) {
		for n := range runtime.NumCPU() {
			r := rand.New(rand.NewPCG(r.Uint64(), 1))
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "run")
				for h, ok := w.take(); ok && !s.hopeless(); h, ok = w.take() {
					s.one(t, dir, h, w, r)
				}
			})
		}
	})
	return w.sum
}

// one does one thing to a run.
func (s *scenario) one(t *testing.T, dir string, h hurt, w *work, r *rand.Rand) {
	t.Helper()
	x := &trial{scenario: s, dir: dir, hurt: h}
	for try := 0; try < 2 && !x.came; try++ { // how often some calls are made is a matter of time
		s.fresh(t, dir)
		x.failed = nil
		begun := h.first == nil
		x.result, x.state = s.attempt(t, dir, s.args, func(c fileCall) fate {
			fate := fate{}
			switch {
			case !begun && c == h.first.call:
				begun = true
				fate = h.first.fate()
			case begun && !x.came && c == h.call:
				x.came = true
				fate = h.fate()
			case (x.came && h.fail == syscall.ENOSPC || h.first != nil && begun && h.first.fail == syscall.ENOSPC) &&
				takesRoom(c):
				fate.Fail = syscall.ENOSPC
			case x.came && h.first == nil && crashtest.Long() && c.Nth == 1: // cleaning up, or trying again
				w.see(&h, c)
			}
			if fate.Fail != 0 {
				x.failed = append(x.failed, c)
			}
			return fate
		})
	}
	sum := tally{missed: 1}
	if x.came {
		sum = x.judge(t, r)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sum.add(sum)
}

// trial is a scenario's run of which something was not done.
type trial struct {
	*scenario
	hurt
	result
	dir    string
	came   bool       // the call came
	failed []fileCall // all that failed
	state  *os.ProcessState
}

// judge says how a run ended, and has the same command go on.
func (x *trial) judge(t *testing.T, r *rand.Rand) (sum tally) {
	t.Helper()
	told := func(err error) {
		if err != nil {
			x.fault(t, err)
		}
	}
	killed := x.state.Sys().(syscall.WaitStatus).Signaled()
	switch {
	case x.fail == 0:
		sum.kills++
		if !killed {
			told(errors.New("it was not killed"))
		}
	case killed, strings.Contains(x.stderr, "goroutine "), strings.Contains(x.stderr, "panic"):
		told(fmt.Errorf("it crashed: %v", x.state))
	case x.code == 0:
		sum.silent++
		if !x.ofNoMatter() {
			told(errors.New("it ended as if nothing had been"))
		}
		told(x.right(x.dir))
		return sum
	default:
		sum.errors++
		told(x.explained())
	}
	kept, err := x.kept(x.dir)
	told(err)
	if kept {
		sum.kept++
	}
	if crashtest.Long() && r.IntN(8) == 0 { // another kill, wherever that is
		left := r.IntN(60)
		if _, state := x.attempt(t, x.dir, x.args,
			func(fileCall) fate { left--; return fate{Kill: left < 0} }); !state.Exited() {
			sum.again++
			_, err := x.kept(x.dir)
			told(err)
		}
	}
	args := x.args
	if at := slices.Index(args, "--restart"); at >= 0 && r.IntN(2) == 0 { // as the resume command that is printed
		args = slices.Delete(slices.Clone(args), at, at+1)
	}
	again, _ := x.attempt(t, x.dir, args, done)
	// The old store is there, of another graph or algorithm.
	if len(args) < len(x.args) && (again.code == class.Input && kept || again.code == class.Usage) {
		again, _ = x.attempt(t, x.dir, x.args, done)
	}
	if again.code != 0 && !(x.refuses != nil && x.refuses(x.dir, again)) {
		told(fmt.Errorf("ooc %s does not go on: exit code %d\n%s", strings.Join(args, " "), again.code, again.stderr))
		return sum
	}
	told(x.right(x.dir))
	return sum
}

// ofNoMatter says that what failed may fail unnoticed: it is for show or a courtesy, or it is done again. What is not
// removed is found by its name in the end.
func (x *trial) ofNoMatter() bool {
	for _, c := range x.failed {
		name := filepath.Base(c.Path)
		if x.queue && c.Name == "fsync" && (strings.HasSuffix(name, ".batch") || c.Path == "." && c.Nth == 1) {
			continue // of the queue's name: without it, the next run makes a new queue
		}
		if name != "live" && name != "lock" && c.Name != "sync_file_range" && c.Name != "unlinkat" &&
			c.Name != "fchown" {
			return false
		}
	}
	return true
}

// explained wants an error that names a file that a call failed for, and the code that is listed for it.
func (x *trial) explained() error {
	told := func(fail syscall.Errno) bool {
		if fail == syscall.ENOSPC {
			return x.code == class.NoSpace
		}
		return x.code == class.Failed || x.code == class.Corrupt
	}
	code := told(x.fail)
	if x.first != nil { // what was cleaned up after counts as well
		code = code || told(x.first.fail)
	}
	if !code && !(x.queue && x.code == class.SomeFailed) {
		return fmt.Errorf("exit code %d", x.code)
	}
	for _, c := range x.failed {
		names := strings.Split(c.Path, " → ")
		if c.Path == x.scenario.stdout {
			names = []string{"/dev/stdout", "standard output"}
		}
		for _, name := range names {
			text, _, _ := strings.Cut(filepath.Base(name), "*")
			if text = strings.Trim(text, "."); text == "" || strings.Contains(x.stderr, text) ||
				strings.Contains(x.result.stdout, text) {
				return nil
			}
		}
	}
	return fmt.Errorf("the error names none of what failed: %v", x.failed)
}

// fault reports what must not be.
func (x *trial) fault(t *testing.T, err error) {
	t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.faults++; x.faults > 25 {
		return
	}
	list, _ := listing(x.dir)
	t.Errorf("%s: ooc %s\n%v\nit had said, with exit code %d:\n%s%sthere are %q", x.hurt, strings.Join(x.args, " "),
		err, x.code, tail(x.result.stdout), tail(x.stderr), list)
}

func (s *scenario) hopeless() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults > 200
}

// tail is the end of what a process said.
func tail(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-6):], "")
}

// fresh makes the folder anew, as the template is.
func (s *scenario) fresh(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(s.template, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.TrimPrefix(path, s.template))
		if e.IsDir() {
			return os.Mkdir(to, 0o777)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, b, info.Mode().Perm()); err != nil {
			return err
		}
		return os.Chtimes(to, info.ModTime(), info.ModTime()) // an input is known by its time
	})
	if err != nil {
		t.Fatal(err)
	}
}

// listing names all files in a folder.
func listing(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && path != dir {
			names = append(names, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	slices.Sort(names)
	return names, err
}
