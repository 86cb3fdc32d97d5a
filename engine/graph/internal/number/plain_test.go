package number

import (
	"math"
	"strconv"
	"testing"

	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

// TestPlainWeights reads numbers in one pass, and by the rules; where the first does not pass, they agree.
func TestPlainWeights(t *testing.T) {
	r := seeds.New(t)
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
		w, err := NewWeighing([]entry.Kind{entry.KindI32, entry.KindF32, Auto}[r.IntN(3)], []int64{0, 0, 1, 1000, 1 << 40}[r.IntN(5)])
		if err != nil {
			t.Fatal(err)
		}
		p := w.Plain()
		got, next := p.Read([]byte(text+"\n"), 0)
		if next == 0 {
			continue
		}
		passed++
		want, verdict, reason := w.Word([]byte(text))
		if next != len(text) || verdict != Arc || got != want {
			t.Fatalf("%+v: %q is %#x up to %d; by the rules %#x, verdict %d %s", *p, text, got, next, want, verdict, reason)
		}
	}
	if passed < 10000 {
		t.Errorf("only %d numbers are plain", passed)
	}
}

// TestNearestFloat32 compares with strconv, most of all where rounding is a close call.
func TestNearestFloat32(t *testing.T) {
	r := seeds.New(t)
	passed := 0
	for range 300000 {
		mant, exp := r.Uint64()>>r.IntN(64), r.IntN(50)-25
		if r.IntN(2) == 0 {
			x := math.Float32frombits(r.Uint32() >> 1)
			text := strconv.FormatFloat((float64(x)+float64(math.Nextafter32(x, 0)))/2, 'e', 17, 64)
			d, _ := Scan([]byte(text))
			mant, exp = d.mant+uint64(r.IntN(3)), int(d.exp)
		}
		got, _, ok := nearestFloat32(mant, exp)
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
