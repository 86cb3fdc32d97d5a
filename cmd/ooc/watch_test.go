//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"ooc/engine"
	"ooc/engine/live"
	"ooc/tiles/crashtest"
)

// escapes are what colours text.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// coloured is a change of colours.
var coloured = regexp.MustCompile("\x1b\\[[0-9;]*(3[0-8]|4[0-8])[0-9;]*m")

// console is a process on a terminal of its own.
type console struct {
	t   *testing.T
	cmd *exec.Cmd
	tty *os.File // our end
	its *os.File // the process's, kept open to see the terminal's modes

	before *term.State // those modes at first

	mu   sync.Mutex
	text strings.Builder // everything it wrote; guarded by mu
}

// onTerminal starts a command on a terminal.
func onTerminal(t *testing.T, cmd *exec.Cmd, columns, rows uint16) *console {
	t.Helper()
	tty, its, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(int(its.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	c := &console{t: t, cmd: cmd, tty: tty, its: its, before: before}
	c.resize(columns, rows)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = its, its, its
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		tty.Close()
		its.Close()
	})
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := tty.Read(buf)
			c.mu.Lock()
			c.text.Write(buf[:n])
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return c
}

func (c *console) resize(columns, rows uint16) {
	c.t.Helper()
	if err := pty.Setsize(c.tty, &pty.Winsize{Cols: columns, Rows: rows}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *console) written() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// await waits until what was written from a place on holds a text, and returns the place behind all that is there.
func (c *console) await(from int, text string) int {
	c.t.Helper()
	return c.awaitTrue("writes "+text,
		func() bool { return strings.Contains(escapes.ReplaceAllString(c.written()[from:], ""), text) })
}

func (c *console) awaitTrue(what string, is func() bool) int {
	c.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("two minutes passed, and it never %s:\n%s", what, c.written())
		}
	}
	return len(c.written())
}

func (c *console) press(keys string) {
	c.t.Helper()
	if _, err := io.WriteString(c.tty, keys); err != nil {
		c.t.Fatal(err)
	}
}

// ends waits for the process to end with a code.
func (c *console) ends(code int) {
	c.t.Helper()
	_ = c.cmd.Wait() // the code says how it ended
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		c.t.Fatalf("exit code %d, want %d\n%s", got, code, c.written())
	}
}

// cooked reports whether the terminal is as it was, and so takes lines and echoes them, as a shell needs it.
func (c *console) cooked() bool {
	c.t.Helper()
	now, err := term.GetState(int(c.its.Fd()))
	if err != nil {
		c.t.Fatal(err)
	}
	return reflect.DeepEqual(now, c.before)
}

// longSolve writes a graph whose solve takes a while, and returns the command that solves it.
func longSolve(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "long.gr")); err != nil {
		ooc(t, dir, "gen", "random", "long.gr", "-n", "6000", "-m", "27000").want(t, 0)
	}
	cmd := command(t, dir, "solve", "long.gr", "--device", "cpu", "--algorithm", "blocked", "--tile", "256", "--round",
		"256", "--device-memory", "64MiB", "--checkpoint", "1h")
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1") // many cores would be done before anybody looked
	return cmd
}

// solving starts such a solve on a terminal, and waits until it shows the keys.
func solving(t *testing.T, dir string) *console {
	t.Helper()
	c := onTerminal(t, longSolve(t, dir), 100, 30)
	c.await(0, "p pause")
	c.awaitTrue("takes single keys", func() bool { return !c.cooked() })
	return c
}

// TestKeys pauses a solve, takes a checkpoint in the pause, resizes the terminal, resumes, and ends it with q.
func TestKeys(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	c := solving(t, dir)
	at := c.awaitTrue("reaches its second round", func() bool { return statusOf(dir, "long.ooc").Round > 1 })
	c.press("p")
	at = c.await(at, "p resume")
	c.press("c")
	c.await(at, "c checkpoint asked for")
	at = c.awaitTrue("takes a checkpoint", func() bool { return statusOf(dir, "long.ooc").RestorePoint > 0 })
	if st := jsonLines(t, ooc(t, dir, "status", "long.ooc", "--json").want(t, 0).stdout)[0]; st["state"] != "paused" ||
		st["restore_point"] == 0.0 {
		t.Errorf("the checkpoint ended the pause: %v", st)
	}
	ooc(t, dir, "status", "long.ooc").want(t, 0, "paused from its terminal", "by: ooc solve long.gr",
		"next      ooc watch long.ooc")
	c.resize(60, 20)
	c.press("p")
	at = c.await(at, "p pause")
	c.press("q")
	c.ends(130)
	c.await(at, "continue with:")
	if !c.cooked() {
		t.Error("the terminal was left as the keys need it")
	}
}

// TestTerminalIsRestored ends solves in every way that leaves time for it, and stops one as Ctrl-Z does.
func TestTerminalIsRestored(t *testing.T) {
	crashtest.Slow(t)
	for _, end := range []struct {
		name string
		do   func(c *console)
		code int
	}{
		{"Ctrl-C", func(c *console) { c.press("\x03") }, 130},
		{"SIGTERM", func(c *console) { _ = c.cmd.Process.Signal(syscall.SIGTERM) }, 130},
		{"two signals", func(c *console) {
			go untilEnded(c, syscall.SIGTERM)
		}, 130},
		{"SIGHUP", func(c *console) { _ = c.cmd.Process.Signal(syscall.SIGHUP) }, -1},
		{"error", func(c *console) { _ = os.Truncate(c.cmd.Dir+"/long.ooc/dist.npy", 1<<20) }, 8},
	} {
		t.Run(end.name, func(t *testing.T) {
			if end.name == "SIGHUP" && signal.Ignored(syscall.SIGHUP) {
				t.Skip("the test was started by something like nohup, which has all that it starts ignore hang-ups")
			}
			c := solving(t, t.TempDir())
			end.do(c)
			c.ends(end.code)
			if !c.cooked() {
				t.Errorf("after %s the terminal was left as the keys need it", end.name)
			}
		})
	}
}

func TestSuspend(t *testing.T) {
	crashtest.Slow(t)
	c := solving(t, t.TempDir())
	c.press("\x1a")
	c.awaitTrue("stops", func() bool {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(c.cmd.Process.Pid, &status, syscall.WUNTRACED|syscall.WNOHANG, nil)
		return err == nil && pid == c.cmd.Process.Pid && status.Stopped()
	})
	if !c.cooked() {
		t.Error("a stopped solve keeps the terminal as the keys need it")
	}
	at := len(c.written())
	if err := c.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	at = c.await(at, "p pause")
	c.awaitTrue("takes single keys again", func() bool { return !c.cooked() })
	c.press("p")
	c.await(at, "p resume")
	c.press("q")
	c.ends(130)
}

// TestSIGUSR1 asks a solve without a terminal for its status: --progress never prints nothing else, but what was read.
func TestSIGUSR1(t *testing.T) {
	dir := t.TempDir()
	cmd := longSolve(t, dir)
	cmd.Args = append(cmd.Args, "--progress", "never")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	told(t, dir, "long.ooc")
	lines := bufio.NewScanner(stderr)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "imported long.gr ") {
		t.Fatalf("instead of what was read, it printed %q", lines.Text())
	}
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		more := lines.Scan()
		for more && strings.HasPrefix(lines.Text(), "  ") { // about what was read
			more = lines.Scan()
		}
		if !more || !strings.Contains(lines.Text(), "long.ooc: round ") {
			t.Fatalf("SIGUSR1 printed %q", lines.Text())
		}
	}
}

// statusOf is what ooc status prints of a store, without a process of its own; nothing of one that is not whole yet.
func statusOf(dir, store string) live.Status {
	v, err := engine.Look(filepath.Join(dir, store))
	if err != nil {
		return live.Status{}
	}
	return v.Status
}

// told waits until the process that solves a store says how far it is.
func told(t *testing.T, dir, store string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if st := statusOf(dir, store); st.State == live.Running && st.Rounds > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("no solve spoke up within a minute")
		}
	}
}

// TestWatch follows a solve on a terminal through a kill and a resume, at three sizes, until q.
func TestWatch(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	solve := longSolve(t, dir)
	if err := solve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = solve.Process.Kill() })
	told(t, dir, "long.ooc")
	c := onTerminal(t, command(t, dir, "watch", "long.ooc"), 80, 40)
	c.await(0, "running by process")
	at := c.await(0, "lane 0")
	c.resize(200, 50)
	at = c.await(at, "next round")
	c.resize(60, 24)
	at = c.await(at, "q quits")
	if err := solve.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = solve.Wait()
	at = c.await(at, "ended before")
	again := longSolve(t, dir)
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = again.Process.Kill()
		_ = again.Wait()
	})
	c.await(at, "lane 0")
	c.press("q")
	c.ends(0)
	if !c.cooked() {
		t.Error("watch left the terminal as it needs it")
	}
	c.await(0, "\x1b[?1049l") // it left the alternate screen
}

// TestWatchWithoutColour demands that NO_COLOR keeps colours away.
func TestWatchWithoutColour(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	ooc(t, dir, "solve", "towns.csv").want(t, 0)
	cmd := command(t, dir, "watch", "towns.ooc")
	cmd.Env = append(cmd.Env, "NO_COLOR=1")
	c := onTerminal(t, cmd, 80, 24)
	c.await(0, "ooc query towns.ooc U V")
	c.press("\x03")
	c.ends(0)
	if colours := coloured.FindString(c.written()); colours != "" {
		t.Errorf("colours in spite of NO_COLOR: %q", colours)
	}
}

// TestWatchOffTerminal prints lines, follows a kill and a resume, and ends where all is solved.
func TestWatchOffTerminal(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	ooc(t, dir, "watch", "long.ooc").want(t, 3, "does not exist")
	solve := longSolve(t, dir)
	if err := solve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = solve.Process.Kill() })
	told(t, dir, "long.ooc")
	cmd := command(t, dir, "watch", "long.ooc")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	var seen []string
	expect := func(text string) {
		t.Helper()
		for lines.Scan() {
			seen = append(seen, lines.Text())
			if strings.ContainsAny(lines.Text(), "\x1b\r") {
				t.Fatalf("control characters: %q", lines.Text())
			}
			if strings.Contains(lines.Text(), text) {
				return
			}
		}
		t.Fatalf("watch ended before it said %q:\n%s", text, strings.Join(seen, "\n"))
	}
	expect("running by process")
	expect("round ")
	if err := solve.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = solve.Wait()
	expect("ended before it was done")
	again := longSolve(t, dir)
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	expect("running by process")
	if err := again.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = again.Wait()
	expect("next: ooc solve long.ooc")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the code says how it ended
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("ended by a signal: exit code %d, want 130", code)
	}
	writeFile(t, dir, "towns.csv", small)
	ooc(t, dir, "solve", "towns.csv").want(t, 0)
	if r := ooc(t, dir, "watch", "towns.ooc").want(t,
		0); r.stdout != "towns.ooc: solved; next: ooc query towns.ooc U V\n" {
		t.Errorf("of a solved store: %q", r.stdout)
	}
}

// TestWatchBatch looks at a batch that is over, and at one of which a job failed.
func TestWatchBatch(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "a.csv", small)
	writeFile(t, dir, "b.csv", small)
	ooc(t, dir, "solve", "a.csv", "b.csv").want(t, 0)
	batches, err := filepath.Glob(filepath.Join(dir, "*.batch"))
	if err != nil || len(batches) != 1 {
		t.Fatalf("%v, %v", batches, err)
	}
	ooc(t, dir, "watch", batches[0]).want(t, 0, "2 of 2 jobs solved, 0 failed")
	// Short names, so that rows are not cut.
	c := onTerminal(t, command(t, dir, "watch", filepath.Base(batches[0])), 100, 30)
	c.await(0, "b.ooc")
	c.press("q")
	c.ends(0)
}

// TestStoppedProcess stops a solve as Ctrl-Z would, and wants it said, without rates and a time left, by all who ask.
func TestStoppedProcess(t *testing.T) {
	crashtest.Slow(t)
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system does not tell of a process whether it is stopped")
	}
	dir := t.TempDir()
	cmd := longSolve(t, dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	status := func() map[string]any {
		return jsonLines(t, ooc(t, dir, "status", "long.ooc", "--json").want(t, 0).stdout)[0]
	}
	for statusOf(dir, "long.ooc").Progress == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	by := fmt.Sprintf("process %d ", cmd.Process.Pid)
	ooc(t, dir, "query", "long.ooc", "1", "2").want(t, 1, "not solved yet", by, "is solving it", "ooc watch long.ooc")
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for status()["process"] != "stopped" {
		time.Sleep(10 * time.Millisecond)
	}
	if st := status(); st["pid"] != float64(cmd.Process.Pid) || st["relaxations_per_second"] != 0.0 ||
		st["eta_seconds"] != nil {
		t.Errorf("of a stopped process: %v", st)
	}
	said := ooc(t, dir, "status", "long.ooc").want(t, 0, by+"is stopped",
		fmt.Sprintf("next      kill -CONT %d", cmd.Process.Pid))
	if strings.Contains(said.stdout, "relax/s") || strings.Contains(said.stdout, " left") {
		t.Errorf("a stopped solve has a rate, or a time left:\n%s", said.stdout)
	}
	for _, ask := range [][]string{{"query", "long.ooc", "1", "2"}, {"path", "long.ooc", "1", "2"},
		{"export", "long.ooc", "-"}, {"stats", "long.ooc"}, {"verify", "long.ooc"}} {
		ooc(t, dir, ask...).want(t, 1, "not solved yet", by+"is stopped", "kill -CONT")
	}
	w := onTerminal(t, command(t, dir, "watch", "long.ooc"), 120, 40)
	at := w.await(0, by+"is stopped")
	if text := w.written(); strings.Contains(text, "relax/s") || strings.Contains(text, " left") {
		t.Errorf("watch shows a rate, or a time left:\n%s", text)
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	w.await(at, "relax/s")
	w.press("q")
	w.ends(0)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	ooc(t, dir, "query", "long.ooc", "1", "2").want(t, 1, "not solved yet", "continue with: ooc solve long.ooc")
}

// untilEnded sends a signal until the process has ended: at first another one counts as the same.
func untilEnded(c *console, s syscall.Signal) {
	for c.cmd.Process.Signal(s) == nil {
		time.Sleep(20 * time.Millisecond)
	}
}

// TestTwoSignals: a solve says at once that it stops and that a second signal ends it now, which says how to go on,
// too.
func TestTwoSignals(t *testing.T) {
	crashtest.Slow(t)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		c := solving(t, t.TempDir())
		from := len(c.written())
		_ = c.cmd.Process.Signal(s)
		at := c.await(from, "again ends at once")
		go untilEnded(c, s)
		c.ends(130)
		c.await(from, "continue with:")
		if !strings.Contains(c.written()[from:], "ooc solve long.gr --device cpu") {
			t.Errorf("no command to go on with:\n%s", c.written()[at:])
		}
		ooc(t, c.cmd.Dir, "status", "long.ooc").want(t, 0, "next      ooc solve long.ooc")
	}
	dir := t.TempDir() // before there is a store, nothing is lost
	cmd := command(t, dir, "solve", "-", "--out", "x.ooc", "--restart")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	if first, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(first, "device ") {
		t.Fatalf("%q, %v", first, err)
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	rest, err := io.ReadAll(lines)
	_ = cmd.Wait() // the code says how it ended
	if err != nil || cmd.ProcessState.ExitCode() != 130 ||
		!strings.Contains(string(rest), "continue with:\n  ooc solve - --out x.ooc --restart < INPUT") {
		t.Errorf("exit code %d, %v:\n%s", cmd.ProcessState.ExitCode(), err, rest)
	}
}
