package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// history is a graph and what is done with it: a value that prints as text, and is read from it.
type history struct {
	graph *network
	steps []step
}

// step is a command, which may be stopped, or damage of a file.
type step struct {
	how  string   // "ooc", or "kill" or "interrupt" it; "flip" bits of a file or "cut" it
	at   int      // before which operation on a file it is stopped; at which thousandth of the file's length
	args []string // of the command; the file
}

func (s step) String() string {
	switch line := strings.Join(s.args, " "); s.how {
	case "ooc":
		return "ooc " + line
	case "kill", "interrupt":
		return fmt.Sprintf("%s %d ooc %s", s.how, s.at, line)
	default:
		return fmt.Sprintf("%s %d %s", s.how, s.at, line)
	}
}

// String is the history as OOC_HISTORY takes it.
func (h *history) String() string {
	var b strings.Builder
	direction := "undirected"
	if h.graph.directed {
		direction = "directed"
	}
	fmt.Fprintf(&b, "graph %s %s %d %s %d\n", h.graph.file, direction, h.graph.unit, h.graph.ids, h.graph.n)
	for _, a := range h.graph.arcs {
		fmt.Fprintf(&b, "arc %d %d %d\n", a.from, a.to, a.weight)
	}
	for _, s := range h.steps {
		fmt.Fprintln(&b, s)
	}
	return b.String()
}

// parseHistory reads what String writes; # begins a comment.
func parseHistory(text string) (*history, error) {
	h := &history{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if (words[0] == "graph") != (h.graph == nil) {
			return nil, fmt.Errorf("%q: a history begins with its graph", line)
		}
		var err error
		switch words[0] {
		case "graph":
			h.graph = &network{}
			var direction string
			_, err = fmt.Sscan(strings.Join(words[1:], " "), &h.graph.file, &direction, &h.graph.unit, &h.graph.ids,
				&h.graph.n)
			h.graph.directed = direction == "directed"
		case "arc":
			var a netArc
			_, err = fmt.Sscan(strings.Join(words[1:], " "), &a.from, &a.to, &a.weight)
			h.graph.arcs = append(h.graph.arcs, a)
		case "ooc":
			h.steps = append(h.steps, step{how: "ooc", args: words[1:]})
		default:
			s, rest := step{how: words[0]}, words
			if len(words) < 3 || !slices.Contains([]string{"kill", "interrupt", "flip", "cut"}, words[0]) {
				return nil, fmt.Errorf("no line of a history: %q", line)
			}
			s.at, err = strconv.Atoi(words[1])
			if rest = words[2:]; rest[0] == "ooc" {
				rest = rest[1:]
			}
			s.args = rest
			h.steps = append(h.steps, s)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
	}
	if h.graph == nil || spellings[h.graph.ids] == nil {
		return nil, errors.New("there is no graph, or its ids are unknown")
	}
	return h, nil
}

// switches are the flags without a value.
var switches = []string{"--json", "--overwrite", "--restart", "--predecessors", "--undirected", "--directed", "--full"}

// flag is the last value of a flag, or "" where it is not given; of a switch it is "true".
func (s step) flag(name string) (value string) {
	for i, word := range s.args {
		if word == name && slices.Contains(switches, name) {
			value = "true"
		} else if word == name && i+1 < len(s.args) {
			value = s.args[i+1]
		}
	}
	return value
}

// any says that one of these flags is given.
func (s step) any(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return s.flag(name) != "" })
}

// operands are the words that belong to no flag, without the command's name.
func (s step) operands() (list []string) {
	for i := 1; i < len(s.args); i++ {
		if strings.HasPrefix(s.args[i], "--") {
			if !slices.Contains(switches, s.args[i]) {
				i++
			}
			continue
		}
		list = append(list, s.args[i])
	}
	return list
}

// maker draws the steps of a history. It knows which stores it has named, and not what became of them.
type maker struct {
	r      *rand.Rand
	g      *network
	made   map[string][]string // the flags with which a store was last solved
	names  []string
	files  int
	chosen []string // lists of sources, no two of a length
	steps  []step
}

// newHistory draws a history.
func newHistory(seed uint64) *history {
	r := rand.New(rand.NewPCG(seed, 7))
	m := &maker{r: r, g: newNetwork(r), made: map[string][]string{}}
	m.chosen = []string{m.vertices(1), m.vertices(2), m.vertices(3 + r.IntN(3))}
	if r.IntN(5) == 0 {
		m.long()
	}
	for m.solve(); len(m.steps) < 10; {
		switch r.IntN(20) {
		case 0, 1, 2:
			m.solve()
		case 3:
			m.parts()
		case 4:
			m.damage()
		case 5:
			m.ofGraph()
		default:
			m.question()
		}
	}
	return &history{m.g, m.steps}
}

func (m *maker) vertex() string { return m.g.id(m.r.IntN(m.g.n)) }

// vertices is a list of vertices, each once, as flags take it.
func (m *maker) vertices(most int) string {
	order := m.r.Perm(m.g.n)[:min(most, m.g.n)]
	slices.Sort(order)
	var ids []string
	for _, v := range order {
		ids = append(ids, m.g.id(v))
	}
	return strings.Join(ids, ",")
}

// distance is about as long as distances of the graph are.
func (m *maker) distance() string {
	if len(m.g.arcs) == 0 {
		return "3"
	}
	return m.g.decimal(max(0, m.g.arcs[m.r.IntN(len(m.g.arcs))].weight) * int64(1+m.r.IntN(4)))
}

// add appends a command, which is stopped now and then if it may be.
func (m *maker) add(stops bool, args ...string) {
	s := step{how: "ooc", args: args}
	if stops && m.r.IntN(3) == 0 {
		s.how, s.at = pick(m.r, "kill", "kill", "interrupt"), 1+m.r.IntN(pick(m.r, 60, 140))
	}
	m.steps = append(m.steps, s)
}

// kinds are flags that say how a network is read into a store.
func (m *maker) kinds() []string {
	whole := m.g.whole()
	switch r := m.r.IntN(30); {
	case r == 0:
		return []string{"--kind", pick(m.r, "i32", "u16")} // which fractions are not
	case !whole && r < 15:
		return []string{"--scale", fmt.Sprint(m.g.unit)}
	case r < 20:
		return nil
	case whole && r < 25:
		return []string{"--kind", pick(m.r, "i32", "u16", "u16")}
	}
	return []string{"--kind", pick(m.r, "f32", "f64")}
}

// choices are flags of a new store, which a later run has to repeat.
func (m *maker) choices() []string {
	flags := m.kinds()
	r := m.r.IntN(24)
	if r >= 4 && (m.r.IntN(2) == 0 || m.g.n > 128) {
		flags = append(flags, "--tile", pick(m.r, "64", "64", "128"))
	}
	switch {
	case r < 4:
		flags = append(flags, "--keep", "factors")
	case r < 7:
		flags = append(flags, "--predecessors")
	case r < 11:
		flags = append(flags, "--sources", pick(m.r, m.chosen...))
	case r < 12:
		flags = append(flags, "--layout", pick(m.r, "square", "square", "upper"))
	case r < 18:
		flags = append(flags, "--algorithm",
			pick(m.r, "blocked", "blocked", "eliminate", "searches", "squaring", "single-stage"))
	case r == 18: // mostly too much
		flags = append(flags, "--predecessors", "--layout", pick(m.r, "square", "upper"),
			"--algorithm", pick(m.r, "blocked", "single-stage", "eliminate"))
	}
	return flags
}

// limits are flags that may differ from run to run of one store.
func (m *maker) limits() (flags []string) {
	for _, f := range [][]string{
		{"--device", pick(m.r, "cpu", "cpu,cpu")}, {"--host-memory", pick(m.r, "256KiB", "1MiB", "64MiB")},
		{"--device-memory", pick(m.r, "1400KiB", "1500KiB", "1600KiB", "2MiB", "64MiB")},
		{"--round", pick(m.r, "128", "256")}, {"--streams", pick(m.r, "1", "2", "3")},
		{"--checkpoint", pick(m.r, "1ms", "20ms")},
	} {
		if m.r.IntN(4) == 0 {
			flags = append(flags, f...)
		}
	}
	return flags
}

// solve makes a store, or goes on with one: with the flags that it has, or now and then others.
func (m *maker) solve() {
	store := pick(m.r, "a.ooc", "a.ooc", "b.ooc")
	flags, again := m.made[store]
	var begin []string
	switch {
	case !again:
		m.names = append(m.names, store)
		flags = m.choices()
	case m.r.IntN(3) == 0:
		flags = m.choices()
		if m.r.IntN(3) > 0 {
			begin = []string{"--restart"}
		}
	}
	m.made[store] = flags
	m.command(store, flags, begin)
	if m.r.IntN(3) == 0 { // and asks for one thing more, or for another
		more := pick(m.r, []string{"--sources", pick(m.r, m.chosen...)}, []string{"--sources", pick(m.r, m.chosen...)},
			[]string{"--tile", "128"}, []string{"--kind", "f64"}, []string{"--predecessors"},
			[]string{"--keep", "factors"})
		m.command(store, slices.Concat(flags, more), nil)
	}
}

// long solves a larger graph, in rounds for which tiles go back and forth. It is killed twice, mostly with some rounds
// done.
func (m *maker) long() {
	for m.g.n < 256 || !m.g.directed {
		m.g = newNetwork(m.r)
	}
	m.chosen = []string{m.vertices(1), m.vertices(2), m.vertices(3)}
	flags := []string{"--tile", "64", "--algorithm", "blocked"}
	m.names, m.made["a.ooc"] = append(m.names, "a.ooc"), flags
	for range 2 {
		m.add(false, slices.Concat([]string{"solve", m.g.file, "--json", "--out", "a.ooc"}, m.g.reading(), flags,
			[]string{"--device-memory", pick(m.r, "1500KiB", "1600KiB", "1700KiB"), "--checkpoint", "1ms"})...)
		last := &m.steps[len(m.steps)-1]
		last.how, last.at = "kill", 60+m.r.IntN(120)
	}
	m.command("a.ooc", flags, nil)
}

// command solves into a store, and once more if that is stopped.
func (m *maker) command(store string, flags, begin []string) {
	for range 4 {
		solve := []string{"solve", m.g.file, "--json", "--out", store}
		m.add(true, slices.Concat(solve, m.g.reading(), flags, m.limits(), begin)...)
		if m.steps[len(m.steps)-1].how == "ooc" {
			return
		}
		if m.r.IntN(3) == 0 {
			m.add(false, "status", store, "--json")
		}
	}
}

// parts solves a graph in parts, and merges them.
func (m *maker) parts() {
	kinds := append(m.kinds(), "--tile", "64")
	k := pick(m.r, 1, 2, 2, 3)
	merge := []string{"merge", fmt.Sprintf("m%d.ooc", len(m.steps))}
	if 64*(k-1) >= m.g.n || m.g.dense() {
		k = 1
	}
	for i := 1; i <= k; i++ {
		part := fmt.Sprintf("p%d-%d.ooc", len(m.steps), i)
		m.command(part, append(slices.Clone(kinds), "--sources", fmt.Sprintf("part:%d/%d", i, k)), nil)
		merge = append(merge, part)
	}
	m.add(true, append(merge, "--json")...)
	m.add(false, append(merge, "--json")...)
	m.names = append(m.names, merge[1])
}

// damage changes a file of a store, which scrub and others then look at, and which --restart mends.
func (m *maker) damage() {
	store := pick(m.r, m.names...)
	file := pick(m.r, "dist.npy", "dist.npy", "dist.npy", "factors", "sums", "state", "graph.csr", "ids", "store.json")
	m.steps = append(m.steps, step{pick(m.r, "flip", "flip", "cut"), m.r.IntN(1000), []string{store + "/" + file}})
	m.add(false, "export", store, fmt.Sprintf("out%d.npy", m.files), "--json") // which reads all
	m.files++
	for range 1 + m.r.IntN(3) {
		m.questionTo(store)
	}
	if flags, ok := m.made[store]; ok {
		if m.r.IntN(3) == 0 {
			m.command(store, flags, nil)
		}
		m.command(store, flags, []string{"--restart"})
	}
}

// ofGraph asks a graph without a store.
func (m *maker) ofGraph() {
	graph := append([]string{m.g.file}, m.g.reading()...)
	file := fmt.Sprintf("out%d", m.files)
	m.files++
	var command []string
	switch m.r.IntN(5) {
	case 0:
		command = slices.Concat([]string{"sssp"}, graph, []string{"--json", "--source", m.vertices(3)})
	case 1:
		command = slices.Concat([]string{"mst"}, graph, []string{"--json"})
	case 2:
		command = slices.Concat([]string{"stats"}, graph, []string{"--json"}, m.kinds(), m.statistics())
		if m.r.IntN(4) == 0 {
			command = append(command, "--sources", pick(m.r, m.chosen...))
		}
	default:
		output := []string{file + pick(m.r, ".csv", ".mtx", ".npz"), "--json", "--overwrite"}
		command = slices.Concat([]string{"near"}, graph, output, m.kinds(), m.nearness())
	}
	if command[0] == "near" || command[0] == "stats" {
		m.add(true, command...)
	}
	m.add(false, command...)
}

// nearness is one or both of two flags.
func (m *maker) nearness() []string {
	within := []string{"--within", pick(m.r, m.distance(), m.distance(), "inf")}
	nearest := []string{"--k-nearest", fmt.Sprint(1 + m.r.IntN(5))}
	return pick(m.r, within, nearest, slices.Concat(within, nearest))
}

// statistics are flags of stats.
func (m *maker) statistics() (flags []string) {
	if m.r.IntN(2) == 0 {
		flags = append(flags, "--within", m.distance())
	}
	if m.r.IntN(2) == 0 {
		flags = append(flags, "--k-nearest", fmt.Sprint(1+m.r.IntN(3)))
	}
	if m.r.IntN(2) == 0 {
		flags = append(flags, "--bins", pick(m.r, "7", "0,3,100,5000"))
	}
	return flags
}

func (m *maker) question() { m.questionTo(pick(m.r, m.names...)) }

// questionTo asks a store.
func (m *maker) questionTo(store string) {
	subset := func(args ...string) []string {
		for _, flag := range []string{"--rows", "--cols"} {
			if m.r.IntN(3) == 0 {
				args = append(args, flag, m.vertices(5))
			}
		}
		return args
	}
	file := fmt.Sprintf("out%d", m.files)
	switch m.r.IntN(14) {
	case 0:
		m.add(false, "status", store, "--json")
	case 1:
		m.add(false, append([]string{"stats", store, "--json"}, m.statistics()...)...)
	case 2:
		m.add(false, "query", store, m.vertex(), m.vertex(), "--json")
	case 3, 4:
		line := []string{"query", store, "--json", pick(m.r, "--row", "--col"), m.vertex()}
		m.add(false, append(line, pick(m.r, []string(nil), m.nearness())...)...)
	case 5:
		m.add(false, "query", store, "--json", "--rows", m.vertices(4), "--cols", m.vertices(4))
	case 6, 7:
		m.add(false, "path", store, m.vertex(), m.vertex(), "--json")
	case 8, 9, 10:
		m.files++
		m.add(true, append(subset("export", store, file+pick(m.r, ".npy", ".csv", ".mtx")), "--json", "--overwrite")...)
	case 11:
		m.files++
		m.add(false, "export", store, file+".npy", "--predecessors", "--json", "--overwrite")
	case 12:
		how := pick(m.r, []string{"--full"}, []string{"--rows", "8", "--seed", "3"})
		m.add(false, append([]string{"verify", store, "--json"}, how...)...)
	case 13:
		m.add(false, "scrub", store, "--json")
	}
}
