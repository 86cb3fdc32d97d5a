//go:build amd64 || arm64

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ooc/engine/mpi/mpitest"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

func init() { hurtRank = runHurt }

// Files in a rank's folder: which call of those about its part store is not done, and how; and how many came.
const (
	hurtFile = "hurt"
	cameFile = "came"
)

// runHurt runs the command as a child, as a script would that mpirun starts. The file hurt in its folder says which
// call is not done.
func runHurt() int {
	var nth, fail, came int
	if text, err := os.ReadFile(hurtFile); err == nil {
		if _, err := fmt.Sscan(string(text), &nth, &fail); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return class.Usage
		}
	}
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), "OOC_TEST_MAIN=submitted")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return class.Failed
	}
	_ = runWatched(cmd, dir, func(c fileCall) fate {
		if !strings.HasPrefix(c.Path, "local/") {
			return fate{}
		}
		came++
		if came != nth {
			return fate{}
		}
		return fate{Kill: fail == 0, Fail: syscall.Errno(fail)}
	})
	if err := os.WriteFile(cameFile, []byte(fmt.Sprint(came)), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		return code
	}
	return 137
}

// TestCampaignPartDirRestart kills a rank at each call by which --restart changes its part store, or fails that call,
// while the parts of another graph are there. Without --restart, what is left is then refused by name, or ends right;
// with it, it always ends right, and nothing else is left.
func TestCampaignPartDirRestart(t *testing.T) {
	crashtest.Campaign(t)
	t.Parallel() // it waits most of the time
	all := mpitest.Launchers(t)
	if all = slices.DeleteFunc(all, func(l *mpitest.Launcher) bool { return l.Name != "Open MPI" }); len(all) == 0 {
		if os.Getenv("OOC_REQUIRE_MPI") == "1" {
			t.Fatal("there is no Open MPI")
		}
		t.Skip("there is no Open MPI, and MPICH gives a rank open files that a child of it has not; OOC_REQUIRE_MPI=1 " +
			"makes this a failure")
	}
	r, l := seeded(t), all[0]
	old, dir := clusterFolder(t, r, 200, "--round", "64"), clusterFolder(t, r, 180, "--round", "64")
	lines, locals := nodes(t, dir, 2, "--round", "64")
	solve := func(mode string, flags ...string) (string, int) {
		t.Helper()
		var each [][]string
		for _, line := range lines {
			each = append(each, append(slices.Clone(line), flags...))
		}
		cmd := asCommand(t, l.Each(t, each...), dir)
		cmd.Env = append(cmd.Env, "OOC_TEST_MAIN="+mode)
		text, err := cmd.CombinedOutput()
		return string(text), codeOf(t, err)
	}
	graph := filepath.Join(dir, "g.gr")
	of := map[string][]byte{"old": readFile(t, old, "g.gr"), "new": readFile(t, dir, "g.gr")}
	turnTo := func(name string) {
		t.Helper()
		if err := os.WriteFile(graph, of[name], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	turnTo("old")
	if text, code := solve("1"); code != 0 {
		t.Fatal(text)
	}
	turnTo("new")
	var solved []fs.FS
	for _, local := range locals {
		away := t.TempDir()
		must(t, "cp", "-r", local, away)
		solved = append(solved, os.DirFS(filepath.Join(away, filepath.Base(local))))
	}
	begin := func() { // the parts of the old graph are there
		t.Helper()
		for rank, local := range locals {
			if err := errors.Join(os.RemoveAll(local), os.CopyFS(local, solved[rank])); err != nil {
				t.Fatal(err)
			}
		}
	}
	right := func(what string) {
		t.Helper()
		merged := filepath.Join(t.TempDir(), "new.ooc")
		wants(t, dir, append([]string{"merge", merged}, locals...)...)
		if !bytes.Equal(readFile(t, dir, "one.ooc", "dist.npy"), readFile(t, merged, "dist.npy")) {
			t.Errorf("%s: it ended with something else", what)
		}
		for rank, local := range locals {
			left, err := os.ReadDir(local)
			if err != nil || len(left) != 1 || left[0].Name() != fmt.Sprintf("1x2-%d.ooc", rank) {
				t.Errorf("%s: rank %d has %v, %v", what, rank, left, err)
			}
		}
	}
	node := func(rank int) string { return lines[rank][0] }
	hurt := func(rank, nth int, fail syscall.Errno) {
		t.Helper()
		writeFile(t, node(rank), hurtFile, fmt.Sprint(nth, " ", int(fail)))
	}
	begin()
	hurt(0, 0, 0)
	hurt(1, 0, 0)
	switch text, code := solve("hurt", "--restart"); {
	case code == exitNotSubmitted && os.Getenv("OOC_REQUIRE_SYSCALLS") != "1":
		t.Skip(text)
	case code != 0:
		t.Fatalf("exit code %d\n%s", code, text)
	}
	right("nothing happened")
	var steps [2]int
	for rank := range steps {
		if _, err := fmt.Sscan(string(readFile(t, node(rank), cameFile)), &steps[rank]); err != nil ||
			steps[rank] < 20 {
			t.Fatalf("rank %d: %d calls, %v", rank, steps[rank], err)
		}
	}
	type step struct {
		rank, nth int
		fail      syscall.Errno
	}
	var list []step
	for rank := range locals {
		for nth := 1; nth <= steps[rank]; nth++ {
			list = append(list, step{rank, nth, 0}, step{rank, nth, syscall.EIO})
		}
	}
	refused, went := 0, 0
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:min(len(list), crashtest.Times(12, len(list)))]
	for _, s := range list {
		begin()
		hurt(1-s.rank, 0, 0)
		if r.IntN(4) == 0 { // the other one as well, somewhere
			hurt(1-s.rank, 1+r.IntN(steps[1-s.rank]), 0)
		}
		hurt(s.rank, s.nth, s.fail)
		first, code := solve("hurt", "--restart")
		what := fmt.Sprintf("rank %d, call %d of %d, %v: exit code %d", s.rank, s.nth, steps[s.rank], s.fail, code)
		if code == 0 { // of no matter
			right(what)
			continue
		}
		switch text, code := solve("1"); {
		case code == 0:
			went++
			right(what + ", then without --restart")
			continue
		case code == class.Input && strings.Contains(text, "--restart"):
			refused++
		default:
			t.Errorf("%s; without --restart: exit code %d\n%s\nit had said\n%s", what, code, text, first)
		}
		if text, code := solve("1", "--restart"); code != 0 {
			t.Errorf("%s; with --restart: exit code %d\n%s\nit had said\n%s", what, code, text, first)
			continue
		}
		right(what + ", then with --restart")
	}
	t.Logf("%d of %d and %d calls: %d times refused without --restart, %d times gone on with",
		len(list), steps[0], steps[1], refused, went)
}
