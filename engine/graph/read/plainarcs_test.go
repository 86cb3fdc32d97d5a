package read

import (
	"slices"
	"strconv"
	"testing"

	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/number"
	"ooc/engine/internal/seeds"
)

// TestShortLines reads lines of numbers of every length, several at once and one by one.
func TestShortLines(t *testing.T) {
	r := seeds.New(t)
	short := 0
	for range 2000 {
		p := plainArcs{base: uint64(r.IntN(2)), n: 1 + uint64(r.Int64N(1<<r.IntN(32))), weighted: r.IntN(3) > 0, unit: 7}
		var text []byte
		if r.IntN(2) == 0 {
			p.prefix = 'a'
		}
		for range 1 + r.IntN(20) {
			if p.prefix != 0 {
				text = append(text, "a "...)
			}
			for column := 1 - btoi(p.weighted); column < 3; column++ {
				number := strconv.Itoa(r.IntN(1 << r.IntN(34)))
				if r.IntN(60) == 0 {
					number = []string{"-1", "1.5", "x", "0x1", "007", "", "1:", "1/"}[r.IntN(8)]
				}
				text = append(text, number...)
				text = append(text, [3]string{" ", " ", "\n"}[column]...)
				if r.IntN(60) == 0 {
					text = append(text[:len(text)-1], [3]string{"\t", "  ", "\r\n"}[column]...)
				}
			}
		}
		w := (&number.Weighing{Scale: 1}).Plain()
		got, end := p.read(text, w, nil)
		var want []arcs.Arc
		at := 0
		for at < len(text) {
			one, next := p.readLine(text, at, w)
			if next == at {
				break
			}
			want, at = append(want, one), next
		}
		if end != at || !slices.Equal(got, want) {
			t.Fatalf("%+v: %q: %v up to %d, not %v up to %d", p, text, got, end, want, at)
		}
		some, _ := p.readShort(text, 0, nil)
		short += len(some)
	}
	if short < 300 {
		t.Errorf("only %d lines are short", short)
	}
}
