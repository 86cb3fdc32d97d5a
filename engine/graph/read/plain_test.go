package read

import (
	"fmt"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/graph/read/internal/lines"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

// TestPlainLines reads lists whose lines are read ahead, in chunks that end anywhere, and the same with a sign before
// each weight, which nobody reads ahead. Between them stand comments, arcs of other kinds, and sometimes an error.
func TestPlainLines(t *testing.T) {
	defer func(old int) { lines.ChunkSize = old }(lines.ChunkSize)
	r := seeds.New(t)
	for range 200 {
		const n = 50
		kind := r.IntN(3)
		name, arc := []string{"x.gr", "x.mtx", "x.csv"}[kind], []string{"a %d %d %s\n", "%d\t%d %s\r\n", "%d,%d, %s\n"}[kind]
		comment := []string{"c \n", "% 1 2 3\n", "# 1\n"}[kind]
		var plain, signed strings.Builder
		m := r.IntN(2000)
		header := []string{fmt.Sprintf("p sp %d %d\n", n, m), fmt.Sprintf("%scoordinate real general\n%d %[2]d %d\n",
			banner, n, m), "1,2,3\n"}[kind]
		both := func(text string) { plain.WriteString(text); signed.WriteString(text) }
		both(header)
		for i := range m {
			u, v, w := 1+r.IntN(n), 1+r.IntN(n), fmt.Sprint(r.IntN(1<<r.IntN(31)))
			switch r.IntN(3000) {
			case 0:
				both(fmt.Sprintf(arc, u, -v, "x"))
			case 1:
				u += n
			case 2:
				both(fmt.Sprintf(arc, u, v, w)) // one too many, but for the list
			}
			switch r.IntN(100) {
			case 0:
				both(strings.Repeat(comment, r.IntN(100)))
			case 1:
				w = "-" + w
			case 2:
				w = strings.Repeat("0", r.IntN(20)) + w
			}
			if i > m/2 && m%3 == 0 && r.IntN(50) == 0 {
				w = w + ".5"
			}
			fmt.Fprintf(&plain, arc, u, v, w)
			if w[0] != '-' {
				w = "+" + w
			}
			fmt.Fprintf(&signed, arc, u, v, w)
		}
		o := Options{Kind: []entry.Kind{graph.KindAuto, entry.KindF64, entry.KindU16}[r.IntN(3)]}
		lines.ChunkSize = 1 << 19
		want, wantErr := From(strings.NewReader(signed.String()), name, o)
		lines.ChunkSize = []int{1, 1, 100}[kind] + r.IntN(1<<r.IntN(14)) // a list is looked at before it is read
		got, err := From(strings.NewReader(plain.String()), name, o)
		if fmt.Sprint(err) != strings.ReplaceAll(fmt.Sprint(wantErr), "+", "") {
			t.Fatalf("chunks of %d bytes: %v, not %v", lines.ChunkSize, err, wantErr)
		}
		if err == nil {
			graphtest.SameGraph(t, got, want)
		}
	}
}
