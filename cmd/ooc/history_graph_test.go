package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// network is the graph of a history. Weights are whole numbers of a unit, so that the model needs no fractions.
type network struct {
	file     string // its extension is the format
	directed bool
	unit     int64 // a weight is written as w/unit
	ids      string
	n        int
	arcs     []netArc // of an undirected graph each edge once; with loops and parallel arcs
}

type netArc struct {
	from, to int
	weight   int64
}

// spellings are the ids of vertices that a network can have. Edge lists take all; other formats have a base.
var spellings = map[string]func(v int) string{
	"zero":  strconv.Itoa,
	"one":   func(v int) string { return strconv.Itoa(v + 1) },
	"gaps":  func(v int) string { return strconv.Itoa(7*v + 3) },
	"names": func(v int) string { return string(rune('a'+v*11%26)) + strconv.Itoa(v) },
}

// dense says that the file is a matrix, of which a store keeps no arcs.
func (g *network) dense() bool { return g.format() == "npy" }

func (g *network) format() string { return strings.TrimPrefix(filepath.Ext(g.file), ".") }

// id is what the input calls a vertex.
func (g *network) id(v int) string { return spellings[g.ids](v) }

// reading are the flags that a command needs to read the file as it is meant.
func (g *network) reading() (flags []string) {
	if !g.directed {
		flags = append(flags, "--undirected")
	}
	if g.format() != "gr" && g.format() != "csv" { // stored zeros are arcs
		flags = append(flags, "--no-arc", "inf")
	}
	return flags
}

// whole says that every weight in the file is an integer, but for loops, which choose no kind.
func (g *network) whole() bool {
	arcs := g.arcs
	if g.format() != "gr" && g.format() != "csv" {
		arcs = g.lightest()
	}
	return !slices.ContainsFunc(arcs, func(a netArc) bool { return a.from != a.to && a.weight%g.unit != 0 })
}

// lightest are the arcs without loops, in the order of their ends: of parallel ones the lightest, of an edge both ways.
func (g *network) lightest() []netArc {
	least := map[[2]int]int64{}
	add := func(from, to int, weight int64) {
		if w, ok := least[[2]int{from, to}]; from != to && (!ok || weight < w) {
			least[[2]int{from, to}] = weight
		}
	}
	for _, a := range g.arcs {
		add(a.from, a.to, a.weight)
		if !g.directed {
			add(a.to, a.from, a.weight)
		}
	}
	var arcs []netArc
	for ends, weight := range least {
		arcs = append(arcs, netArc{ends[0], ends[1], weight})
	}
	slices.SortFunc(arcs, func(a, b netArc) int { return (a.from-b.from)*g.n + a.to - b.to })
	return arcs
}

// decimal writes a number of units as the input has it.
func (g *network) decimal(w int64) string {
	return strconv.FormatFloat(float64(w)/float64(g.unit), 'f', -1, 64)
}

// content is the file.
func (g *network) content() []byte {
	var b bytes.Buffer
	switch g.format() {
	case "gr":
		fmt.Fprintf(&b, "p sp %d %d\n", g.n, len(g.arcs))
		for _, a := range g.arcs {
			fmt.Fprintf(&b, "a %d %d %s\n", a.from+1, a.to+1, g.decimal(a.weight))
		}
	case "csv":
		for v := range g.n { // a loop says that there is a vertex, and texts are in the order in which they appear
			fmt.Fprintf(&b, "%s,%s,1\n", g.id(v), g.id(v))
		}
		for _, a := range g.arcs {
			fmt.Fprintf(&b, "%s,%s,%s\n", g.id(a.from), g.id(a.to), g.decimal(a.weight))
		}
	case "mtx":
		arcs := g.lightest()
		fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", g.n, g.n, len(arcs))
		for _, a := range arcs {
			fmt.Fprintf(&b, "%d %d %s\n", a.from+1, a.to+1, g.decimal(a.weight))
		}
	case "npy":
		matrix := slices.Repeat([]float64{math.Inf(1)}, g.n*g.n)
		for _, a := range g.lightest() {
			matrix[a.from*g.n+a.to] = float64(a.weight) / float64(g.unit)
		}
		b.Write(npyOf("<f8", fmt.Sprintf("(%d, %d)", g.n, g.n), matrix))
	case "npz":
		arcs, starts := g.lightest(), make([]int32, g.n+1)
		columns, weights := make([]int32, len(arcs)), make([]float64, len(arcs))
		for i, a := range arcs {
			starts[a.from+1], columns[i], weights[i] = int32(i+1), int32(a.to), float64(a.weight)/float64(g.unit)
		}
		for v := range g.n { // a row without arcs ends where the row before it does
			starts[v+1] = max(starts[v+1], starts[v])
		}
		z := zip.NewWriter(&b)
		for _, member := range []struct {
			name, descr, shape string
			data               any
		}{
			{"format", "|S3", "()", []byte("csr")}, {"shape", "<i8", "(2,)", []int64{int64(g.n), int64(g.n)}},
			{"indptr", "<i4", fmt.Sprintf("(%d,)", g.n+1), starts},
			{"indices", "<i4", fmt.Sprintf("(%d,)", len(arcs)), columns},
			{"data", "<f8", fmt.Sprintf("(%d,)", len(arcs)), weights},
		} {
			w, err := z.Create(member.name + ".npy")
			if err != nil {
				panic(err) // a buffer takes everything
			}
			_, _ = w.Write(npyOf(member.descr, member.shape, member.data))
		}
		_ = z.Close()
	}
	return b.Bytes()
}

// npyOf is a NumPy file.
func npyOf(descr, shape string, data any) []byte {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	b, err := binary.Append(append(b, head...), binary.LittleEndian, data)
	if err != nil {
		panic(err) // of a type without a size
	}
	return b
}

var npyHeader = regexp.MustCompile(`'descr': '([^']+)', 'fortran_order': False, 'shape': \(([^)]*)\)`)

// npyNumbers reads a NumPy file of numbers; the largest integer of 32 bits is infinite.
func npyNumbers(b []byte) (numbers []float64, shape []int, err error) {
	m := npyHeader.FindSubmatch(b[:min(len(b), 256)])
	if m == nil {
		return nil, nil, fmt.Errorf("no NumPy file: %q", b[:min(len(b), 80)])
	}
	for text := range strings.SplitSeq(string(m[2]), ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
			shape = append(shape, n)
		}
	}
	data, size := b[10+int(b[8])+int(b[9])<<8:], int(m[1][2]-'0')
	for ; len(data) >= size; data = data[size:] {
		var v float64
		switch string(m[1]) {
		case "<i4":
			if v = float64(int32(binary.LittleEndian.Uint32(data))); v == math.MaxInt32 {
				v = math.Inf(1)
			}
		case "<i8":
			v = float64(int64(binary.LittleEndian.Uint64(data)))
		case "<f4":
			v = float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
		case "<f8":
			v = math.Float64frombits(binary.LittleEndian.Uint64(data))
		default:
			return nil, nil, fmt.Errorf("numbers of type %s", m[1])
		}
		numbers = append(numbers, v)
	}
	return numbers, shape, nil
}

// npzNumbers reads the members of an archive that SciPy would read.
func npzNumbers(b []byte) (map[string][]float64, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	members := map[string][]float64{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		if f.Name == "indptr.npy" || f.Name == "indices.npy" || f.Name == "data.npy" {
			if members[strings.TrimSuffix(f.Name, ".npy")], _, err = npyNumbers(content); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return members, nil
}

// newNetwork draws a graph.
func newNetwork(r *rand.Rand) *network {
	g := &network{directed: r.IntN(2) == 0, unit: pick(r, int64(1), 1, 1, 4, 10), ids: "one"}
	g.n = 1 + r.IntN(pick(r, 3, 20, 60, 150, 400, 400))
	format := pick(r, "gr", "gr", "csv", "csv", "csv", "mtx", "npz", "npy")
	switch format {
	case "csv":
		g.ids = pick(r, "zero", "one", "gaps", "names")
	case "npz", "npy":
		g.ids = "zero"
	}
	g.file = "g." + format
	most := pick(r, int64(1), 5, 100, 100, 20000)
	weight := func() int64 {
		if r.IntN(12) == 0 {
			return 0
		}
		return 1 + r.Int64N(most)
	}
	shape := pick(r, "random", "random", "grid", "path", "star", "pieces")
	link := func(u, v int) {
		if u == v && shape != "random" || v >= g.n {
			return
		}
		g.arcs = append(g.arcs, netArc{u, v, weight()})
		if g.directed && shape != "random" && r.IntN(8) > 0 { // most roads go both ways
			g.arcs = append(g.arcs, netArc{v, u, weight()})
		}
	}
	switch side := 1 + int(math.Sqrt(float64(g.n))); shape {
	case "random", "pieces":
		pieces := 1
		if shape == "pieces" {
			pieces = 2 + r.IntN(4)
		}
		for range g.n * (1 + r.IntN(5)) {
			u, v := r.IntN(g.n), r.IntN(g.n)
			link(u, v-(v-u)%pieces) // of the same piece
		}
	case "grid":
		for v := range g.n {
			if v%side+1 < side {
				link(v, v+1)
			}
			link(v, v+side)
		}
	case "path", "star":
		for v := 1; v < g.n; v++ {
			if shape == "star" {
				link(0, v)
			} else {
				link(v-1, v)
			}
		}
	}
	if g.directed && g.unit != 10 && r.IntN(5) == 0 { // a potential makes arcs negative and no cycle
		height := make([]int64, g.n)
		for v := range height {
			height[v] = r.Int64N(1 + most)
		}
		for i, a := range g.arcs {
			g.arcs[i].weight += height[a.from] - height[a.to]
		}
		if r.IntN(4) == 0 && g.n > 1 { // and this makes one
			g.arcs = append(g.arcs, netArc{0, 1, -3}, netArc{1, 0, 2})
		}
	}
	return g
}

// pick draws one of a list.
func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }
