package read

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// TestRoundingIsSaid says which weights float32 rounds, and what keeps them exact if that is sure.
func TestRoundingIsSaid(t *testing.T) {
	directed := Options{Directed: new(true)}
	f32, scaled := Options{Directed: new(true), Kind: entry.KindF32},
		Options{Directed: new(true), Kind: entry.KindF32, Scale: 10}
	for _, c := range []struct {
		name, text string
		o          Options
		want       string // "": nothing is said
	}{
		{"x.csv", "a,b,0.5\nb,c,0.25\n", directed, ""},
		{"x.csv", "a,b,5\nb,c,16777217\n", directed, ""},
		{"x.csv", "a,b,0.5\nb,c,0.1\nc,d,0.002025\n", directed, "0.1 in line 2; --scale 1000000 is exact"},
		{"x.csv", "# c\na,b,16777217\nb,c,0.5\n", directed, "16777217 in line 2; --scale 10 is exact"},
		{"x.csv", "a,b,0.5\nb,c,16777217.0\n", directed, "16777217.0 in line 2; --scale 10 is exact"},
		{"x.csv", "a,b,0.5\nb,c,\"0.30\"\n", directed, "0.30 in line 2; --scale 10 is exact"},
		{"x.csv", "a,b,1\nb,c,16777217\n", f32, "16777217 in line 2; --kind i32 is exact"},
		{"x.csv", "a,b,1\nb,c,0.1\n", f32, "0.1 in line 2; --kind i32 --scale 10 is exact"},
		{"x.csv", "a,b,1\nb,c,1677721.7\n", scaled, "1677721.7 in line 2; --kind i32 is exact"},
		{"x.csv", "a,b,0.1234567891234\n", directed, "0.1234567891234 in line 1; --kind f64 has more digits"},
		{"x.csv", "a,b,0.1234567891234\n", Options{Directed: new(true), Kind: entry.KindF64}, ""},
		{"x.csv", "a,b,0.5\nb,c,1e-400\n", directed, "1e-400 in line 2; --kind f64 has more digits"},
		{"x.csv", "a,b,0.5\nb,c,0e-400\n", directed, ""},
		{"x.csv", "a,b,0." + strings.Repeat("1", 50) + "\n", directed, "0." + strings.Repeat("1", 38) +
			"… in line 1; --kind f64 has more digits"},
		{"x.csv", "a,b,5000.1\nb,c,0.000001\n", directed,
			"5000.1 in line 1; distances are too large to be exact in i32, and --kind f64 has more digits"},
		{"x.csv", "a,b,800.1\nb,c,800.000001\n", directed,
			"800.1 in line 1; distances are too large to be exact in i32, and --kind f64 has more digits"},
		{"x.csv", "a,b,500.1\nb,c,500.000001\n", directed, "500.1 in line 1; --scale 1000000 is exact"},
		{"x.mtx", banner + "coordinate real general\n2 2 1\n1 2 0.1\n", directed, "0.1 in line 3; --scale 10 is exact"},
		{"x.mtx", banner + "array real general\n2 2\n0\n0.5\n0.7\n0\n", directed, "0.7 in line 5; --scale 10 is exact"},
		{"x.graph", "2 1 1\n2 0.1\n1 0.1\n", Options{}, "0.1 in line 2; --scale 10 is exact"},
	} {
		got := ""
		for line := range strings.Lines(remarks(t, c.name, c.text, c.o)) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "weights are rounded to float32, such as "); ok {
				got = rest
			}
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestRoundingIsRight reads random weights: what is said is the first weight that strconv rounds otherwise, and a scale
// that is then read and exact.
func TestRoundingIsRight(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for range 300 {
		var text strings.Builder
		places, first := r.IntN(4), ""
		weights := make([]string, 1+r.IntN(40))
		for i := range weights {
			weights[i] = strconv.FormatFloat(float64(r.IntN(1000))*math.Pow10(r.IntN(4)), 'f', r.IntN(3), 64)
			if r.IntN(3) == 0 {
				weights[i] = strconv.FormatFloat(r.Float64()*1000, 'f', places, 64)
			} else if r.IntN(20) == 0 {
				weights[i] = fmt.Sprint(1<<24 + r.IntN(1<<20))
			}
			fmt.Fprintf(&text, "%d,%d,%s\n", i, i+1, weights[i])
			x, err := strconv.ParseFloat(weights[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			if float64(float32(x)) != x && first == "" {
				first = fmt.Sprintf("such as %s in line %d", weights[i], i+1)
			}
		}
		g, src, err := readFile(graphtest.WriteFile(t, "x.csv", []byte(text.String())), Options{})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(src.Remarks, "\n")
		if want := g.Kind == entry.KindF32 && first != ""; strings.Contains(said, "rounded") != want || want &&
			!strings.Contains(said, first) {
			t.Fatalf("said %q of\n%s, want %q", said, text.String(), first)
		}
		scale := regexp.MustCompile(`--scale (\d+) is exact`).FindStringSubmatch(said)
		if scale == nil {
			continue
		}
		by, _ := strconv.ParseInt(scale[1], 10, 64)
		exact, err := From(strings.NewReader(text.String()), "x.csv", Options{Scale: by})
		if err != nil || exact.Check(context.Background()) != nil {
			t.Fatalf("%q is refused: %v, %v", said, err, exact.Check(context.Background()))
		}
	}
}
