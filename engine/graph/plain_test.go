package graph

import (
	"math"
	"slices"
	"strconv"
	"testing"
)

// TestPlainWeights reads numbers in one pass, and by the rules; where the first does not pass, they agree.
func TestPlainWeights(t *testing.T) {
	r := fresh(t)
	passed := 0
	for range 200000 {
		text := randomNumber(r)
		if r.IntN(2) == 0 {
			text = strconv.FormatFloat(r.NormFloat64()*math.Pow10(r.IntN(12)-4), "fge"[r.IntN(3)], -1, 64)
		} else if r.IntN(2) == 0 { // near the middle between two float32
			x := math.Float32frombits(r.Uint32() >> 1)
			middle := (float64(x) + float64(math.Nextafter32(x, 0))) / 2
			text = strconv.FormatFloat(math.Nextafter(middle, float64(r.IntN(3)-1)*math.MaxFloat64), 'g', 14+r.IntN(6), 64)
		}
		w, err := newWeighing(Options{Kind: []Kind{KindI32, KindF32, KindAuto}[r.IntN(3)], Scale: []int64{0, 0, 1, 1000, 1 << 40}[r.IntN(5)]})
		if err != nil {
			t.Fatal(err)
		}
		p := w.plain()
		got, next := p.read([]byte(text+"\n"), 0)
		if next == 0 {
			continue
		}
		passed++
		want, verdict, reason := w.word([]byte(text))
		if next != len(text) || verdict != isArc || got != want {
			t.Fatalf("%+v: %q is %#x up to %d; by the rules %#x, verdict %d %s", *p, text, got, next, want, verdict, reason)
		}
	}
	if passed < 10000 {
		t.Errorf("only %d numbers are plain", passed)
	}
}

// TestNearestFloat32 compares with strconv, most of all where rounding is a close call.
func TestNearestFloat32(t *testing.T) {
	r := fresh(t)
	passed := 0
	for range 300000 {
		mant, exp := r.Uint64()>>r.IntN(64), r.IntN(50)-25
		if r.IntN(2) == 0 {
			x := math.Float32frombits(r.Uint32() >> 1)
			text := strconv.FormatFloat((float64(x)+float64(math.Nextafter32(x, 0)))/2, 'e', 17, 64)
			d, _ := scanDecimal([]byte(text))
			mant, exp = d.mant+uint64(r.IntN(3)), int(d.exp)
		}
		got, ok := nearestFloat32(mant, exp)
		if !ok {
			continue
		}
		passed++
		want, err := strconv.ParseFloat(strconv.FormatUint(mant, 10)+"e"+strconv.Itoa(exp), 32)
		if err != nil || float64(got) != want {
			t.Fatalf("%de%d is %v, not %v", mant, exp, got, want)
		}
	}
	if passed < 100000 {
		t.Errorf("only %d numbers are near", passed)
	}
}

// TestShortLines reads lines of numbers of every length, several at once and one by one.
func TestShortLines(t *testing.T) {
	r := fresh(t)
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
		w := (&weighing{scale: 1}).plain()
		got, end := p.read(text, w, nil)
		var want []record
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
