package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ooc/engine/mpi/mpitest"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// nodes makes a folder for each of n ranks, as if they were on as many nodes, and returns the command line of each: a
// solve of dir/g.gr into the part store of its own folder "local".
func nodes(t *testing.T, dir string, n int, flags ...string) (lines [][]string, locals []string) {
	t.Helper()
	for range n {
		node := t.TempDir()
		lines = append(lines, append([]string{node, selfPath(t), "solve", filepath.Join(dir, "g.gr"), "--cluster",
			"mpi", "--device", "cpu", "--tile", "64", "--part-dir", "local"}, flags...))
		locals = append(locals, filepath.Join(node, "local", "g.parts"))
	}
	return lines, locals
}

// gather puts links to all part stores into one folder.
func gather(t *testing.T, locals []string) (all string) {
	t.Helper()
	all = t.TempDir()
	for _, local := range locals {
		for _, store := range tiles.PartsIn(local) {
			if err := os.Symlink(store, filepath.Join(all, filepath.Base(store))); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// allAnswers is what commands say of a store.
func allAnswers(t *testing.T, dir, store string) (all []string) {
	t.Helper()
	for _, args := range [][]string{
		{"query", store, "--row", "3"}, {"query", store, "--col", "77"}, {"query", store, "5", "9", "70"},
		{"path", store, "5", "70"},
		{"stats", store, "--json"}, {"export", store, "-"}, {"verify", store, "--full"}, {"scrub", store},
	} {
		cmd := command(t, dir, args...)
		cmd.Stderr = nil
		text, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, text)
		}
		if args[0] == "verify" || args[0] == "scrub" { // which say how long it took
			text = []byte(strings.SplitN(string(text), ";", 2)[0])
		}
		all = append(all, strings.ReplaceAll(string(text), store, "STORE"))
	}
	return all
}

// TestPartDir solves a graph in 1, 2 and 4 processes, each with a disk of its own. The parts, asked together, say
// what one store does, and merged they are that store.
func TestPartDir(t *testing.T) {
	crashtest.Slow(t)
	t.Parallel() // it waits most of the time
	all := mpitest.Launchers(t)
	r := seeded(t)
	for i, n := range []int{1, 2, 4, 3, 4} {
		flags := []string{"--round", "128", "--kind", []string{"i32", "u16", "f32"}[(i+r.IntN(3))%3]}
		if i >= 3 {
			flags = []string{"--round", "128", "--predecessors", "--kind", []string{"i32", "f32", "f64"}[r.IntN(3)]}
		}
		if r.IntN(2) == 0 {
			flags = append(flags, "--undirected")
		}
		if r.IntN(3) == 0 {
			flags = append(flags, "--layout", "square")
		}
		dir := clusterFolder(t, r, 700+r.IntN(200), flags...)
		l := all[(i+r.IntN(len(all)))%len(all)]
		lines, locals := nodes(t, dir, n, flags...)
		if text, err := asCommand(t, l.Each(t, lines...), dir).CombinedOutput(); err != nil {
			t.Fatalf("%s, %d ranks, %q: %v\n%s", l.Name, n, flags, err, text)
		}
		text, err := asCommand(t, l.Each(t, lines...), dir).CombinedOutput()
		if err != nil || !strings.Contains(string(text), "g.parts is already solved") {
			t.Errorf("%s, %d ranks, again: %v\n%s", l.Name, n, err, text)
		}
		parts := gather(t, locals)
		if got, want := allAnswers(t, dir, parts), allAnswers(t, dir, "one.ooc"); !slices.Equal(got, want) {
			for k := range got {
				if got[k] != want[k] {
					t.Errorf("%s, %d ranks, %q: answer %d:\n%.300s\nwant\n%.300s", l.Name, n, flags, k, got[k], want[k])
				}
			}
		}
		if text, err := command(t, dir,
			append([]string{"merge", "new.ooc"}, locals...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		sameBytes(t, dir, "one.ooc", "new.ooc")
		if text, err := command(t, dir, "scrub", "new.ooc").CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		if whole, sum := distSize(t, filepath.Join(dir, "one.ooc")), int64(0); true {
			for _, local := range locals {
				for _, store := range tiles.PartsIn(local) {
					sum += distSize(t, store) - 4096
				}
			}
			if sum != whole-4096 {
				t.Errorf("%d ranks: parts have %d bytes of tiles, the whole %d", n, sum, whole-4096)
			}
		}
	}
}

func distSize(t *testing.T, store string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(store, "dist.npy"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestPartDirKilled kills ranks at random moments. The same ranks go on.
func TestPartDirKilled(t *testing.T) {
	crashtest.Slow(t)
	unlessCampaign(t, "TestCampaignPartDirKills")
	t.Parallel() // it waits most of the time
	killParts(t, 1)
}

// TestCampaignPartDirKills is TestPartDirKilled, many times over.
func TestCampaignPartDirKills(t *testing.T) {
	crashtest.Campaign(t)
	t.Parallel() // it waits most of the time
	killParts(t, int(wantedKills(t, 2, 100)))
}

// killParts kills solves of the same ranks on the same grid.
func killParts(t *testing.T, least int) {
	all := mpitest.Launchers(t)
	r := seeded(t)
	kill(t, r, least, func() killing {
		flags := []string{"--kind", []string{"i32", "u16"}[r.IntN(2)], "--round", "64"}
		if r.IntN(2) == 0 {
			flags = []string{"--kind", []string{"i32", "f32", "f64"}[r.IntN(3)], "--round", "64", "--predecessors"}
		}
		if r.IntN(2) == 0 {
			flags = append(flags, "--undirected")
		}
		dir := clusterFolder(t, r, 1500+r.IntN(400), flags...)
		n, l := 2+r.IntN(3), all[r.IntN(len(all))]
		grid := fmt.Sprintf("%dx1", n)
		if r.IntN(2) == 0 {
			grid = fmt.Sprintf("1x%d", n)
		}
		args := append([]string{"solve", "g.gr", "--cluster", "mpi", "--device", "cpu", "--tile", "64", "--part-dir",
			".", "--grid", grid, "--checkpoint", fmt.Sprintf("%dms", 1+r.IntN(40))}, flags...)
		return killing{dir, func() (*exec.Cmd, int) {
			return asCommand(t, l.Command(t, n, selfPath(t), args...), dir),
				n
		}, crashtest.Times(3, 12), func() {
			wants(t, dir, "merge", "new.ooc", "g.parts")
			if !slices.Contains(flags, "--predecessors") {
				sameBytes(t, dir, "one.ooc", "new.ooc")
			} // else those of distances that are there twice depend on where the rounds went on
			wants(t, dir, "verify", "--full", "new.ooc")
			wants(t, dir, "verify", "g.parts")
		}}
	})
}

// ends runs a command, which ends with an exit code and says something: the cause alone, though mpirun ends the
// processes that are left.
func ends(t *testing.T, code int, says string, run func() ([]byte, error)) {
	t.Helper()
	text, err := run()
	if got := codeOf(t, err); got != code || !strings.Contains(string(text), says) {
		t.Errorf("exit code %d, want %d and %q\n%s", got, code, says, text)
	}
	if code != class.Interrupted && strings.Contains(string(text), "interrupted") {
		t.Errorf("exit code %d, and an interruption is said\n%s", code, text)
	}
}

// TestPartDirNoSpace has no room on one node, and then on a volume of all nodes that has room for each part alone.
// Nothing is made on any.
func TestPartDirNoSpace(t *testing.T) {
	crashtest.Slow(t)
	t.Parallel() // it waits most of the time
	r := seeded(t)
	l := crashtest.Some(r, 1, mpitest.Launchers(t))[0]
	small := mounted(t, "-t", "tmpfs", "-o", "size=800k", "ooc-test")
	dir := clusterFolder(t, r, 500)
	lines, locals := nodes(t, dir, 2)
	wide := []string{"--kind=f64", "--predecessors"}[r.IntN(2)]
	most := append(slices.Clone(lines[1]), "--part-dir", small, wide)
	text, err := asCommand(t, l.Each(t, append(slices.Clone(lines[0]), wide), most), dir).CombinedOutput()
	if code := codeOf(t, err); code != class.NoSpace || !strings.Contains(string(text), "rank 1 on") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	shared := filepath.Join(small, "g.parts")
	solve := func(flags ...string) func() ([]byte, error) {
		flags = append(flags, "--part-dir", small)
		return asCommand(t, l.Each(t, append(slices.Clone(lines[0]), flags...),
			append(slices.Clone(lines[1]), flags...)), dir).CombinedOutput
	}
	const together = "no space on the volume ooc-test: 1." // MiB, and how much is free, and for whom
	ends(t, class.NoSpace, together, solve())
	for _, local := range append(locals, shared) {
		if _, err := os.Stat(local); !os.IsNotExist(err) {
			t.Errorf("%s: %v", local, err)
		}
	}

	// Parts of a smaller graph are there, each of which could be replaced if the other were not.
	path := filepath.Join(dir, "g.gr")
	large := readFile(t, path)
	if text, err := command(t, dir, "gen", "random", "-n", "60", "-m", "200", "--seed", "1",
		"small.gr").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := os.Rename(filepath.Join(dir, "small.gr"), path); err != nil {
		t.Fatal(err)
	}
	ends(t, 0, "solved", solve())
	before := sumsOf(t, []string{shared})
	if err := os.WriteFile(path, large, 0o666); err != nil {
		t.Fatal(err)
	}
	ends(t, class.NoSpace, together, solve("--restart"))
	if after := sumsOf(t, []string{shared}); !slices.Equal(before, after) {
		t.Error("something was changed")
	}
	ends(t, 0, "60", command(t, dir, "query", shared, "--row", "1").CombinedOutput)
}

// TestPartDirRefuses damages, mixes up and takes away parts, and gives them to other grids. Nothing is given up.
func TestPartDirRefuses(t *testing.T) {
	crashtest.Slow(t)
	t.Parallel() // it waits most of the time
	r := seeded(t)
	l := crashtest.Some(r, 1, mpitest.Launchers(t))[0]
	dir := clusterFolder(t, r, 500, "--round", "64")
	lines, locals := nodes(t, dir, 2, "--round", "64")
	solve := func(lines [][]string, flags ...string) func() ([]byte, error) {
		return func() ([]byte, error) {
			var all [][]string
			for _, line := range lines {
				all = append(all, append(slices.Clone(line), flags...))
			}
			return asCommand(t, l.Each(t, all...), dir).CombinedOutput()
		}
	}
	ask := func(args ...string) func() ([]byte, error) {
		return func() ([]byte, error) { return command(t, dir, args...).CombinedOutput() }
	}
	store := func(rank int) string { return filepath.Join(locals[rank], fmt.Sprintf("1x2-%d.ooc", rank)) }

	ends(t, 0, "solved", solve(lines))
	before := sumsOf(t, locals)
	parts := gather(t, locals)
	ends(t, class.Input, "is a grid of 2x1: go on with 2 ranks and --grid 1x2; or put all parts together, ooc merge",
		solve(lines, "--grid", "2x1"))
	ends(t, class.Input, "go on with 2 ranks and --grid 1x2", solve([][]string{lines[0], lines[1], lines[1]}))
	ends(t, class.Input, "go on with 2 ranks and --grid 1x2", solve(lines, "--restart", "--grid", "2x1"))
	ends(t, class.Input, "made with --kind i32, and this asks for --kind f32; solve it into another folder with "+
		"--part-dir, or begin", solve(lines, "--kind", "f32"))
	ends(t, class.Input, "part 1 of grid 1x2: name the folder that holds all parts", ask("query", store(1), "3", "5"))
	ends(t, class.Input, "mpirun -n 2 ooc solve", ask("solve", store(1)))
	ends(t, class.Input, "mpirun -n 2 ooc solve", ask("solve", parts))
	ends(t, class.Input, "part 1 of grid 1x2", ask("solve", store(1), "--restart"))
	ends(t, 0, "parts     1 of grid 1x2", ask("status", store(1)))
	ends(t, 0, "parts     all of grid 1x2", ask("status", parts))
	ends(t, class.Usage, "is for --cluster mpi", ask("solve", "g.gr", "--part-dir", "x"))
	ends(t, class.Usage, "does not go with --part-dir",
		ask("solve", "g.gr", "--cluster", "mpi", "--part-dir", "x", "--out", "x.ooc"))
	ends(t, class.Input, "is none: name all such parts", ask("merge", "new.ooc", parts, "one.ooc"))
	ends(t, class.Input, "name one of them", ask("merge", "new.ooc", parts, store(0)))

	// A part is missing.
	ends(t, class.Input, "without 1x2-1.ooc", ask("merge", "new.ooc", locals[0]))
	ends(t, class.Input, "without 1x2-1.ooc", ask("query", locals[0], "3", "5"))
	away := store(1) + ".away"
	rename(t, store(1), away)
	ends(t, class.Input, "has no 1x2-1.ooc, and other parts of that solve are there", solve(lines))

	rename(t, away, store(1))
	// Two nodes are swapped.
	ends(t, class.Input, "has no 1x2-0.ooc, and other parts of that solve are there (rank ",
		solve([][]string{lines[1], lines[0]}))
	rename(t, store(1), away)

	// A part of another solve.
	others, otherLocals := nodes(t, dir, 2, "--round", "64")
	ends(t, 0, "solved", solve(others))
	foreign := filepath.Join(otherLocals[1], "1x2-1.ooc")
	rename(t, foreign, store(1))
	ends(t, class.Input, "parts of different solves", solve(lines))
	ends(t, class.Input, "of different solves", ask("merge", "new.ooc", locals[0], locals[1]))
	ends(t, class.Input, "of different solves", ask("stats", parts))
	rename(t, store(1), foreign)
	rename(t, away, store(1))
	if after := sumsOf(t, locals); !slices.Equal(before, after) {
		t.Error("something was changed")
	}

	// One part has lost its restore points: the others are ahead of it.
	s, err := tiles.Open(store(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ends(t, class.Failed, "1x2-0.ooc is not solved yet (0.0 % done)", ask("query", parts, "3", "5"))
	ends(t, class.Failed, "1x2-0.ooc is not solved yet (0.0 % done)", ask("merge", "new.ooc", parts))
	ends(t, 0, "solved", solve(lines))
	ends(t, 0, "merged from 2 parts", ask("merge", "new.ooc", parts))
	sameBytes(t, dir, "one.ooc", "new.ooc")

	// The description of a part cannot be read.
	description := filepath.Join(store(1), "store.json")
	whole, err := os.ReadFile(description)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(description, whole[:len(whole)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"query", parts, "3", "5"}, {"verify", parts}, {"status", parts}, {"watch", parts},
		{"merge", "other.ooc", parts}, {"merge", "other.ooc", locals[0], store(1)}, {"stats", parts},
		{"export", parts, "-"},
	} {
		ends(t, class.Corrupt, "1x2-1.ooc/store.json", ask(args...))
	}
	ends(t, class.Corrupt, "rank 1 on", solve(lines))
	notes := filepath.Join(store(1), "notes.txt")
	writeFile(t, store(1), "notes.txt", "theirs")
	before = sumsOf(t, locals)
	ends(t, class.Input, "notes.txt", solve(lines, "--restart"))
	if after := sumsOf(t, locals); !slices.Equal(before, after) {
		t.Error("something was changed")
	}
	if err := os.Remove(notes); err != nil {
		t.Fatal(err)
	}
	ends(t, 0, "solved", solve(lines, "--restart"))
	ends(t, 0, "merged from 2 parts", ask("merge", "anew.ooc", parts))
	sameBytes(t, dir, "one.ooc", "anew.ooc")

	// A part is damaged.
	f, err := os.OpenFile(filepath.Join(store(1), "dist.npy"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{1, 2, 3, 4}, distSize(t, store(1))-4); err != nil {
		t.Fatal(err)
	}
	f.Close()
	ends(t, class.Corrupt, "1x2-1.ooc/dist.npy", ask("verify", parts))
	ends(t, class.Corrupt, "are damaged", ask("scrub", parts))
	ends(t, class.Corrupt, "solve these parts again, with mpirun", ask("merge", "other.ooc", parts))
	if err := os.Truncate(filepath.Join(store(1), "dist.npy"), 5000); err != nil {
		t.Fatal(err)
	}
	ends(t, class.Corrupt, "rank 1 on", solve(lines))
	ends(t, 0, "solved", solve(lines, "--restart"))
	ends(t, 0, "merged from 2 parts", ask("merge", "again.ooc", locals[0], locals[1]))
	sameBytes(t, dir, "one.ooc", "again.ooc")

	// What a kill during --restart leaves: an old part beside one that has not begun, whose description is damaged,
	// or beside an import that died.
	for name, leave := range map[string]func() error{
		"not begun": func() error {
			state := filepath.Join(store(1), "state")
			return errors.Join(os.WriteFile(state, make([]byte, 3*4096), 0o666), os.Truncate(description, 100))
		},
		"died": func() error { return os.Remove(description) },
	} {
		if err := leave(); err != nil {
			t.Fatal(err)
		}
		ends(t, map[string]int{"not begun": class.Corrupt, "died": class.Input}[name], "--restart", solve(lines))
		ends(t, 0, "solved", solve(lines, "--restart"))
		ends(t, 0, "merged from 2 parts", ask("merge", name+".ooc", locals[0], locals[1]))
		sameBytes(t, dir, "one.ooc", name+".ooc")
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// sumsOf are the bytes of the files of part stores that tell whether they were changed.
func sumsOf(t *testing.T, locals []string) (all []string) {
	t.Helper()
	for _, local := range locals {
		err := filepath.WalkDir(local, func(path string, d fs.DirEntry, err error) error {
			if name := filepath.Base(path); err != nil || name != "dist.npy" && name != "state" &&
				name != "store.json" && name != "sums" {
				return err
			}
			data, err := os.ReadFile(path)
			all = append(all, path, string(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
