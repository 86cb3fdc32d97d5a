package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ooc/engine/mpi"
	"ooc/engine/mpi/mpitest"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// asCommand makes the test binary, which a launcher starts, stand in for the command, in a folder.
func asCommand(t *testing.T, cmd *exec.Cmd, dir string) *exec.Cmd {
	t.Helper()
	cmd.Dir = dir
	cmd.Env = append(cmd.Env, "OOC_TEST_MAIN=1")
	return cmd
}

// apart makes each rank a node of its own, in every other turn.
func apart(cmd *exec.Cmd, turn int) *exec.Cmd {
	if turn%2 == 1 {
		cmd.Env = append(cmd.Env, "OOC_TEST_HOSTS=1")
	}
	return cmd
}

func selfPath(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// clusterFolder makes the graph g.gr in a new folder, and the store one.ooc of it in one process.
func clusterFolder(t *testing.T, r *rand.Rand, n int, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"gen", "random", "-n", fmt.Sprint(n), "-m", fmt.Sprint(8 * n), "--seed", fmt.Sprint(r.Uint32()), "g.gr"},
		append([]string{"solve", "g.gr", "--device", "cpu", "--algorithm", "blocked", "--tile", "64", "--out",
			"one.ooc"}, flags...),
	} {
		if out, err := command(t, dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		// With cycles of length 0, trees have to be mended.
		if graph := filepath.Join(dir, "g.gr"); args[0] == "gen" && slices.Contains(flags, "--predecessors") {
			zeros := regexp.MustCompile(`(?m)^(a \d+ \d+) \d*[0-6]$`).ReplaceAll(readFile(t, graph), []byte("$1 0"))
			if err := os.WriteFile(graph, zeros, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// sameBytes compares two stores' matrices.
func sameBytes(t *testing.T, dir, a, b string) {
	t.Helper()
	var data [2][]byte
	for i, name := range []string{a, b} {
		var err error
		if data[i], err = os.ReadFile(filepath.Join(dir, name, "dist.npy")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(data[0], data[1]) {
		t.Errorf("%s and %s differ", a, b)
	}
}

// sameStores compares two solved stores. Where shortest paths are of one length, predecessors may differ, so it
// proves these.
func sameStores(t *testing.T, dir, a, b string) {
	t.Helper()
	wants(t, dir, "verify", "--full", b)
	description, err := os.ReadFile(filepath.Join(dir, b, "store.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(description, []byte(`"predecessors"`)) {
		sameBytes(t, dir, a, b)
		return
	}
	var distances [2][]byte
	for i, store := range []string{a, b} {
		wants(t, dir, "export", "--overwrite", store, store+".npy")
		if distances[i], err = os.ReadFile(filepath.Join(dir, store+".npy")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(distances[0], distances[1]) {
		t.Errorf("the distances of %s and %s differ", a, b)
	}
}

// codeOf is the exit code of a command that has ended.
func codeOf(t *testing.T, err error) int {
	t.Helper()
	var e *exec.ExitError
	if err == nil {
		return 0
	}
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	return e.ExitCode()
}

// TestCluster solves a graph in 1, 2 and 4 processes over every MPI library, and compares the bytes with those of one
// process alone.
func TestCluster(t *testing.T) {
	crashtest.Slow(t)
	t.Parallel() // it waits most of the time
	all := mpitest.Launchers(t)
	r := seeded(t)
	flags := [][]string{{"--kind", "i32"}, {"--kind", "u16"}, {"--undirected"}, {"--kind", "u16", "--undirected"},
		{"--predecessors"}}[r.IntN(5)]
	dir := clusterFolder(t, r, 900+r.IntN(200), flags...)
	for i, l := range all {
		for _, n := range []int{1, 2, 4} {
			out := fmt.Sprintf("d%d-%d.ooc", i, n)
			args := append([]string{"solve", "g.gr", "--device", "cpu", "--tile", "64", "--out", out, "--cluster",
				"mpi"}, flags...)
			text, err := apart(asCommand(t, l.Command(t, n, selfPath(t), args...), dir), i+n/2).CombinedOutput()
			if many := n > 1 && (i+n/2)%2 == 1; many != strings.Contains(string(text), "several nodes write to") {
				t.Errorf("%s, %d ranks, on nodes of their own: %v\n%s", l.Name, n, many, text)
			}
			if err != nil || n > 1 && !strings.Contains(string(text), fmt.Sprintf("%d ranks over", n)) {
				t.Fatalf("%s, %d ranks: %v\n%s", l.Name, n, err, text)
			}
			sameStores(t, dir, "one.ooc", out)
			text, err = asCommand(t, l.Command(t, n, selfPath(t), args...), dir).CombinedOutput()
			if err != nil || !strings.Contains(string(text), "already solved") {
				t.Errorf("%s, %d ranks, again: %v\n%s", l.Name, n, err, text)
			}
		}
	}
}

// ranksOf reads from what the command says until it has named all its ranks, and returns their processes. The rest is
// read by itself.
func ranksOf(t *testing.T, said io.Reader, n int) (list []int, rest *bytes.Buffer, ended chan struct{}) {
	t.Helper()
	rest, ended = new(bytes.Buffer), make(chan struct{})
	lines := bufio.NewReader(said)
	for len(list) < n {
		line, err := lines.ReadString('\n')
		if m := rankLine.FindStringSubmatch(line); m != nil {
			pid, _ := strconv.Atoi(m[1])
			list = append(list, pid)
		}
		if rest.WriteString(line); err != nil {
			break
		}
	}
	go func() {
		defer close(ended)
		io.Copy(rest, lines)
	}()
	return list, rest, ended
}

var rankLine = regexp.MustCompile(`^  rank \d+ on \S+ \(process (\d+)\): `)

// killRank runs a command of n ranks, and kills one at some moment, or the command itself, if it is asked to. It says
// whether it did.
func killRank(t *testing.T, r *rand.Rand, cmd *exec.Cmd, n int, kill bool) (killed bool, text string, err error) {
	t.Helper()
	said, write := io.Pipe()
	cmd.Stdout, cmd.Stderr = write, write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait(); write.Close() }()
	list, rest, ended := ranksOf(t, said, n)
	if killed = kill && len(list) == n; killed {
		time.Sleep(time.Duration(r.IntN(900)) * time.Millisecond)
		victim := list[r.IntN(n)]
		if r.IntN(6) == 0 {
			victim = cmd.Process.Pid
		}
		killed = syscall.Kill(victim, syscall.SIGKILL) == nil
	}
	err = <-done
	<-ended
	return killed, rest.String(), err
}

// killing is a solve of a graph in several processes of which some are killed.
type killing struct {
	dir     string                        // with one.ooc, by one process
	command func() (cmd *exec.Cmd, n int) // of n ranks
	turns   int                           // with kills
	same    func()                        // compares what was solved with one.ooc
}

// kill makes graphs, and solves each of them over and over until it is solved; in most turns it kills some process,
// or what has started them. It ends once so many turns were killed.
func kill(t *testing.T, r *rand.Rand, least int, begin func() killing) {
	t.Helper()
	kills, resumed := 0, 0
	for graphs := 0; kills < least && !t.Failed(); graphs++ {
		k := begin()
		for turn := 0; ; turn++ {
			cmd, n := k.command()
			killed, text, err := killRank(t, r, cmd, n, n > 1 && turn < k.turns && r.IntN(5) > 0)
			if strings.Contains(text, "restore point") && !strings.Contains(text, "restore point 0.0 %") {
				resumed++
			}
			code := codeOf(t, err)
			if code == 0 && !killed {
				break
			}
			switch {
			case killed:
				kills++
			case code == class.Locked: // ranks that mpirun has left are still ending
				time.Sleep(100 * time.Millisecond)
			default:
				t.Fatalf("%q: %v\n%s", cmd.Args, err, text)
			}
		}
		k.same()
		if graphs > 10*least {
			t.Fatalf("%d graphs were solved, and %d solves killed", graphs, kills)
		}
		if err := os.RemoveAll(k.dir); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d kills, %d runs began at a restore point", kills, resumed)
}

// wants fails the test where a command does not end well.
func wants(t *testing.T, dir string, args ...string) {
	t.Helper()
	if text, err := command(t, dir, args...).CombinedOutput(); err != nil {
		t.Errorf("%q: %v\n%s", args, err, text)
	}
}

// unlessCampaign skips a test where another does the same, many times over.
func unlessCampaign(t *testing.T, other string) {
	t.Helper()
	if crashtest.Repeats(0, 1) > 0 {
		t.Skip(other + " does it")
	}
}

// TestClusterKilled kills ranks at random moments, and goes on with other grids and other numbers of ranks.
func TestClusterKilled(t *testing.T) {
	crashtest.Slow(t)
	unlessCampaign(t, "TestCampaignClusterKills")
	t.Parallel() // it waits most of the time
	killClusters(t, 2)
}

// TestCampaignClusterKills is TestClusterKilled, many times over.
func TestCampaignClusterKills(t *testing.T) {
	crashtest.Campaign(t)
	t.Parallel() // it waits most of the time
	killClusters(t, int(wantedKills(t, 3, 100)))
}

// killClusters kills solves in other numbers of processes and on other grids in each turn.
func killClusters(t *testing.T, least int) {
	all := mpitest.Launchers(t)
	r := seeded(t)
	kill(t, r, least, func() killing {
		var flags []string
		if r.IntN(3) == 0 {
			flags = []string{"--predecessors"}
		}
		dir := clusterFolder(t, r, 1800+r.IntN(400), flags...)
		return killing{dir, func() (*exec.Cmd, int) {
			l, n := all[r.IntN(len(all))], 1+r.IntN(4)
			args := []string{"solve", "g.gr", "--device", "cpu", "--tile", "64", "--out", "d.ooc", "--cluster", "mpi",
				"--checkpoint", fmt.Sprintf("%dms", 1+r.IntN(40))}
			args = append(args, flags...)
			if rows := 1 + r.IntN(n); n%rows == 0 {
				args = append(args, "--grid", fmt.Sprintf("%dx%d", rows, n/rows))
			}
			if r.IntN(3) > 0 { // rounds are short, and restore points many
				args = append(args, "--round", "64")
			}
			return apart(asCommand(t, l.Command(t, n, selfPath(t), args...), dir), r.IntN(2)), n
		}, 12, func() {
			sameStores(t, dir, "one.ooc", "d.ooc")
		}}
	})
}

// TestClusterStopped sends SIGTERM to a rank. All stop after a checkpoint, and other ranks go on from there.
func TestClusterStopped(t *testing.T) {
	crashtest.Slow(t)
	t.Parallel() // it waits most of the time
	all := mpitest.Launchers(t)
	r := seeded(t)
	dir := clusterFolder(t, r, 2000)
	for _, l := range crashtest.Some(r, 1, all) {
		out := strings.ReplaceAll(l.Name, " ", "") + ".ooc"
		args := []string{"solve", "g.gr", "--device", "cpu", "--tile", "64", "--out", out, "--cluster", "mpi"}
		goOn := "mpirun -n 3 ooc solve g.gr "
		// MPICH's mpirun gives up if standard input is read slower than it comes.
		input := strings.HasPrefix(l.Name, "Open MPI") && r.IntN(2) == 0
		if input {
			args[1], goOn = "-", "mpirun -n 3 ooc solve --device=cpu --cluster=mpi "
		}
		cmd := asCommand(t, l.Command(t, 3, selfPath(t), args...), dir)
		if input {
			stdin, err := os.Open(filepath.Join(dir, "g.gr"))
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			cmd.Stdin = stdin
		}
		said, write := io.Pipe()
		cmd.Stdout, cmd.Stderr = write, write
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait(); write.Close() }()
		list, rest, ended := ranksOf(t, said, 3)
		if len(list) == 3 {
			time.Sleep(200 * time.Millisecond)
			if err := syscall.Kill(list[r.IntN(3)], syscall.SIGTERM); err != nil {
				t.Error(err)
			}
		}
		err := <-done
		<-ended
		if code := codeOf(t, err); code != class.Interrupted ||
			!strings.Contains(rest.String(), "continue with:\n  "+goOn) {
			t.Fatalf("%s: exit code %d\n%s", l.Name, code, rest)
		}
		if args[1] == "-" {
			args = []string{"solve", out, "--device", "cpu", "--cluster", "mpi"}
		}
		text, err := asCommand(t, l.Command(t, 2, selfPath(t), args...), dir).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", l.Name, err, text)
		}
		sameBytes(t, dir, "one.ooc", out)
	}
}

// TestClusterRefuses starts processes that cannot share a solve. Each time rank 0 says why, and the store is as it was.
func TestClusterRefuses(t *testing.T) {
	crashtest.Slow(t)
	t.Parallel() // it waits most of the time
	all := mpitest.Launchers(t)
	r := seeded(t)
	here, there, self := clusterFolder(t, r, 100), clusterFolder(t, r, 120), selfPath(t)
	for _, args := range [][]string{{"export", "one.ooc", "m.npy"},
		{"solve", "g.gr", "--keep", "factors", "--out", "f.ooc"}} {
		if out, err := command(t, here, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	before, err := os.ReadFile(filepath.Join(here, "one.ooc", "dist.npy"))
	if err != nil {
		t.Fatal(err)
	}
	line := func(dir string, more ...string) []string {
		return append([]string{dir, self, "solve", "g.gr", "--cluster", "mpi", "--device", "cpu", "--restart"}, more...)
	}
	for i, l := range all {
		for _, c := range []struct {
			code  int
			says  string
			lines [][]string
		}{
			{class.Usage, "runs version",
				[][]string{line(here, "--out", "one.ooc"),
					append([]string{here, "env", "OOC_TEST_VERSION=0.1"}, line(here, "--out", "one.ooc")[1:]...)}},
			{class.Input, "another file here",
				[][]string{line(here, "--out", filepath.Join(here, "one.ooc")),
					line(there, "--out", filepath.Join(here, "one.ooc"))}},
			{class.Input, "another folder here",
				[][]string{line(here, "--out", "one.ooc"), line(there, "--out", "one.ooc")}},
			{class.Input, "another folder here",
				[][]string{line(here, "--out", "new.ooc"), line(there, "--out", "new.ooc")}},
			{class.Input, "no such file",
				[][]string{line(here, "--out", filepath.Join(here, "one.ooc")),
					line(t.TempDir(), "--out", filepath.Join(here, "one.ooc"))}},
			{class.Input, "rank 1 on",
				[][]string{line(here, "--out", "one.ooc"), line(there, "--out", "one.ooc"),
					line(here, "--out", "one.ooc")}},
			{class.Usage, "a multiple of --tile 128",
				[][]string{line(here, "--out", "one.ooc", "--tile", "128", "--round", "64"),
					line(here, "--out", "one.ooc")}},
			{class.Failed, "--device auto takes one that works",
				[][]string{line(here, "--out", "one.ooc", "--device", "cuda:63"),
					line(here, "--out", "one.ooc", "--device", "cuda:63")}},
			{class.Usage, "grid of 3×1",
				[][]string{line(here, "--out", "one.ooc", "--grid", "3x1"),
					line(here, "--out", "one.ooc", "--grid", "3x1")}},
		}[:1+8/(1+3*i)] { // all of them over Open MPI, whose eager messages are the shortest
			text, err := asCommand(t, l.Each(t, c.lines...), here).CombinedOutput()
			if code := codeOf(t, err); code != c.code || !strings.Contains(string(text), c.says) {
				t.Errorf("%s: exit code %d, want %d and %q\n%s", l.Name, code, c.code, c.says, text)
			}
		}
	}
	if after, err := os.ReadFile(filepath.Join(here, "one.ooc", "dist.npy")); err != nil ||
		!bytes.Equal(before, after) {
		t.Errorf("%v, or the store was given up", err)
	}
	if names, _ := filepath.Glob(filepath.Join(here, "new.ooc")); len(names) > 0 {
		t.Errorf("%q was made", names)
	}
	if names, _ := filepath.Glob(filepath.Join(here, ".ooc-*")); len(names) > 0 {
		t.Errorf("%q is left", names)
	}
	for _, c := range []struct {
		code  int
		says  string
		ranks int
		args  []string
		not   string // made
	}{
		{class.Usage, "matrix from standard input", 2, []string{"-", "--out", "matrix.ooc", "--no-arc", "inf"},
			"matrix.ooc"},
		{class.Input, "no such file", 2, []string{"g.gr", "--out", "no/such/x.ooc"}, "no"},
		{class.Usage, "grid of 3×7", 1, []string{"g.gr", "--out", "alone.ooc", "--grid", "3x7"}, "alone.ooc"},
		{class.Usage, "one process makes", 2, []string{"f.ooc"}, "none"},
	} {
		cmd := asCommand(t, all[0].Command(t, c.ranks, self,
			append([]string{"solve", "--cluster", "mpi", "--device", "cpu"}, c.args...)...), here)
		if cmd.Stdin, err = os.Open(filepath.Join(here, "m.npy")); err != nil {
			t.Fatal(err)
		}
		text, err := cmd.CombinedOutput()
		if code := codeOf(t, err); code != c.code || !strings.Contains(string(text), c.says) {
			t.Errorf("%q: exit code %d, want %d and %q\n%s", c.args, code, c.code, c.says, text)
		}
		if _, err := os.Stat(filepath.Join(here, c.not)); err == nil {
			t.Errorf("%q: %s was made", c.args, c.not)
		}
	}
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{class.Usage, mpi.ErrAbsent.Error(), nil},
		{class.Usage, "is for one graph", []string{"g.gr"}},
		{class.Usage, "does not go with", []string{"--sources", "part:1/2"}},
		{class.Usage, "runs in one process", []string{"--algorithm", "squaring"}},
	} {
		cmd := command(t, here, append([]string{"solve", "g.gr", "--cluster", "mpi"}, c.args...)...)
		cmd.Env = append(cmd.Env, mpi.Variable+"=/missing/libmpi.so")
		if text, err := cmd.CombinedOutput(); codeOf(t, err) != c.code || !strings.Contains(string(text), c.says) {
			t.Errorf("%q: %v, want exit code %d and %q\n%s", c.args, err, c.code, c.says, text)
		}
	}
}
