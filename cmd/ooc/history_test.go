package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ooc/tiles/crashtest"
)

// TestHistories plays histories at random: a graph, then solves with some choices and limits, some of them killed or
// interrupted, questions of all kinds, damage, restarts and merges. Each answer is compared with a model, and what is
// refused has to be what the model expects.
//
// A failing history is made smaller, and printed. OOC_HISTORY=FILE plays it again, and OOC_SEED=N all of a run. With
// OOC_HISTORY_OTHER=PROGRAM another build of the command plays each history too, and has to answer the same.
func TestHistories(t *testing.T) {
	crashtest.Slow(t)
	other := os.Getenv("OOC_HISTORY_OTHER")
	if file := os.Getenv("OOC_HISTORY"); file != "" {
		h, err := parseHistory(string(readFile(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		if _, f := playBoth(t, h, other); f != nil {
			t.Fatalf("%s: %s", f.class, f.text)
		}
		return
	}
	number := crashtest.Repeats(30, crashtest.Times(50, 10000))
	if text := os.Getenv("OOC_HISTORIES"); text != "" {
		var err error
		if number, err = strconv.Atoi(text); err != nil {
			t.Fatalf("OOC_HISTORIES=%q is no number of histories", text)
		}
	}
	playMany(t, seeded(t).Uint64(), number, other)
}

// playMany plays histories side by side, and wants most of their steps to be done, and some of each sort.
func playMany(t *testing.T, first uint64, number int, other string) {
	t.Helper()
	counts, players := map[string]int{}, make(chan *player, number)
	t.Run("seed", func(t *testing.T) { // returns when all of them have ended
		for i := range uint64(number) {
			seed := first + i
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				h := newHistory(seed)
				p, f := playBoth(t, h, other)
				players <- p
				if f == nil {
					return
				}
				least := shrink(h, 300, func(h *history) bool {
					_, again := playBoth(t, h, other)
					return again != nil && again.class == f.class
				})
				if _, again := playBoth(t, least, other); again != nil {
					f = again
				}
				t.Errorf("%s: %s\n\nThe smallest history found; OOC_HISTORY=FILE plays it:\n\n%s", f.class, f.text,
					least)
			})
		}
	})
	close(players)
	for p := range players {
		for name, n := range p.counts {
			counts[name] += n
		}
	}
	t.Logf("%d histories: %v", number, counts)
	if number < 20 {
		return
	}
	for _, name := range []string{"done", "refused", "stopped", "damage"} {
		if counts[name] == 0 {
			t.Errorf("of %d histories no step was %s", number, name)
		}
	}
	if counts["refused"] > counts["done"] {
		t.Errorf("%d steps were refused, and only %d done", counts["refused"], counts["done"])
	}
	if number >= 200 && counts["gone on with"] == 0 {
		t.Errorf("of %d histories no solve went on from the middle of another", number)
	}
	for _, command := range commands {
		if number >= 200 && counts["done "+command] == 0 {
			t.Errorf("of %d histories no %s was done", number, command)
		}
	}
}

// commands are those that histories give.
var commands = strings.Fields("export merge mst near path query scrub solve sssp stats status verify")

// playBoth plays a history, with another build of the command too if there is one.
func playBoth(t testing.TB, h *history, other string) (*player, *failure) {
	t.Helper()
	p := newPlayer(t, h, emptyDir(t), "")
	defer os.RemoveAll(p.dir)
	if other == "" {
		return p, p.playAll(t, h, nil)
	}
	q := newPlayer(t, h, emptyDir(t), other)
	defer os.RemoveAll(q.dir)
	return p, p.playAll(t, h, q)
}

// emptyDir is a folder of a history, which is removed as soon as it is played.
func emptyDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// playAll plays each step, and the same with another player.
func (p *player) playAll(t testing.TB, h *history, q *player) *failure {
	t.Helper()
	for i, s := range h.steps {
		f := p.step(t, s)
		if f == nil && q != nil {
			if f = q.step(t, s); f != nil {
				f.class = "the other: " + f.class
			} else {
				f = p.alike(s, q)
			}
		}
		if f != nil {
			f.text = fmt.Sprintf("step %d, %s\n%s", i+1, s, f.text)
			return f
		}
	}
	return nil
}

// shrink makes a history smaller while it fails: steps are left out, many at once and then one by one, then arcs, then
// the last vertices.
func shrink(h *history, tries int, fails func(*history) bool) *history {
	try := func(smaller *history) bool {
		tries--
		if tries < 0 || !fails(smaller) {
			return false
		}
		h = smaller
		return true
	}
	for before := ""; before != h.String() && tries > 0; {
		before = h.String()
		without(len(h.steps), func(from, to int) bool {
			return try(&history{h.graph, slices.Concat(h.steps[:from], h.steps[to:])})
		})
		without(len(h.graph.arcs), func(from, to int) bool {
			g := *h.graph
			g.arcs = slices.Concat(g.arcs[:from], g.arcs[to:])
			return try(&history{&g, h.steps})
		})
		without(h.graph.n, func(from, to int) bool { // from the end of the numbers only
			g := *h.graph
			g.n -= to - from
			used := slices.ContainsFunc(g.arcs, func(a netArc) bool { return a.from >= g.n || a.to >= g.n })
			return g.n > 0 && !used && try(&history{&g, h.steps})
		})
	}
	return h
}

// without leaves parts out of n things, as long as they can be: halves first, single ones last.
func without(n int, try func(from, to int) bool) {
	for size := max(n/2, 1); n > 0; size /= 2 {
		for from := 0; from+1 <= n; {
			if to := min(from+size, n); try(from, to) {
				n -= to - from
			} else {
				from += size
			}
		}
		if size <= 1 {
			return
		}
	}
}

// TestHistoryShrinks wants what matters of a history to be all that is left of it.
func TestHistoryShrinks(t *testing.T) {
	h := &history{graph: &network{file: "g.csv", unit: 1, ids: "zero", n: 90}}
	for v := range 89 {
		h.graph.arcs = append(h.graph.arcs, netArc{v, v + 1, int64(v)})
	}
	for v := range 40 {
		h.steps = append(h.steps, step{how: "ooc", args: []string{"query", "a.ooc", strconv.Itoa(v), "1"}})
	}
	least := shrink(h, 1000, func(h *history) bool {
		arc := slices.ContainsFunc(h.graph.arcs, func(a netArc) bool { return a == netArc{7, 8, 7} })
		queries := 0
		for _, s := range h.steps {
			if s.args[2] == "3" || s.args[2] == "31" {
				queries++
			}
		}
		return arc && queries == 2
	})
	const want = "graph g.csv undirected 1 zero 9\narc 7 8 7\nooc query a.ooc 3 1\nooc query a.ooc 31 1\n"
	if got := least.String(); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// TestHistoryText wants what is printed to be the same history when it is read.
func TestHistoryText(t *testing.T) {
	kinds := map[string]bool{}
	for seed := range uint64(200) {
		h := newHistory(seed)
		again, err := parseHistory(h.String())
		if err != nil || again.String() != h.String() {
			t.Fatalf("%v\n%s\n%s", err, h, again)
		}
		for _, s := range h.steps {
			kinds[s.how] = true
			if s.how == "ooc" {
				kinds[s.args[0]] = true
			}
		}
	}
	want := slices.Sorted(slices.Values(append([]string{"cut", "flip", "interrupt", "kill", "ooc"}, commands...)))
	if got := slices.Sorted(maps.Keys(kinds)); !slices.Equal(got, want) {
		t.Errorf("histories have %v, want %v", got, want)
	}
	for _, text := range []string{
		"", "arc 1 2 3", "graph g.gr directed 1 nothing 3", "graph g.gr directed 1 one 3\ngraph g.gr directed 1 one 3",
		"graph g.gr directed 1 one 3\nkill x ooc solve g.gr", "graph g.gr directed 1 one 3\nburn 3 g.gr",
	} {
		if _, err := parseHistory(text); err == nil {
			t.Errorf("%q is no history", text)
		}
	}
}

// lied is a history whose answers are changed, of a graph without equal sums.
const lied = `graph g.csv directed 1 zero 5
arc 0 1 3
arc 1 2 17
arc 2 0 41
arc 1 3 101
arc 3 2 211
arc 3 4 401
ooc solve g.csv --json --out a.ooc
ooc query a.ooc 0 3 --json
ooc query a.ooc --json --row 1
ooc query a.ooc --json --col 2 --k-nearest 3
ooc query a.ooc --json --rows 0,3 --cols 1,2
ooc path a.ooc 0 4 --json
ooc export a.ooc d.csv --json --rows 1,3
ooc near g.csv n.csv --json --within 200
ooc near g.csv n.mtx --json --k-nearest 2
ooc sssp g.csv --json --source 0
ooc stats a.ooc --json --k-nearest 1 --within 50 --bins 0,100,500
`

// TestHistoryNoticesLies changes a digit of a right answer, or of a file, at a time, and wants the model to notice. Of
// one graph not all vertices reach all, of the other they do.
func TestHistoryNoticesLies(t *testing.T) {
	for _, text := range []string{lied, strings.Replace(lied, "ooc", "arc 4 0 997\nooc", 1)} {
		h, err := parseHistory(text)
		if err != nil {
			t.Fatal(err)
		}
		p := newPlayer(t, h, t.TempDir(), "")
		for _, s := range h.steps {
			if f := p.step(t, s); f != nil {
				t.Fatalf("%s: %s", f.class, f.text)
			}
			_, check := p.expect(s)
			switch s.args[0] {
			case "query", "path", "sssp", "stats":
				answer, _, _ := strings.Cut(p.outcome.stdout, `{"type":"summary","vertices"`) // sssp's has times
				rest := strings.TrimPrefix(p.outcome.stdout, answer)
				lie(t, s, []byte(answer), check, func(b []byte) { p.outcome.stdout = string(b) + rest })
			case "export", "near":
				name := s.operands()[1]
				lie(t, s, readFile(t, p.dir, name), check, func(b []byte) { writeFile(t, p.dir, name, string(b)) })
			}
		}
	}
}

// lie changes digits one by one, but for those in which sums round.
func lie(t *testing.T, s step, truth []byte, check func() error, put func([]byte)) {
	t.Helper()
	lies, run := 0, 0
	for i, c := range truth {
		if c < '0' || c > '9' {
			run = 0
			continue
		}
		if run++; run > 12 {
			continue
		}
		b := slices.Clone(truth)
		b[i] = '0' + (c-'0'+5)%10
		put(b)
		if lies++; check() == nil {
			t.Errorf("%s: a lie is not noticed: %s", s, b[max(0, i-60):min(len(b), i+20)])
		}
	}
	put(truth)
	if lies == 0 || check() != nil {
		t.Errorf("%s: %d lies, and the truth is %v", s, lies, check())
	}
}

// found are histories that failed once, each made as small as it could be.
var found = map[string]string{
	"a vertex without a row is in no histogram": `graph g.gr directed 1 one 49
ooc solve g.gr --json --out a.ooc --sources 4,29,35,49
ooc stats a.ooc --json --bins 7
ooc stats g.gr --json --bins 0,3,100 --sources 4,29,35,49
`,
	"a Wiener index of all rows counts each pair once": `graph g.csv undirected 10 one 3
arc 0 2 16
arc 1 0 15
ooc solve g.csv --json --out b.ooc --undirected --scale 10 --sources 1,2,3
ooc stats b.ooc --json
`,
}

// TestHistoriesFound plays what has failed once.
func TestHistoriesFound(t *testing.T) {
	for name, text := range found {
		h, err := parseHistory(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, f := playBoth(t, h, ""); f != nil {
			t.Errorf("%s: %s: %s", name, f.class, f.text)
		}
	}
}
