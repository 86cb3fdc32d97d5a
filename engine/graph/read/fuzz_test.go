package read

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/graph/internal/input"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// fuzzRead reads text twice. Whatever it holds, the two agree, and what comes out is a sound graph or an error of a
// known kind.
func fuzzRead(t *testing.T, text []byte, o Options) {
	if len(text) > 1<<16 {
		return
	}
	defer func(old int64) { believed = old }(believed)
	believed = 1 << 10
	g, err := From(bytes.NewReader(text), "fuzz", o)
	again, errAgain := From(iotest.HalfReader(bytes.NewReader(text)), "fuzz", o)
	if fmt.Sprint(err) != fmt.Sprint(errAgain) {
		t.Fatalf("at once: %v; piece by piece: %v", err, errAgain)
	}
	if err != nil {
		if graphtest.Kinds(err) != 1 {
			t.Fatalf("an error of no kind: %v", err)
		}
		return
	}
	graphtest.SameGraph(t, g, again)
	graphtest.FuzzGraph(t, g)
}

func FuzzDIMACS(f *testing.F) {
	crashtest.Slow(f)
	r := seeds.New(f)
	for _, c := range append(fuzzSeeds(listInputs, badLists), "p sp 3 3\na 1 2 -5\na 2 3 1e0\na 3 1 4.0\n",
		"p sp 9 6\n"+strings.Repeat("a 1 2 12345678\na 9 8 7\n", 3), "p sp 40 1\na 40 1 0\n") {
		for _, mode := range crashtest.Some(r, 2, modes) {
			f.Add([]byte(c), mode)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, mode uint8) {
		fuzzRead(t, text, fuzzOptions("dimacs", mode))
	})
}

func FuzzEdgeList(f *testing.F) {
	crashtest.Slow(f)
	r := seeds.New(f)
	for _, c := range fuzzSeeds(listInputs, badLists) {
		for _, mode := range crashtest.Some(r, 2, modes) {
			f.Add([]byte(c), mode, "")
		}
		f.Add([]byte(c), uint8(0), "id,from,to,weight")
		f.Add([]byte(c), uint8(0), "from=2,to=a,weight=3")
	}
	f.Fuzz(func(t *testing.T, text []byte, mode uint8, columns string) {
		o := fuzzOptions("edgelist", mode)
		o.Columns = columns
		fuzzRead(t, text, o)
	})
}

func FuzzMatrixMarket(f *testing.F) {
	r := seeds.New(f)
	for _, c := range append(fuzzSeeds(mtxInputs, badMTX), banner+
		"coordinate integer general\n9 9 6\n"+strings.Repeat("1 2 12345678\n9 8 7\n", 3)) {
		for _, mode := range crashtest.Some(r, 2, modes) {
			f.Add([]byte(c), mode, "")
		}
		f.Add([]byte(c), uint8(0), "0")
	}
	f.Fuzz(func(t *testing.T, text []byte, mode uint8, noArc string) {
		o := fuzzOptions("mtx", mode)
		o.NoArc = noArc
		fuzzRead(t, text, o)
	})
}

func FuzzMETIS(f *testing.F) {
	r := seeds.New(f)
	for _, c := range fuzzSeeds(metisInputs, badMETIS) {
		for _, mode := range crashtest.Some(r, 2, modes) {
			f.Add([]byte(c), mode)
		}
		f.Add([]byte(c), uint8(32))
	}
	f.Fuzz(func(t *testing.T, text []byte, mode uint8) {
		fuzzRead(t, text, fuzzOptions("metis", mode))
	})
}

// FuzzTables reads tables as road networks of TNTP, as matrices and as lists.
func FuzzTables(f *testing.F) {
	for _, c := range fuzzSeeds(tableInputs, badTables) {
		f.Add([]byte(c[:min(len(c), 1<<12)]), uint8(0), uint8(0))
		f.Add([]byte(c[:min(len(c), 1<<12)]), uint8(1), uint8(4))
	}
	f.Fuzz(func(t *testing.T, text []byte, format, mode uint8) {
		fuzzRead(t, text, fuzzOptions([]string{"tntp", "matrix", "edgelist"}[format%3], mode))
	})
}

// FuzzNetworkX continues an edge list with data in braces.
func FuzzNetworkX(f *testing.F) {
	for _, line := range []string{"1 2 {'weight': 4}", "b c {'a': \"it's\", 'weight': np.float64(0.5)}",
		"0,1,{'x': [1, {2: 3}], 'weight': inf}", "1 2 {}", "{ } {'weight': '\\'}"} {
		f.Add("0 1 {'weight': 3}", []byte(line), "")
		f.Add(line, []byte(line), "from=1,to=2,weight=x")
		f.Add(line, []byte(line), "to,from")
	}
	f.Fuzz(func(t *testing.T, first string, text []byte, columns string) {
		fuzzRead(t, append([]byte(first+"\n"), text...), Options{Format: "edgelist", Columns: columns})
	})
}

// FuzzCounts puts one or two numbers before a list: whatever they are taken for, no line is lost without a word.
func FuzzCounts(f *testing.F) {
	f.Add(int64(3), int64(6), []byte{0, 1, 1, 2, 2, 0, 1, 0, 2, 1, 0, 2}, uint8(1))
	f.Add(int64(3), int64(2), []byte{0, 1, 1, 2}, uint8(2))
	f.Add(int64(5), int64(-1), []byte{1, 2, 5, 3}, uint8(0))
	f.Fuzz(func(t *testing.T, n, m int64, ends []byte, mode uint8) {
		var text strings.Builder
		fmt.Fprint(&text, n)
		if mode&1 != 0 {
			fmt.Fprint(&text, " ", m)
		}
		for i := 0; i+1 < len(ends); i += 2 {
			fmt.Fprint(&text, "\n", ends[i], " ", ends[i+1])
			if mode&2 != 0 {
				fmt.Fprint(&text, " 5")
			}
		}
		defer func(old int64) { believed = old }(believed)
		believed = 1 << 10
		fuzzRead(t, []byte(text.String()), fuzzOptions("edgelist", mode&20))
		in := &reading{Input: input.New(strings.NewReader(text.String()), "fuzz"),
			options: fuzzOptions("edgelist", mode&20)}
		g, _, err := in.open()
		if err != nil {
			return
		}
		edges := g.Arcs() + g.Parallel
		said := strings.Contains(strings.Join(in.remarks, "\n"), "is read as the number")
		if lines := int64(len(ends) / 2); g.Directed && edges+g.SelfLoops != lines+int64(btoi(!said)) {
			t.Fatalf("%d arcs and %d self-loops of %d lines: %q", edges, g.SelfLoops, lines, in.remarks)
		}
	})
}

// FuzzDetect leaves format and compression to be found.
func FuzzDetect(f *testing.F) {
	for _, c := range append(append(fuzzSeeds(goodInputs, badInputs), slices.Collect(maps.Values(goodNPZ))...),
		"\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd\x04\x00") {
		f.Add([]byte(c))
	}
	f.Fuzz(func(t *testing.T, text []byte) { fuzzRead(t, text, Options{}) })
}

// fuzzSeeds returns the texts of tables.
func fuzzSeeds(good []goodInput, bad []badInput) []string {
	var texts []string
	for _, c := range good {
		texts = append(texts, c.text)
	}
	for _, c := range bad {
		texts = append(texts, c.text)
	}
	return texts
}

// modes of fuzzOptions that a seed is tried in: each kind, in either direction.
var modes = []uint8{0, 1, 2, 3, 4, 5, 6, 7}

func fuzzOptions(format string, mode uint8) Options {
	o := Options{Format: format,
		Kind: []entry.Kind{graph.KindAuto, entry.KindI32, entry.KindF32, entry.KindU16}[mode&3]}
	if mode&4 != 0 {
		o.Directed = new(false)
	}
	if mode&8 != 0 {
		o.Scale = 1000
	}
	if mode&16 != 0 {
		o.Base = new(0)
	}
	if mode&32 != 0 {
		o.Directed = new(true)
	}
	if mode&64 != 0 {
		o.Kind = entry.KindF64
	}
	return o
}
