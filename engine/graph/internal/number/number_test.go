package number

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"ooc/engine/internal/seeds"
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
		d, ok := Scan([]byte(text))
		exact, valid := new(big.Rat).SetString(text)
		if !ok || !valid {
			t.Fatalf("%q: scanned %v, a number %v", text, ok, valid)
		}
		exact.Mul(exact, new(big.Rat).SetInt64(scale))
		got, state := d.Times(scale, []byte(text))
		want := Integer
		switch {
		case !exact.IsInt():
			want = Fraction
		case exact.Num().BitLen() > 62 && !(exact.Num().BitLen() == 63 && new(big.Int).Abs(exact.Num()).TrailingZeroBits() == 62):
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

func TestDecimalFloat32(t *testing.T) {
	r := seeds.New(t)
	for range 100000 {
		text := randomNumber(r)
		d, _ := Scan([]byte(text))
		got, err := d.float32([]byte(text))
		want, wantErr := strconv.ParseFloat(text, 32)
		if float64(got) != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("%s is %v, not %v", text, got, want)
		}
		if got == 0 && math.Signbit(float64(got)) {
			t.Fatalf("%s is −0", text)
		}
	}
}

func TestScanDecimalRefuses(t *testing.T) {
	for _, text := range []string{"", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e5.", "1.2.3", "--1", "1-", "0x1", "1_0", "inf", "nan", "1 ", "١"} {
		if _, ok := Scan([]byte(text)); ok {
			t.Errorf("%q is taken for a number", text)
		}
	}
}

func TestVeryLongNumbers(t *testing.T) {
	long := strings.Repeat("7", 1<<20)
	zeros := strings.Repeat("0", 1<<20)
	for text, want := range map[string]State{
		long: Huge, "0." + long: Fraction, zeros + "5": Integer, "5." + zeros: Integer,
		"5e" + long: Huge, "5e-" + long: Fraction, "0e" + long: Integer,
	} {
		d, ok := Scan([]byte(text))
		if _, state := d.Times(1000, []byte(text)); !ok || state != want {
			t.Errorf("%.10s… of %d bytes: %v, state %d, not %d", text, len(text), ok, state, want)
		}
	}
}
