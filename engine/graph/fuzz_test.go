package graph

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// fuzzRead reads text at once and line by line. Whatever it holds, the two agree, and what comes out is a
// sound graph or an error of a known kind.
func fuzzRead(t *testing.T, text []byte, o Options) {
	if len(text) > 1<<16 {
		return
	}
	defer func(old int64) { freeVertices = old }(freeVertices)
	freeVertices = 1 << 10
	g, err := Read(bytes.NewReader(text), "fuzz", o)
	lines, errLines := readCarefully("fuzz", string(text), o)
	if fmt.Sprint(err) != fmt.Sprint(errLines) {
		t.Fatalf("at once: %v; line by line: %v", err, errLines)
	}
	if err != nil {
		if kinds(err) != 1 {
			t.Fatalf("an error of no kind: %v", err)
		}
		return
	}
	sameGraph(t, g, lines)
	fuzzGraph(t, g)
}

func kinds(err error) int {
	n := 0
	for _, sentinel := range []error{ErrBadInput, ErrNegativeCycle, ErrOptions} {
		if errors.Is(err, sentinel) {
			n++
		}
	}
	return n
}

// fuzzGraph checks what holds of every graph, and of small ones that their distances are right.
func fuzzGraph(t *testing.T, g *Graph) {
	low, high, negative := g.MinWeight, g.MaxWeight, g.Negative
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	if low != g.MinWeight || high != g.MaxWeight || negative != g.Negative {
		t.Fatalf("weights %v…%v, negative %v; not %v…%v, %v", low, high, negative, g.MinWeight, g.MaxWeight, g.Negative)
	}
	for _, row := range []int{0, g.N / 2, g.N - 1} {
		if back, ok := g.Row(g.Name(row)); !ok || back != row {
			t.Fatalf("row %d is called %q, which is row %d, %v", row, g.Name(row), back, ok)
		}
	}
	if g.N > 40 {
		return
	}
	err := g.Check()
	m := floydWarshall(entries(g))
	cycle := false
	for v := range m {
		cycle = cycle || m[v][v] < 0
	}
	if g.Kind == KindI32 && cycle != errors.Is(err, ErrNegativeCycle) { // in f32 rounding may differ
		t.Fatalf("negative cycle %v, but Check says %v", cycle, err)
	}
	checkTiles(t, g, 16)
	if err != nil || g.Kind != KindI32 {
		return
	}
	for src, row := range m {
		for v, d := range NewSearch(g).From(src) {
			if d != row[v] {
				t.Fatalf("distance %d→%d is %v, not %v", src, v, d, row[v])
			}
		}
	}
}

func FuzzDIMACS(f *testing.F) {
	for _, c := range append(fuzzSeeds(listInputs, badLists), "p sp 3 3\na 1 2 -5\na 2 3 1e0\na 3 1 4.0\n", "p sp 9 6\n"+strings.Repeat("a 1 2 12345678\na 9 8 7\n", 3), "p sp 40 1\na 40 1 0\n") {
		for mode := range uint8(8) {
			f.Add([]byte(c), mode)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, mode uint8) {
		fuzzRead(t, text, fuzzOptions("dimacs", mode))
	})
}

func FuzzEdgeList(f *testing.F) {
	for _, c := range fuzzSeeds(listInputs, badLists) {
		for mode := range uint8(8) {
			f.Add([]byte(c), mode, "")
		}
		f.Add([]byte(c), uint8(0), "id,from,to,weight")
	}
	f.Fuzz(func(t *testing.T, text []byte, mode uint8, columns string) {
		o := fuzzOptions("edgelist", mode)
		o.Columns = columns
		fuzzRead(t, text, o)
	})
}

func FuzzMatrixMarket(f *testing.F) {
	for _, c := range append(fuzzSeeds(mtxInputs, badMTX), banner+"coordinate integer general\n9 9 6\n"+strings.Repeat("1 2 12345678\n9 8 7\n", 3)) {
		for mode := range uint8(8) {
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
	for _, c := range fuzzSeeds(metisInputs, badMETIS) {
		for mode := range uint8(8) {
			f.Add([]byte(c), mode)
		}
		f.Add([]byte(c), uint8(32))
	}
	f.Fuzz(func(t *testing.T, text []byte, mode uint8) {
		fuzzRead(t, text, fuzzOptions("metis", mode))
	})
}

// FuzzDetect leaves format and compression to be found.
func FuzzDetect(f *testing.F) {
	for _, c := range append(fuzzSeeds(goodInputs, badInputs), "\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd\x04\x00") {
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

func fuzzOptions(format string, mode uint8) Options {
	o := Options{Format: format, Kind: []Kind{KindAuto, KindI32, KindF32, KindAuto}[mode&3]}
	if mode&4 != 0 {
		o.Directed = ptr(false)
	}
	if mode&8 != 0 {
		o.Scale = 1000
	}
	if mode&16 != 0 {
		o.Base = ptr(0)
	}
	if mode&32 != 0 {
		o.Directed = ptr(true)
	}
	return o
}

// FuzzBuild takes arcs of four bytes each: from, to and a weight.
func FuzzBuild(f *testing.F) {
	f.Add(uint8(3), uint8(0), []byte{0, 1, 5, 0, 1, 2, 6, 0, 2, 0, 250, 255})
	f.Add(uint8(5), uint8(4), []byte{0, 1, 5, 0, 1, 0, 6, 1})
	f.Add(uint8(2), uint8(2), []byte{0, 1, 0, 128, 1, 0, 255, 127})
	f.Fuzz(func(t *testing.T, n, mode uint8, arcs []byte) {
		if len(arcs) > 4000 {
			return
		}
		options := []BuildOption{AsKind(fuzzOptions("", mode).Kind)}
		if mode&4 != 0 {
			options = append(options, Undirected)
		}
		b := New(int(n), options...)
		least := map[[2]uint8]float64{}
		for ; len(arcs) >= 4; arcs = arcs[4:] {
			w := float64(int16(uint16(arcs[2]) | uint16(arcs[3])<<8))
			if mode&8 != 0 {
				w /= 16
			}
			b.Add(int(arcs[0]), int(arcs[1]), w)
			for i, key := range [][2]uint8{{arcs[0], arcs[1]}, {arcs[1], arcs[0]}} {
				if old, ok := least[key]; (i == 0 || mode&4 != 0) && (!ok || w < old) {
					least[key] = w
				}
			}
		}
		g, err := b.Build()
		if err != nil {
			if kinds(err) != 1 {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		fuzzGraph(t, g)
		for u, row := range entries(g) {
			for v, w := range row {
				want, ok := least[[2]uint8{uint8(u), uint8(v)}]
				if !ok {
					want = math.Inf(1)
				}
				if u != v && w != want {
					t.Fatalf("arc %d→%d has weight %v, not %v", u, v, w, want)
				}
			}
		}
	})
}
