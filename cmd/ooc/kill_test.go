//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ooc/engine/device/registry"
	"ooc/engine/eliminate"
	"ooc/engine/rounds"
	"ooc/kernels"
	"ooc/kernels/cuda"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// limits are random flags that may change from run to run of one store.
func limits(r *rand.Rand, c *killCase) []string {
	flags := []string{"--checkpoint", fmt.Sprintf("%dms", 1+r.IntN(100)), "--streams", fmt.Sprint(1 + r.IntN(4))}
	width := 1
	if r.IntN(3) > 0 {
		width += r.IntN(3)
		flags = append(flags, "--round", fmt.Sprint(c.tile*width))
	}
	tile := c.tile * c.tile * entry.KindF64.PairBytes() // no tile takes more
	if r.IntN(2) == 0 && c.algorithm == rounds.Blocked.Name() {
		flags = append(flags, "--host-memory", fmt.Sprintf("%dKiB", 4*tile/1024*(1+r.IntN(8))))
	}
	// Tiles go back and forth between disk and device.
	if r.IntN(2) == 0 && (c.algorithm == rounds.Blocked.Name() || c.algorithm == rounds.Squaring.Name()) {
		side := (c.n + c.tile - 1) / c.tile
		panels := width*width + 2*width*side + width
		flags = append(flags, "--device-memory",
			fmt.Sprintf("%dKiB", ownMemory(c.device)+panels*(2+r.IntN(3))*tile/1024))
	}
	if other := otherParts(c.device); other != "" && slices.Contains(inParts, c.algorithm) && r.IntN(3) == 0 {
		flags = append(flags, "--device", other)
	}
	return flags
}

// twoGPUs are the devices of solves that begin in two parts, where there are two GPUs.
const twoGPUs = "cuda:0,cuda:1"

// inParts are the algorithms that devices share.
var inParts = []string{rounds.Blocked.Name(), eliminate.Name}

// otherParts names devices that a solve can go on with in another number of parts; "": there are none.
func otherParts(device string) string {
	switch device {
	case "cpu":
		return "cpu,cpu"
	case "cuda":
		return "cuda:0,cuda:0"
	case twoGPUs:
		return "cuda:1"
	}
	return ""
}

// devicesIn counts the devices that the last --device names.
func devicesIn(args []string) int {
	for i := len(args) - 1; i > 0; i-- {
		if args[i-1] == "--device" {
			return 1 + strings.Count(args[i], ",")
		}
	}
	return 1
}

// ownMemory is more than a device itself needs of its memory, in KiB.
func ownMemory(device string) int {
	if device == "cpu" {
		return 4096 * runtime.NumCPU()
	}
	return kernels.GPUScratch >> 10
}

// killed counts what TestCampaignKills did on a device.
type killed struct {
	device     string
	tracks     bool // the device keeps predecessors
	algorithms []string
	first      int // of the kinds and algorithms, in turn

	turns, kills, ofTwo, resumed, copies, rows atomic.Int64
}

// TestCampaignKills kills solves of every kind by all algorithms at random moments, over and over until each is done,
// and compares the end with an uninterrupted solve: byte by byte in integers, of predecessors the distances; by
// verification in others. What was half done is copied, too, and ends the same elsewhere.
func TestCampaignKills(t *testing.T) {
	crashtest.Campaign(t)
	devices := testDevices(t)
	if n, err := cuda.Count(); err == nil && n > 1 {
		devices = append(devices, twoGPUs)
	}
	for _, device := range devices {
		t.Run(device, func(t *testing.T) {
			r, k, began := seeded(t), newKilled(t, device), time.Now()
			k.first = r.IntN(100)
			workers := 1
			if device != "cpu" { // most of the time goes by before the device computes anything
				workers = min(runtime.NumCPU(), 8) // each takes memory of every GPU
			}
			t.Run("workers", func(t *testing.T) { // returns when all of them have
				for w := range workers {
					r := rand.New(rand.NewPCG(r.Uint64(), 1))
					t.Run(fmt.Sprint(w), func(t *testing.T) {
						t.Parallel()
						k.work(t, r)
					})
				}
			})
			t.Logf("%s: %d kills, %d of them with two parts, of %d solves in %v; %d last runs went on from a restore "+
				"point or a note; %d copies; %d rows verified in floating kinds",
				device, k.kills.Load(), k.ofTwo.Load(), k.turns.Load(), time.Since(began).Round(time.Second),
				k.resumed.Load(), k.copies.Load(), k.rows.Load())
		})
	}
}

// work kills solves until all the kills are done that are wanted.
func (k *killed) work(t *testing.T, r *rand.Rand) {
	short, long := 30, 1000
	if strings.HasPrefix(k.device, "opencl") { // whose kernels take seconds to compile
		short, long = 10, 300
	}
	dir, want := t.TempDir(), wantedKills(t, short, long)
	for k.kills.Load() < want {
		turn := int(k.turns.Add(1) - 1)
		if turn >= int(want) { // a machine on which solves end before they are killed ends too
			return
		}
		turn += k.first
		c := &killCase{device: k.device, kind: entry.Kinds[turn%len(entry.Kinds)],
			algorithm: k.algorithms[turn/len(entry.Kinds)%len(k.algorithms)],
			n:         700 + r.IntN(crashtest.Times(500, 1500)), tile: 64 << r.IntN(3)}
		if k.device != "cpu" {
			c.n += 800
		}
		c.trees = (c.algorithm == rounds.Blocked.Name() || c.algorithm == rounds.SingleStage.Name()) &&
			r.IntN(2) == 0 && k.tracks && c.kind.PairBytes() > 0
		c.solve(t, r, dir, k, want)
	}
}

// wantedKills is how many kills are wanted in the short campaign, and in the long one: so many as OOC_KILLS says, if
// it does.
func wantedKills(t *testing.T, short, long int) int64 {
	t.Helper()
	text := os.Getenv("OOC_KILLS")
	if text == "" {
		return int64(crashtest.Times(short, long))
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("OOC_KILLS=%q is no number of kills", text)
	}
	return int64(n)
}

// killCase is a solve that is killed.
type killCase struct {
	device, algorithm string
	kind              entry.Kind
	n, tile           int
	trees             bool     // predecessors are kept
	symmetric         bool     // the graph is
	flags             []string // more of each solve
}

// solve kills one solve until it is done.
func (c *killCase) solve(t *testing.T, r *rand.Rand, dir string, k *killed, want int64) {
	t.Helper()
	degree := 2 + r.IntN(9)
	if c.kind == entry.KindU16 { // so that no distance passes it
		degree += 4
	}
	gen := []string{"gen", "random", "g.gr", "-n", fmt.Sprint(c.n), "-m", fmt.Sprint(degree * c.n), "--seed",
		fmt.Sprint(r.Uint32()), "--overwrite"}
	if c.symmetric {
		gen = append(gen, "--undirected")
	}
	ooc(t, dir, gen...).want(t, 0)
	base := append([]string{"solve", "g.gr", "--device", c.device, "--kind", string(c.kind), "--tile",
		fmt.Sprint(c.tile), "--algorithm", c.algorithm}, c.flags...)
	if c.trees {
		base = append(base, "--predecessors")
	}
	// A run that is killed before it replaced the store of another graph would rightly leave that.
	for _, store := range []string{"whole.ooc", "killed.ooc", "copy.ooc"} {
		if err := os.RemoveAll(filepath.Join(dir, store)); err != nil {
			t.Fatal(err)
		}
	}
	base = append(base, "--json", "--out")
	whole, solving := timeSolve(t, dir, append(base, "whole.ooc"))
	for more := 3 + r.IntN(8); more > 0 && k.kills.Load() < want; more-- {
		// A GPU's driver takes most of a small solve's time before that begins.
		after, begun := whole, r.IntN(4) > 0
		if begun {
			after = solving
		}
		args := append(append(base, "killed.ooc"), limits(r, c)...)
		if !killOne(t, dir, args, time.Duration(r.Int64N(int64(after))), begun) {
			break // it is solved
		}
		if devicesIn(args) == 2 {
			k.ofTwo.Add(1)
		}
		if n := k.kills.Add(1); n%25 == 0 {
			t.Logf("%d kills, %d of them with two parts", n, k.ofTwo.Load())
		}
	}
	stores := []string{"killed.ooc"}
	if tiles.IsStore(filepath.Join(dir, "killed.ooc")) && r.IntN(2) == 0 {
		copyElsewhere(t, filepath.Join(dir, "killed.ooc"), filepath.Join(dir, "copy.ooc"))
		stores = append(stores, "copy.ooc")
		k.copies.Add(1)
	}
	for _, store := range stores {
		c.endsAsWhole(t, dir, store, k, append(append(base, store), limits(r, c)...))
	}
}

// endsAsWhole continues a solve of a store, and compares the end with that of whole.ooc.
func (c *killCase) endsAsWhole(t *testing.T, dir, store string, k *killed, args []string) {
	t.Helper()
	last := jsonLines(t, ooc(t, dir, args...).want(t, 0).stdout)
	if from, ok := last[len(last)-1]["resumed_from"].(float64); ok && from > 0 {
		k.resumed.Add(1)
	}
	if !c.kind.Float() && c.trees {
		sameExport(t, dir, store)
	} else if !c.kind.Float() &&
		!bytes.Equal(readFile(t, dir, store, "dist.npy"), readFile(t, dir, "whole.ooc", "dist.npy")) {
		t.Fatalf("%+v: the matrix of %s differs", *c, store)
	}
	const rows = 64
	ooc(t, dir, "verify", store, "--rows", fmt.Sprint(rows)).want(t, 0)
	if c.kind.Float() {
		k.rows.Add(rows)
	}
}

// timeSolve solves, and returns how long the process took, and how long it was solving.
func timeSolve(t *testing.T, dir string, args []string) (whole, solving time.Duration) {
	t.Helper()
	began := time.Now()
	objects := jsonLines(t, ooc(t, dir, args...).want(t, 0).stdout)
	whole = time.Since(began)
	for _, stage := range []string{"setup_seconds", "rounds_seconds", "eliminate_seconds", "core_seconds",
		"expand_seconds", "sync_seconds"} {
		seconds, _ := objects[len(objects)-1][stage].(float64)
		solving += time.Duration(seconds * float64(time.Second))
	}
	return whole, max(solving, time.Millisecond)
}

// newKilled finds out what a device can do.
func newKilled(t *testing.T, name string) *killed {
	t.Helper()
	d, _, err := registry.Open(name, 0)
	if err != nil {
		t.Fatal(err)
	}
	k := &killed{device: name, algorithms: inParts}
	_, k.tracks = kernels.As[kernels.TileOps](d)
	if name != twoGPUs {
		k.algorithms = append(slices.Clone(inParts), rounds.Squaring.Name())
		if k.tracks {
			k.algorithms = append(k.algorithms, rounds.SingleStage.Name())
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return k
}

// copyElsewhere copies a store that nobody writes to where it looks as if it came from another host.
func copyElsewhere(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, "lock", fmt.Sprintf("ooc lock\npid %d\nhost elsewhere\n", os.Getpid()))
}

// killOne starts a solve, which maps its matrix or does not, kills it a while after its start, or after it has said
// that it has begun, and reports whether it was still running then.
func killOne(t *testing.T, dir string, args []string, after time.Duration, begun bool) bool {
	t.Helper()
	cmd := command(t, dir, args...)
	if rand.IntN(2) == 0 {
		cmd.Env = append(cmd.Env, "OOC_TEST_BYFILE=1")
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if begun {
		lines := bufio.NewScanner(out)
		for lines.Scan() && strings.Contains(lines.Text(), `"type":"note"`) { // where it ends first, its status says so
		}
	}
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil && err != os.ErrProcessDone {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status says below how it ended
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return true
	} else if status.ExitStatus() != 0 {
		t.Fatalf("%v: exit code %d\n%s", args, status.ExitStatus(), stderr.String())
	}
	return false
}

// racer is one of two processes that want the same store.
type racer struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	took           time.Duration
}

// race starts a process and says when it has ended.
func race(t *testing.T, dir string, ended chan<- *racer, args ...string) *racer {
	t.Helper()
	x := &racer{cmd: command(t, dir, args...)}
	x.cmd.Stdout, x.cmd.Stderr = &x.stdout, &x.stderr
	began := time.Now()
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = x.cmd.Wait() // the state says how it ended
		x.took = time.Since(began)
		ended <- x
	}()
	return x
}

// TestStopAndResume: a signal ends a solve with the command that goes on, which does. Until it is done no question is
// answered, and a second process is told who works on the store.
func TestStopAndResume(t *testing.T) {
	crashtest.Slow(t)
	for _, sig := range crashtest.Some(seeded(t), 1, []os.Signal{os.Interrupt, syscall.SIGTERM}) {
		dir := t.TempDir()
		cmd, stderr := running(t, dir, "--timeline", "long.json")
		if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil { // a fast device would be done before it is asked
			t.Fatal(err)
		}
		ooc(t, dir, "solve", "long.gr").want(t, 6, fmt.Sprintf("process %d", cmd.Process.Pid))
		ooc(t, dir, "status", "long.ooc").want(t, 0, fmt.Sprintf("process %d", cmd.Process.Pid))
		if err := errors.Join(cmd.Process.Signal(sig), cmd.Process.Signal(syscall.SIGCONT)); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code == 0 {
			tooFast(t, "the solve")
		} else if code != 130 || !strings.Contains(stderr.String(), "ooc solve long.gr --json") {
			t.Fatalf("%v: exit code %d\n%s", sig, code, stderr)
		}
		ooc(t, dir, "query", "long.ooc", "1", "2").want(t, 1, "not solved yet", "ooc solve long.ooc")
		ooc(t, dir, "status", "long.ooc").want(t, 0, "next      ooc solve long.ooc")
		if left, err := filepath.Glob(filepath.Join(dir, "*long.json*")); err != nil || len(left) != 0 {
			t.Errorf("left of a timeline: %v, %v", left, err) // it would be in the way of the same command
		}
		ooc(t, dir, "solve", "long.gr", "--timeline", "long.json").want(t, 0, "solved long.ooc")
		ooc(t, dir, "verify", "long.ooc", "--rows", "16").want(t, 0)
	}
}

// TestCampaignRaces starts two solves of one store at once, which may have to be imported first. One writes; the other
// is told so. The winner is then killed, so that the next pair finds the store half done.
func TestCampaignRaces(t *testing.T) {
	crashtest.Campaign(t)
	for _, device := range testDevices(t) {
		t.Run(device, func(t *testing.T) { raceOn(t, device) })
	}
}

func raceOn(t *testing.T, device string) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "4000", "-m", "40000").want(t, 0)
	solve := []string{"solve", "g.gr", "--device", device, "--tile", "64", "--algorithm", "blocked", "--checkpoint",
		"20ms"}
	if device != "cpu" { // so that it takes a while
		solve = append(solve, "--device-memory", "24MiB")
	}
	refused, slowest := 0, time.Duration(0)
	pairs := crashtest.Times(10, 200)
	for pair := range pairs {
		// A winner may have been done before it was killed.
		if pair%4 == 0 || strings.Contains(ooc(t, dir, "status", "g.ooc", "--json").stdout, `"state":"solved"`) {
			if err := os.RemoveAll(filepath.Join(dir, "g.ooc")); err != nil {
				t.Fatal(err)
			}
		}
		ended := make(chan *racer, 2)
		a, b := race(t, dir, ended, solve...), race(t, dir, ended, solve...)
		first := <-ended
		other := a
		if first == a {
			other = b
		}
		if first.cmd.ProcessState.ExitCode() == class.Locked {
			refused++
			slowest = max(slowest, first.took)
			if text := first.stderr.String(); !strings.Contains(text,
				fmt.Sprintf("process %d ", other.cmd.Process.Pid)) && !strings.Contains(text, "by another process") {
				t.Errorf("the loser says\n%s", text)
			}
			_ = other.cmd.Process.Kill() // it may have ended
		}
		<-ended
		judgeRace(t, first, other)
	}
	t.Logf("%s: %d pairs, %d losers exited %d, the slowest after %v", device, pairs, refused, class.Locked, slowest)
}

// judgeRace wants one writer of two: the other was refused, or came when all was done.
func judgeRace(t *testing.T, first, other *racer) {
	t.Helper()
	done := 0
	for _, x := range []*racer{first, other} {
		status := x.cmd.ProcessState.Sys().(syscall.WaitStatus)
		text := x.stderr.String() + x.stdout.String()
		switch {
		case status.Signaled():
			done++
		case status.ExitStatus() == class.Locked, strings.Contains(text, "already"): // solved, or imported just now
		case status.ExitStatus() == 0:
			done++
		default:
			t.Fatalf("exit code %d\n%s", status.ExitStatus(), text)
		}
	}
	if done != 1 {
		t.Fatalf("%d of two processes wrote one store:\n%s\n%s", done, first.stderr.String(), other.stderr.String())
	}
}
