package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ooc/engine"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// mounted mounts a file system on a fresh folder, or skips the test.
func mounted(t *testing.T, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", append(args, dir)...).CombinedOutput(); err != nil {
		if os.Getenv("OOC_REQUIRE_MOUNT") == "1" {
			t.Fatalf("mount %v: %v: %s", args, err, out)
		}
		t.Skipf("mount %v is not permitted here: %v: %s", args, err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return dir
}

// must fails the test where a command of the system does.
func must(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

// halted starts a solve of long.gr in the folder, and stops it (SIGSTOP) some time after the import. What is given to
// then is done meanwhile; after it the solve goes on to its end.
func halted(t *testing.T, dir string, after time.Duration, then func(pid int)) result {
	t.Helper()
	cmd := command(t, dir, "solve", "long.gr", "--algorithm", "blocked", "--tile", "64", "--checkpoint", "20ms")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // where the test failed while it was stopped
	for began := time.Now(); !tiles.IsStore(filepath.Join(dir, "long.ooc")); time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("no store was made: %s", stderr.String())
		}
	}
	time.Sleep(after)
	_ = cmd.Process.Signal(syscall.SIGSTOP) // it may have ended
	then(cmd.Process.Pid)
	_ = cmd.Process.Signal(syscall.SIGCONT)
	_ = cmd.Wait() // the code says how it ended
	r := result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	if r.code < 0 || strings.Contains(r.stderr, "goroutine ") {
		t.Fatalf("%v\n%s", cmd.ProcessState, r.stderr)
	}
	return r
}

// longGraph makes long.gr, whose matrix takes 4·n² bytes.
func longGraph(t *testing.T, dir string, n int) {
	t.Helper()
	ooc(t, dir, "gen", "random", "long.gr", "-n", fmt.Sprint(n), "-m", fmt.Sprint(8*n), "--seed", "7").want(t, 0)
}

// TestCampaignFiles cuts, removes and replaces files of a store under a running solve: that ends with an error that
// names the file.
func TestCampaignFiles(t *testing.T) {
	crashtest.Campaign(t)
	r := seeded(t)
	dir := t.TempDir()
	longGraph(t, dir, 2500)
	store := filepath.Join(dir, "long.ooc")
	do := map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			b, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path+".new", b, 0o666)
			}
			if err == nil {
				err = os.Rename(path+".new", path)
			}
			return err
		},
		"cut": func(path string) error { return os.Truncate(path, r.Int64N(20<<20)) },
	}
	cases := [][2]string{{"cut", "dist.npy"}, {"replaced", "dist.npy"}, {"replaced", "state"}, {"removed", "lock"},
		{"cut", "dist.npy"}, {"removed", "dist.npy"}, {"removed", "state"}, {"replaced", "lock"}}
	times, late := crashtest.Times(4, 50), 0
	for turn := range times {
		c := cases[turn%len(cases)]
		if err := os.RemoveAll(store); err != nil {
			t.Fatal(err)
		}
		res := halted(t, dir, time.Duration(r.Int64N(int64(100*time.Millisecond))), func(int) {
			if err := do[c[0]](filepath.Join(store, c[1])); err != nil {
				t.Error(err)
			}
		})
		if res.code == 0 {
			late++ // it had ended before it was stopped
			continue
		}
		res.want(t, class.Corrupt, filepath.Join("long.ooc", c[1]))
	}
	t.Logf("%d files cut, removed or replaced, %d of them too late", times, late)
}

// fill takes all the room of a volume by another process, and returns what gives it back.
func fill(t *testing.T, vol string) (free func()) {
	t.Helper()
	path := filepath.Join(vol, "filler")
	out, err := exec.Command("dd", "if=/dev/zero", "of="+path, "bs=64k").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "No space left") {
		t.Fatalf("dd: %v: %s", err, out)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCampaignFull has the volume full at the start, and fills it under running solves: on a volume that reserves
// space that does not matter, on another the solve ends with exit code 5, and goes on once there is room.
func TestCampaignFull(t *testing.T) {
	crashtest.Campaign(t)
	dir := t.TempDir()
	longGraph(t, dir, 1500) // 9 MB of matrix
	ooc(t, dir, "solve", "long.gr", "--tile", "64", "--out", "whole.ooc").want(t, 0)
	want := readFile(t, dir, "whole.ooc", "dist.npy")
	graph := filepath.Join(dir, "long.gr")
	solve := []string{"solve", "long.gr", "--tile", "64", "--algorithm", "blocked"}
	same := func(vol string) {
		t.Helper()
		if !bytes.Equal(readFile(t, vol, "long.ooc", "dist.npy"), want) {
			t.Error("the matrix differs")
		}
	}
	copyTo := func(vol string) {
		must(t, "cp", graph, vol)
	}
	t.Run("at the start", func(t *testing.T) {
		vol := mounted(t, "-t", "tmpfs", "-o", "size=8m", "ooc-test")
		copyTo(vol)
		ooc(t, vol, solve...).want(t, class.NoSpace, "no space")
		must(t, "mount", "-o", "remount,size=20m", vol)
		ooc(t, vol, solve...).want(t, 0)
		same(vol)
	})
	t.Run("reserved", func(t *testing.T) {
		vol := mounted(t, "-t", "tmpfs", "-o", "size=16m", "ooc-test")
		copyTo(vol)
		halted(t, vol, 0, func(int) { fill(t, vol) }).want(t, 0)
		same(vol)
	})
	t.Run("not reserved", func(t *testing.T) {
		if _, err := exec.LookPath("mkfs.ext2"); err != nil {
			if os.Getenv("OOC_REQUIRE_MOUNT") == "1" {
				t.Fatal(err)
			}
			t.Skipf("no volume can be made that does not reserve: %v", err)
		}
		image := filepath.Join(t.TempDir(), "image")
		must(t, "truncate", "-s", "24m", image)
		must(t, "mkfs.ext2", "-q", image) // which cannot allocate ahead
		vol := mounted(t, "-o", "loop", image)
		copyTo(vol)
		var free func()
		r := halted(t, vol, 0, func(int) { free = fill(t, vol) })
		if r.code == 0 {
			tooFast(t, "the solve")
		}
		r.want(t, class.NoSpace, "no space", "continue with")
		ooc(t, vol, solve...).want(t, class.NoSpace, "no space")
		free()
		ooc(t, vol, solve...).want(t, 0)
		same(vol)
	})
	t.Run("names", func(t *testing.T) {
		for inodes := 3; inodes < 12; inodes++ {
			vol := mounted(t, "-t", "tmpfs", "-o", fmt.Sprintf("size=40m,nr_inodes=%d", inodes), "ooc-test")
			r := ooc(t, vol, "solve", graph, "--tile", "64")
			if r.code == 0 {
				return
			}
			r.want(t, class.NoSpace, "no space")
			if left, err := os.ReadDir(vol); err != nil || len(left) != 0 {
				t.Errorf("%d names: left behind: %v, %v", inodes, left, err)
			}
		}
		t.Error("no number of names is enough")
	})
}

// TestCampaignReadOnly asks everything of a store on a medium that cannot be written.
func TestCampaignReadOnly(t *testing.T) {
	vol, dir := mounted(t, "-t", "tmpfs", "-o", "size=8m", "ooc-test"), t.TempDir()
	writeFile(t, vol, "towns.csv", small)
	ooc(t, vol, "solve", "towns.csv").want(t, 0)
	must(t, "mount", "-o", "remount,ro", vol)
	store := filepath.Join(vol, "towns.ooc")
	for words, text := range map[string]string{
		"status STORE":                  "solved",
		"query STORE paris nice":        "paris\tnice\t7\n",
		"query STORE --row isle":        "isle\tnice\t8",
		"path STORE paris nice":         "lyon",
		"verify STORE":                  "match",
		"verify STORE --full":           "",
		"scrub STORE":                   "",
		"stats STORE":                   "diameter",
		"export STORE towns.npy":        "",
		"plan STORE":                    "",
		"query STORE paris --within 99": "lyon",
	} {
		ooc(t, dir, strings.Fields(strings.ReplaceAll(words, "STORE", store))...).want(t, 0, text)
	}
	ooc(t, dir, "solve", store).want(t, class.Failed, "read-only file system")
}

// TestCampaignPipe closes the pipe that a query prints to: it ends by SIGPIPE, as commands do, and says nothing.
func TestCampaignPipe(t *testing.T) {
	dir := t.TempDir()
	longGraph(t, dir, 200)
	ooc(t, dir, "solve", "long.gr").want(t, 0)
	pairs := filepath.Join(dir, "pairs")
	writeFile(t, dir, "pairs", strings.Repeat("1 2\n", 200_000)) // more than a pipe holds
	cmd := command(t, dir, "query", "long.ooc", "--pairs", pairs)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 4)
	if _, err := out.Read(line); err != nil || string(line) != "1\t2\t" {
		t.Errorf("%q, %v", line, err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if s := cmd.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGPIPE ||
		stderr.Len() > 0 {
		t.Errorf("%v: %s", cmd.ProcessState, stderr.String())
	}
}

// pseudoTerminal opens a pair of ends of a terminal.
func pseudoTerminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { ours.Close() })
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	return ours, theirs
}

// TestCampaignTerminal resizes the terminal under a solve, down to no columns at all.
func TestCampaignTerminal(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	dir := t.TempDir()
	longGraph(t, dir, 2500)
	ours, theirs := pseudoTerminal(t)
	cmd := command(t, dir, "solve", "long.gr", "--tile", "64", "--algorithm", "blocked")
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	cmd.Stderr = theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	var drawn bytes.Buffer
	for buf := make([]byte, 256); ; { // the other end is closed when the solve ends
		n, err := ours.Read(buf)
		drawn.Write(buf[:n])
		if err != nil {
			break
		}
		size := unix.Winsize{Row: uint16(r.IntN(60)), Col: uint16(r.IntN(3) * r.IntN(200))}
		if err := unix.IoctlSetWinsize(int(ours.Fd()), unix.TIOCSWINSZ, &size); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait()
	if text := drawn.String(); cmd.ProcessState.ExitCode() != 0 || strings.Contains(text, "goroutine ") ||
		!strings.Contains(text, "100.0 %") {
		t.Errorf("%v:\n%s", cmd.ProcessState, text)
	}
}

// TestCampaignSleep stops a solve for a while, as a laptop that is closed does: its lock holds meanwhile, and it goes
// on.
func TestCampaignSleep(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	longGraph(t, dir, 2000)
	ooc(t, dir, "solve", "long.gr", "--out", "whole.ooc", "--tile", "64").want(t, 0)
	halted(t, dir, 0, func(pid int) {
		// It may have ended before it was stopped. Then the store is solved.
		if r := ooc(t, dir, "solve", "long.gr"); r.code != 0 || !strings.Contains(r.stderr, "already solved") {
			r.want(t, class.Locked, fmt.Sprintf("process %d ", pid))
		}
	}).want(t, 0)
	if !bytes.Equal(readFile(t, dir, "long.ooc", "dist.npy"), readFile(t, dir, "whole.ooc", "dist.npy")) {
		t.Error("the matrix differs")
	}
}

// TestStatusAfterKill kills a solve that has taken no checkpoint and left a note: status, plan and watch say what the
// next run then does.
func TestStatusAfterKill(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	longGraph(t, dir, 2500)
	store := filepath.Join(dir, "long.ooc")
	noted := func() bool {
		p, err := engine.OpenReadOnly(store)
		if err != nil {
			return false
		}
		defer p.Close()
		st, err := p.Status()
		return err == nil && st.Progress > 0
	}
	for _, algorithm := range []string{"blocked", "eliminate"} {
		var st map[string]any
		for range 30 { // a solve may end before it is killed
			if err := os.RemoveAll(store); err != nil {
				t.Fatal(err)
			}
			cmd := command(t, dir, "solve", "long.gr", "--algorithm", algorithm, "--tile", "64", "--checkpoint", "1h")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for began := time.Now(); !noted() && time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the status says how it ended
			if st = jsonLines(t, ooc(t, dir, "status", "long.ooc", "--json").want(t,
				0).stdout)[0]; st["state"] != "solved" {
				break
			}
		}
		progress, _ := st["progress"].(float64)
		if st["state"] == "solved" {
			tooFast(t, "the solve")
		}
		if progress == 0 || st["restore_point"] != 0.0 || st["state"] != "unfinished" || st["algorithm"] != algorithm {
			t.Errorf("%s: %v", algorithm, st)
		}
		ooc(t, dir, "status", "long.ooc").want(t, 0, fmt.Sprintf("the next run goes on from %.1f %%", 100*progress))
		done, _ := jsonLines(t, ooc(t, dir, "plan", "long.ooc", "--json").want(t, 0).stdout)[0]["done"].(float64)
		var resumed any
		for _, line := range jsonLines(t, ooc(t, dir, "solve", "long.ooc", "--json").want(t, 0).stdout) {
			if line["type"] == "summary" {
				resumed = line["resumed_from"]
			}
		}
		if resumed != progress || done != math.Round(2500*progress) {
			t.Errorf("%s: status said %v, plan %v, and the run went on from %v", algorithm, progress, done/2500,
				resumed)
		}
	}
}

// TestCampaignClock has every file of a half-done store, and the input, from long ago or from the future, as they look
// after the clock was set: the store goes on.
func TestCampaignClock(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	longGraph(t, dir, 1500)
	ooc(t, dir, "solve", "long.gr", "--out", "whole.ooc", "--tile", "64").want(t, 0)
	for _, when := range []time.Time{time.Unix(1, 0), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if err := os.RemoveAll(filepath.Join(dir, "long.ooc")); err != nil {
			t.Fatal(err)
		}
		killOne(t, dir, []string{"solve", "long.gr", "--tile", "64", "--checkpoint", "10ms", "--algorithm", "blocked"},
			300*time.Millisecond, false)
		files, err := filepath.Glob(filepath.Join(dir, "long.*"))
		inside, err2 := filepath.Glob(filepath.Join(dir, "long.ooc", "*"))
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for _, f := range append(files, inside...) {
			if err := os.Chtimes(f, when, when); err != nil {
				t.Fatal(err)
			}
		}
		ooc(t, dir, "solve", "long.gr", "--tile", "64").want(t, 0)
		ooc(t, dir, "status", "long.ooc").want(t, 0, "solved")
		if !bytes.Equal(readFile(t, dir, "long.ooc", "dist.npy"), readFile(t, dir, "whole.ooc", "dist.npy")) {
			t.Error("the matrix differs")
		}
	}
}
