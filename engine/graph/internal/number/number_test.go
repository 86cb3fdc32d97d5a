package number

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

// randomNumber returns a decimal in any notation, mostly short.
func randomNumber(r *rand.Rand) string {
	digits := func(most int) string {
		var b strings.Builder
		for range r.IntN(most + 1) {
			b.WriteByte("0000123456789"[r.IntN(13)])
		}
		return b.String()
	}
	most := []int{3, 9, 25, 60}[r.IntN(4)]
	whole, part := digits(most), digits(most)
	if whole+part == "" {
		whole = "0"
	}
	s := []string{"", "-", "+"}[r.IntN(3)] + whole
	if part != "" || r.IntN(4) == 0 {
		s += "." + part
	}
	if r.IntN(3) == 0 {
		s += "e" + strconv.Itoa(r.IntN(80)-40)
	}
	return s
}

func TestDecimalTimes(t *testing.T) {
	r := seeds.New(t)
	scales := []int64{1, 1, 2, 10, 1000, 1000000, 1 << 40, 1e18, 7}
	for range 100000 {
		text, scale := randomNumber(r), scales[r.IntN(len(scales))]
		_, ok := Parse([]byte(text))
		exact, valid := new(big.Rat).SetString(text)
		if !ok || !valid {
			t.Fatalf("%q: parsed %v, a number %v", text, ok, valid)
		}
		exact.Mul(exact, new(big.Rat).SetInt64(scale))
		got, state := Times([]byte(text), scale)
		want := Integer
		switch {
		case !exact.IsInt():
			want = Fraction
		case exact.Num().BitLen() > 62:
			want = Huge
		}
		if state != want {
			t.Fatalf("%s·%d = %s: state %d, not %d", text, scale, exact.RatString(), state, want)
		}
		if state == Integer && exact.Cmp(new(big.Rat).SetInt64(got)) != 0 {
			t.Fatalf("%s·%d = %s, not %d", text, scale, exact.RatString(), got)
		}
	}
}

// TestSingles reads weights of kind f32, most of all where rounding is a close call.
func TestSingles(t *testing.T) {
	r := seeds.New(t)
	for range 200000 {
		text := randomNumber(r)
		if r.IntN(2) == 0 { // near the middle between two float32
			x := math.Float32frombits(r.Uint32() >> 1)
			middle := (float64(x) + float64(math.Nextafter32(x, 0))) / 2
			text = strconv.FormatFloat(math.Nextafter(middle, float64(r.IntN(3)-1)*math.MaxFloat64), 'g', 14+r.IntN(8),
				64)
		}
		w, err := NewWeighing(entry.KindF32, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := Parse([]byte(text)); !ok {
			continue // an infinity or no number
		}
		word, verdict, _ := w.Word([]byte(text))
		got := math.Float32frombits(word)
		want, wantErr := strconv.ParseFloat(text, 32)
		if (verdict == Arc) != (wantErr == nil) || verdict == Arc && float64(got) != want {
			t.Fatalf("%s is %v, not %v", text, got, want)
		}
		if got == 0 && math.Signbit(float64(got)) {
			t.Fatalf("%s is −0", text)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e5.", "1.2.3", "--1", "1-", "0x1",
		"1_0", "inf", "nan", "1 ", "١"} {
		if _, ok := Parse([]byte(text)); ok {
			t.Errorf("%q is taken for a number", text)
		}
	}
}

// TestPlaces counts the digits behind the point that a scale must remove.
func TestPlaces(t *testing.T) {
	for text, want := range map[string]int{
		"5": 0, "0.5": 1, "0.50": 1, "30e-1": 0, "3e-1": 1, "1.25e1": 1, "0.00": 0, "0e-400": 0, "1e-7": 7, "100": 0,
		"5.": 0, ".125": 3, "1.50e1": 0, "1e5": 0,
	} {
		var r Rounding
		if r.note([]byte(text), true); r.Places != want {
			t.Errorf("%s has %d places, not %d", text, r.Places, want)
		}
	}
}

func TestVeryLongNumbers(t *testing.T) {
	long := strings.Repeat("7", 1<<20)
	zeros := strings.Repeat("0", 1<<20)
	for text, want := range map[string]state{
		long: Huge, "0." + long: Fraction, zeros + "5": Integer, "5." + zeros: Integer,
		"5e" + long: Huge, "5e-" + long: Fraction, "0e" + long: Integer,
	} {
		_, ok := Parse([]byte(text))
		if _, state := Times([]byte(text), 1000); !ok || state != want {
			t.Errorf("%.10s… of %d bytes: %v, state %d, not %d", text, len(text), ok, state, want)
		}
	}
}
