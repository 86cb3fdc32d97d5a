//go:build amd64 || arm64

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ooc/engine"
	"ooc/engine/live"
	"ooc/engine/prove"
	"ooc/kernels/cpu"
	"ooc/tiles"
	"ooc/tiles/class"
)

// scenario is a command that changes the disk, and the folder that it does it in.
type scenario struct {
	name    string
	args    []string
	before  func(t *testing.T, s *scenario, dir string) // makes what the command finds
	stdout  string                                      // the file that standard output is, "" for none
	about   string                                      // what it changes, among other things
	byFile  bool                                        // it maps no matrix, as on a network file system
	queue   bool                                        // it is a batch
	givesUp bool                                        // the command gives up what was solved before
	may     string                                      // a file that need not be there in the end
	varies  []string                                    // files whose content is another each time
	refuses func(dir string, again result) bool         // the same command may rightly refuse, as all is there

	template string               // the folder before
	was      map[string][]float64 // distances of stores that were solved before
	is       map[string][]float64 // those in the end
	names    []string             // files in the end
	files    map[string][]byte    // content of those that are in no store

	mu     sync.Mutex // guards faults
	faults int
}

// prepare makes the folder that the command finds.
func (s *scenario) prepare(t *testing.T, dir string) {
	t.Helper()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "200", "-m", "800", "--seed", "3").want(t, 0)
	if s.before != nil {
		s.before(t, s, dir)
	}
	s.was = map[string][]float64{}
	for _, store := range stores(t, dir) {
		if d, err := answers(filepath.Join(dir, store)); err == nil {
			s.was[store] = d
		} else if !givenUp(filepath.Join(dir, store), err) {
			t.Fatal(err)
		}
	}
}

// learn takes what a run leaves to which nothing happened, and proves it.
func (s *scenario) learn(t *testing.T, dir string) {
	t.Helper()
	var err error
	if s.names, err = listing(dir); err != nil {
		t.Fatal(err)
	}
	s.is, s.files = map[string][]float64{}, map[string][]byte{}
	for _, store := range stores(t, dir) {
		if s.is[store], err = answers(filepath.Join(dir, store)); err == nil {
			err = proved(filepath.Join(dir, store))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range s.names {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && !s.inFolder(name) &&
			!slices.Contains(s.varies, name) {
			s.files[name] = readFile(t, dir, name)
		}
	}
}

// inFolder says that a file is one of a store or of a queue.
func (s *scenario) inFolder(name string) bool {
	return strings.Contains(name, ".ooc/") || strings.Contains(name, ".batch/")
}

// right wants what a run leaves to which nothing happened.
func (s *scenario) right(dir string) error {
	names, err := listing(dir)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { // a kill leaves what was not whole
		return strings.HasPrefix(filepath.Base(name), ".") && strings.HasSuffix(name, ".tmp")
	})
	if s.may != "" && !slices.Contains(names, s.may) {
		names = append(names, s.may)
		slices.Sort(names)
	}
	if !slices.Equal(names, s.names) {
		return fmt.Errorf("left are %q, and should be %q", names, s.names)
	}
	for store, want := range s.is {
		d, err := answers(filepath.Join(dir, store))
		if err != nil {
			return err
		}
		if !slices.Equal(d, want) {
			return fmt.Errorf("%s has other distances", store)
		}
	}
	for name, want := range s.files {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(b, want) {
			return fmt.Errorf("%s is not what it should be: %w", name, err)
		}
	}
	return nil
}

// kept wants of each store that was solved before that it still answers, or that it was given up whole where the
// command does that. It reports whether one answers.
func (s *scenario) kept(dir string) (kept bool, err error) {
	for store, old := range s.was {
		d, err := answers(filepath.Join(dir, store))
		switch {
		case err == nil && !slices.Equal(d, old) && !slices.Equal(d, s.is[store]):
			return kept, fmt.Errorf("%s is lost: it answers wrongly", store)
		case err == nil:
			kept = true
		case !s.givesUp:
			return kept, fmt.Errorf("%s is lost: %w", store, err)
		case !givenUp(filepath.Join(dir, store), err):
			return kept, fmt.Errorf("%s is neither kept nor given up: %w", store, err)
		}
	}
	return kept, nil
}

// givenUp says that a store that cannot be asked, for that reason, is one that is begun anew.
func givenUp(store string, err error) bool {
	left, _ := os.ReadDir(store)
	return len(left) == 0 || errors.Is(err, errUnsolved) || errors.Is(err, engine.ErrUnsolved) ||
		errors.Is(err, tiles.ErrIncomplete)
}

// stores names the stores in a folder, whole or not.
func stores(t *testing.T, dir string) (names []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.ooc"))
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range found {
		names = append(names, filepath.Base(store))
	}
	return names
}

var errUnsolved = errors.New("it is not solved")

// answers reads all distances of a solved store, whose checksums have to match.
func answers(store string) (all []float64, err error) {
	p, err := engine.OpenReadOnly(store)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	st, err := p.Status()
	if err != nil {
		return nil, err
	}
	if st.State != live.Solved {
		return nil, fmt.Errorf("%s: %w: %s", store, errUnsolved, st.State)
	}
	if _, err := prove.Sample(context.Background(), p, 0, 1); err != nil {
		return nil, err
	}
	if p.Meta().Predecessors && !p.Meta().Dense {
		if _, err := prove.All(context.Background(), p, prove.Options{}); err != nil {
			return nil, err
		}
	}
	row := make([]float64, p.Meta().N)
	for u := range p.Meta().N {
		if err := p.Row(row, u); err != nil {
			if len(p.Sources()) > 0 {
				continue // it is none of them
			}
			return nil, err
		}
		all = append(all, row...)
	}
	if len(all) == 0 || math.IsNaN(all[0]) {
		return nil, fmt.Errorf("%s: no distances", store)
	}
	return all, nil
}

// proved proves a store's distances.
func proved(store string) (err error) {
	p, err := engine.OpenReadOnly(store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if p.Meta().Dense {
		_, err = prove.Sample(context.Background(), p, p.Meta().N, 1)
		return err
	}
	_, err = prove.All(context.Background(), p, prove.Options{})
	return err
}

// killedAt has a command end where it is about to do something, and leaves what it has done.
func (s *scenario) killedAt(t *testing.T, dir string, call fileCall, args ...string) {
	t.Helper()
	_, state := s.attempt(t, dir, args, func(c fileCall) fate { return fate{Kill: c == call} })
	if state.Exited() {
		t.Fatalf("ooc %v came to its end without %s", args, call)
	}
}

// solved solves before.
func solved(args ...string) func(*testing.T, *scenario, string) {
	return func(t *testing.T, s *scenario, dir string) {
		t.Helper()
		r, _ := s.attempt(t, dir, args, done)
		r.want(t, 0)
	}
}

// scenarios are all commands that change the disk, in all ways that the disk sees.
func scenarios(t *testing.T) []*scenario {
	t.Helper()
	d, err := cpu.Open(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	scratch := int(d.Info().Scratch)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	const tile = 64 * 64 * 4
	memory := func(tiles int) string { return fmt.Sprintf("%dKiB", (scratch+tiles*tile)/1024) }
	words := func(text string, more ...string) []string { return append(strings.Fields(text), more...) }

	// So small a memory, and so many checkpoints, that tiles and states go to the disk again and again.
	const often = " --device cpu --tile 64 --round 64 --checkpoint 1us --host-memory 64KiB"
	blocked := words("solve g.gr --algorithm blocked"+often, "--device-memory", memory(14))
	squaring := words("solve g.gr --algorithm squaring"+often, "--device-memory", memory(14))
	// So little memory that there is no room to time the device.
	roomy := " --device cpu --tile 64 --checkpoint 1us --device-memory " + memory(120)
	single := words("solve g.gr --algorithm single-stage" + roomy)
	eliminate := words("solve g.gr --algorithm eliminate" + roomy)
	auto := words("solve g.gr" + roomy)
	spill := words("solve dense.gr --algorithm eliminate --device cpu --tile 64 --checkpoint 1us", "--device-memory",
		memory(18))
	with := func(args []string, more string) []string { return slices.Concat(args, strings.Fields(more)) }
	of := func(args []string, input string) []string {
		args = slices.Clone(args)
		args[1] = input
		return args
	}
	dense := func(t *testing.T, s *scenario, dir string) {
		ooc(t, dir, "gen", "random", "dense.gr", "-n", "280", "-m", "6000", "--seed", "4").want(t, 0)
	}
	matrixFile := func(t *testing.T, s *scenario, dir string) {
		writeFile(t, dir, "D.npy", string(matrix(150, func(u, v int) int32 { return int32(1 + (u*31+v*17)%97) })))
	}
	halfway := func(call fileCall, args []string) func(*testing.T, *scenario, string) {
		return func(t *testing.T, s *scenario, dir string) { s.killedAt(t, dir, call, args...) }
	}
	both := func(all ...func(*testing.T, *scenario, string)) func(*testing.T, *scenario, string) {
		return func(t *testing.T, s *scenario, dir string) {
			t.Helper()
			for _, do := range all {
				do(t, s, dir)
			}
		}
	}
	slot := func(store string, nth int) fileCall {
		return fileCall{Name: "pwrite64", Path: store + "/state", Nth: nth}
	}
	inputGone := func(t *testing.T, s *scenario, dir string) {
		if err := os.Remove(filepath.Join(dir, "g.gr")); err != nil {
			t.Fatal(err)
		}
	}
	otherGraph := func(t *testing.T, s *scenario, dir string) {
		ooc(t, dir, "gen", "random", "g.gr", "-n", "180", "-m", "900", "--seed", "8", "--overwrite").want(t, 0)
	}
	textIDs := func(t *testing.T, s *scenario, dir string) {
		var text strings.Builder
		for i := range 150 {
			fmt.Fprintf(&text, "town%d,town%d,%d\ntown%d,town%d,%d\n", i, (i+1)%150, 1+i%9, i, (i*7+3)%150, 2+i%5)
		}
		writeFile(t, dir, "towns.csv", text.String())
	}
	zeros := func(t *testing.T, s *scenario, dir string) {
		var text strings.Builder
		for i := range 150 {
			fmt.Fprintf(&text, "%d %d %d\n%d %d %d\n", i, (i+1)%150, i%2, (i+1)%150, i, i%2)
		}
		writeFile(t, dir, "zeros.txt", text.String())
	}
	three := func(t *testing.T, s *scenario, dir string) {
		for i := range 3 {
			ooc(t, dir, "gen", "random", fmt.Sprintf("b%d.gr", i), "-n", fmt.Sprint(90+20*i), "-m", "500", "--seed",
				fmt.Sprint(i)).want(t, 0)
		}
	}
	batch := words("solve b0.gr b1.gr b2.gr --algorithm blocked --round 64" + roomy)
	// whole says that an output is there as it should be, and that the command says it will not replace it.
	whole := func(name string) func(string, result) bool {
		return func(dir string, again result) bool {
			_, err := os.Stat(filepath.Join(dir, name))
			return err == nil && again.code == class.Failed && strings.Contains(again.stderr, "exist")
		}
	}
	solvedG := solved(eliminate...)
	merge := words("merge m.ooc m1.ooc m2.ooc m3.ooc")
	divided := func(t *testing.T, s *scenario, dir string) {
		for i := 1; i <= 3; i++ {
			ooc(t, dir, "solve", "g.gr", "--device", "cpu", "--sources", fmt.Sprintf("part:%d/3", i), "--out",
				fmt.Sprintf("m%d.ooc", i)).want(t, 0)
		}
	}
	pairs := words("near towns.csv x.mtx --within 90")
	byStore := words("stats D.npy --json --device cpu --checkpoint 1us --store t.ooc")
	gone := func(name string) fileCall { // a step of its removal
		call := fileCall{Name: "unlinkat", Path: strings.TrimSuffix("t.ooc/"+name, "/"), Nth: 1}
		if strings.Contains(name, "→") {
			call.Name = "renameat"
		}
		return call
	}
	list := []*scenario{
		{name: "blocked", args: blocked},
		{name: "blocked, without a mapping", args: blocked, byFile: true},
		{name: "squaring", args: squaring},
		{name: "single-stage", args: single},
		{name: "eliminate", args: eliminate},
		{name: "auto", args: auto},
		{name: "core in a store", args: spill, before: dense, about: "/core/state"},
		{name: "f32", args: with(blocked, "--kind f32")},
		{name: "blocked, predecessors",
			args: words("solve g.gr --algorithm blocked --predecessors"+often, "--device-memory", memory(30))},
		{name: "single-stage, predecessors", args: with(single, "--predecessors")},
		{name: "predecessors, cycles of length 0", args: with(of(single, "zeros.txt"), "--predecessors"),
			before: zeros},
		{name: "the same without a mapping", args: with(of(single, "zeros.txt"), "--predecessors"), before: zeros,
			byFile: true},
		{name: "eliminate, sources", args: with(eliminate, "--sources 3,7,11..90")},
		{name: "text ids", args: of(auto, "towns.csv"), before: textIDs},
		{name: "matrix", args: of(blocked, "D.npy"), before: matrixFile},
		{name: "matrix, predecessors", args: with(of(single, "D.npy"), "--predecessors"), before: matrixFile},

		{name: "goes on, blocked", args: blocked, before: halfway(slot("g.ooc", 3), blocked)},
		{name: "goes on, squaring", args: squaring, before: halfway(slot("g.ooc", 3), squaring)},
		{name: "goes on, matrix", args: of(blocked, "D.npy"),
			before: both(matrixFile, halfway(slot("D.ooc", 3), of(blocked, "D.npy")))},
		{name: "goes on, core in a store", args: spill, before: both(dense, halfway(slot("dense.ooc/core", 3), spill))},
		{name: "goes on, rows of a core in a store", args: spill,
			before: both(dense, halfway(slot("dense.ooc", 2), spill))},
		{name: "takes a dead import over", args: blocked,
			before: halfway(fileCall{Name: "openat", Path: "g.ooc/store.json.tmp", Nth: 1}, blocked)},
		{name: "solved already", args: auto, before: solvedG},

		{name: "graph, restart", args: with(blocked, "--restart"), before: solvedG, givesUp: true},
		{name: "graph, restart by elimination", args: with(eliminate, "--restart"), before: solved(blocked...),
			givesUp: true},
		{name: "graph, restart of a half-done store", args: with(blocked, "--restart"),
			before: halfway(slot("g.ooc", 3), blocked)},
		{name: "graph, restart with a core", args: with(spill, "--restart"),
			before: both(dense, halfway(slot("dense.ooc/core", 3), spill))},
		{name: "graph, restart of a solved store with a core in a store", args: with(spill, "--restart"),
			before: both(dense, solved(spill...)), givesUp: true},
		{name: "graph, restart by rounds with a core", args: with(of(blocked, "dense.gr"), "--restart"),
			before: both(dense, halfway(slot("dense.ooc/core", 3), spill))},
		{name: "other graph, restart", args: with(auto, "--restart"), before: both(solvedG, otherGraph), givesUp: true},
		{name: "matrix, restart", args: with(of(blocked, "D.npy"), "--restart"),
			before: both(matrixFile, solved(of(blocked, "D.npy")...)), givesUp: true},
		{name: "store, restart", args: with(of(blocked, "g.ooc"), "--restart"), before: both(solvedG, inputGone),
			givesUp: true},
		{name: "store, restart with a core", args: with(of(spill, "dense.ooc"), "--restart"),
			before: both(dense, halfway(slot("dense.ooc/core", 3), spill)), givesUp: true},
		{name: "store, restart by rounds with a core", args: with(of(blocked, "dense.ooc"), "--restart"),
			before: both(dense, halfway(slot("dense.ooc/core", 3), spill)), givesUp: true},
		{name: "store, restart with predecessors",
			args: of(words("solve g.ooc --algorithm blocked --restart"+often, "--device-memory", memory(30)),
				"g.ooc"),
			before: solved(with(single, "--predecessors")...), givesUp: true},

		{name: "batch", args: batch, before: three, queue: true},
		{name: "batch goes on", args: batch, before: both(three, halfway(slot("b1.ooc", 1), batch)), queue: true},
		{name: "batch, restart", args: with(batch, "--restart"), before: both(three, solved(batch...)), queue: true,
			givesUp: true},
		{name: "batch of stores that are solved", args: batch,
			before: both(three, solved("solve", "b1.gr"), solved("solve", "b2.gr")), queue: true},

		{name: "solve --timeline", args: with(blocked, "--timeline t.json"), varies: []string{"t.json"},
			about: "t.json", may: "t.json"},
		{name: "solve --json", args: with(auto, "--json"), stdout: "out.txt", varies: []string{"out.txt"}},
		{name: "solve --dry-run", args: with(auto, "--dry-run"), stdout: "out.txt", varies: []string{"out.txt"}},
		{name: "stats of a graph", args: words("stats g.gr --json --checkpoint 1ns"), stdout: "out.txt",
			varies: []string{"out.txt"}, about: "g.stats"},
		{name: "stats of a graph go on", args: words("stats g.gr --json --checkpoint 1ns"), stdout: "out.txt",
			varies: []string{"out.txt"}, about: "g.stats",
			before: halfway(fileCall{Name: "pwrite64", Path: "g.stats", Nth: 14},
				words("stats g.gr --json --checkpoint 1ns"))},
		{name: "betweenness", args: words("stats g.gr --json --checkpoint 1ns --betweenness both"), stdout: "out.txt",
			varies: []string{"out.txt"}, about: "g.stats"},
		{name: "betweenness goes on", args: words("stats g.gr --json --checkpoint 1ns --betweenness both"),
			stdout: "out.txt", varies: []string{"out.txt"}, about: "g.stats",
			before: halfway(fileCall{Name: "pwrite64", Path: "g.stats", Nth: 30},
				words("stats g.gr --json --checkpoint 1ns --betweenness both"))},
		{name: "stats by a store", args: byStore, before: matrixFile, stdout: "out.txt", about: "t.ooc/store.json.tmp"},
		{name: "stats by a store that is solved", args: byStore,
			before: both(matrixFile, halfway(gone("store.json → t.ooc/store.json.tmp"), byStore)),
			stdout: "out.txt", about: "t.ooc/store.json.tmp", givesUp: true},
		{name: "stats by a store that is half removed", args: byStore,
			before: both(matrixFile, halfway(gone("state"), byStore)),
			stdout: "out.txt", about: "t.ooc/lock"},
		{name: "stats by a store of which the folder is left", args: byStore,
			before: both(matrixFile, halfway(gone(""), byStore)),
			stdout: "out.txt", about: "t.ooc/lock"},
		{name: "merge", args: merge, before: divided, about: "m.ooc"},
		{name: "merge goes on", args: merge,
			before: both(divided, halfway(fileCall{Name: "pwrite64", Path: "m.ooc/dist.npy", Nth: 3}, merge)),
			about:  "m.ooc"},
		{name: "near goes on", args: pairs,
			before:  both(textIDs, halfway(fileCall{Name: "pwrite64", Path: "x.mtx.near", Nth: 20}, pairs)),
			refuses: whole("x.mtx"), about: "x.mtx.near"},
		{name: "gen", args: words("gen random x.gr -n 300 -m 900"), refuses: whole("x.gr")},
		{name: "gen --overwrite", args: words("gen random x.gr.gz -n 300 -m 900 --overwrite"),
			before: solved(words("gen ring x.gr.gz -n 50")...)},
	}
	little := func(t *testing.T, s *scenario, dir string) {
		ooc(t, dir, "gen", "random", "l.gr", "-n", "40", "-m", "160", "--seed", "3").want(t, 0)
		solved(of(eliminate, "l.gr")...)(t, s, dir)
	}
	for _, c := range []struct{ args, out string }{
		{"export l.ooc x.csv", "x.csv"}, {"export l.ooc x.npy", "x.npy"}, {"export l.ooc x.mtx.gz", "x.mtx.gz"},
		{"export l.ooc x.npy --predecessors", "x.npy"},
		{"stats l.ooc --plot x.svg", "x.svg"}, {"sssp l.gr --source 1..5 --out x.txt", "x.txt"},
		{"sssp l.gr --source 1..5 --out x.npy", "x.npy"},
		{"near l.gr x.npz --within 300", "x.npz"}, {"near l.gr x.csv.gz --k-nearest 3 --ids i.npy", "x.csv.gz"},
	} {
		list = append(list, &scenario{name: c.args, args: words(c.args), before: little, refuses: whole(c.out)})
		list = append(list, &scenario{name: c.args + " --overwrite", args: words(c.args + " --overwrite"),
			before: both(little, solved(words(c.args)...))})
	}
	for _, args := range []string{
		"export l.ooc - --format csv", "query l.ooc --row 7", "path l.ooc 1 9", "stats l.ooc --csv",
		"stats l.ooc --json", "sssp l.gr --source 1..5", "sssp l.gr --source 1..5 --json",
		"mst l.gr --undirected", "mst l.gr --undirected --json", "status l.ooc", "status l.ooc --json",
		"verify l.ooc --json", "verify l.ooc --full", "scrub l.ooc", "devices",
	} {
		list = append(list, &scenario{name: args + " to a file", args: words(args), before: little, stdout: "out.txt",
			varies: []string{"out.txt"}})
	}
	return list
}
