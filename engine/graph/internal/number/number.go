package number

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"ooc/engine/text"
	"ooc/tiles/class"
)

// ErrOption is what errors about a kind, a scale or a number that is no arc match with errors.Is.
var ErrOption = class.New(class.Usage, "bad option")

// MoreDigits says what to do about weights that float32 rounds and integers do not hold.
const MoreDigits = "--kind f64 has more digits"

// BadOption returns an error that matches ErrOption and says nothing but the reason.
func BadOption(format string, args ...any) error { return text.ErrorOf(ErrOption, format, args...) }

// Parse reads a number in decimal or scientific notation, of any length, as the nearest float64: an infinite one if it
// is too large. It accepts nothing else: no hexadecimal, no underscores, no infinities. There is no −0.
func Parse(tok []byte) (x float64, ok bool) {
	for _, c := range tok {
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(stringOf(tok), 64)
	return x + 0, err == nil || errors.Is(err, strconv.ErrRange)
}

// stringOf is a string as long as nobody changes tok.
func stringOf(tok []byte) string { return unsafe.String(unsafe.SliceData(tok), len(tok)) }

// Digits reads 1 to 18 digits and nothing else.
func Digits(tok []byte) (x int64, ok bool) {
	if len(tok)-1 >= 18 {
		return 0, false
	}
	for _, c := range tok {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		x = x*10 + int64(d)
	}
	return x, len(tok) > 0
}

// state is the result of converting a decimal to an integer.
type state int

const (
	Integer state = iota
	Fraction
	Huge // an integer whose magnitude passes 2⁶²
)

const (
	// unique: a decimal of at most so many digits is the only such one near its float64.
	unique = 15
	// longest is how many characters of a number are looked at exactly. Longer ones are what their float64 is.
	longest = 2000
)

// Times returns tok, which is a number, times a scale from 1 on, exactly.
func Times(tok []byte, scale int64) (int64, state) {
	x, _ := Parse(tok)
	y := math.Round(x * float64(scale))
	mant, exp := cutExponent(tok)
	switch {
	case x == 0 && bytes.ContainsAny(mant, "123456789"):
		return 0, Fraction // it is less than any float64
	case len(mant) <= unique && math.Abs(y) < 1e15 && (scale == 1 || IsPowerOfTen(scale)):
		if y/float64(scale) != x {
			return 0, Fraction
		}
		return int64(y), Integer
	case math.IsInf(x, 0):
		return 0, Huge
	}
	r := new(big.Rat)
	if len(mant) > longest || exp > longest || exp < -longest {
		r.SetFloat64(x)
	} else {
		r.SetString(string(tok))
	}
	if r.Mul(r, new(big.Rat).SetInt64(scale)); !r.IsInt() {
		return 0, Fraction
	}
	if n := r.Num(); n.IsInt64() && n.BitLen() <= 62 {
		return n.Int64(), Integer
	}
	return 0, Huge
}

// IsPowerOfTen reports whether a number from 1 on is one.
func IsPowerOfTen(x int64) bool {
	for x%10 == 0 {
		x /= 10
	}
	return x == 1
}

// cutExponent returns what stands before the e of a number, and the number behind it.
func cutExponent(tok []byte) (mant []byte, exp int) {
	at := max(bytes.IndexByte(tok, 'e'), bytes.IndexByte(tok, 'E'))
	if at < 0 {
		return tok, 0
	}
	exp, err := strconv.Atoi(string(tok[at+1:]))
	if err != nil && exp == 0 {
		exp = math.MaxInt32
	}
	return tok[:at], exp
}

// whole reports whether tok, of which x is the float64, is an integer.
func whole(tok []byte, x float64) bool {
	if x != math.Trunc(x) {
		return false
	}
	if len(tok) <= unique && x != 0 {
		return true
	}
	_, state := Times(tok, 1)
	return state != Fraction
}

// NotNegative reports whether tok is a number, finite and 0 or more.
func NotNegative(tok []byte) bool {
	x, ok := Parse(tok)
	return ok && (x > 0 || x == 0 && (tok[0] != '-' || whole(tok, x)))
}

// Special reads the spellings of infinity and of not-a-number.
func Special(tok []byte) (x float64, ok bool) {
	if len(tok) < 3 || len(tok) > len("-infinity") || tok[len(tok)-1] <= '9' {
		return 0, false
	}
	if signed := tok[0] == '+' || tok[0] == '-'; signed && strings.EqualFold(stringOf(tok[1:]), "nan") {
		return math.NaN(), true
	}
	x, err := strconv.ParseFloat(stringOf(tok), 64) // which reads the others
	return x, err == nil
}

// FewNines is the least number that NoPath reports.
const FewNines = 99999

// NoPath reports whether a number is what programs write if there is no path: the largest number of a type, five nines
// or more, 10 to a power from 10⁹ on, or −1.
func NoPath(x float64) bool {
	digits := strconv.FormatFloat(x, 'f', -1, 64)
	switch {
	case x == -1, x >= FewNines && strings.Trim(digits, "9") == "", x >= 1e9 && strings.TrimRight(digits, "0") == "1":
		return true
	case math.Abs(x-math.MaxFloat32) <= math.MaxFloat32*1e-5, x >= math.MaxFloat64*0.99999: // often with fewer digits
		return true
	}
	return slices.Contains([]float64{math.MaxInt32, math.MaxUint32, math.MaxInt64, math.MaxUint64, 0x3f3f3f3f}, x)
}

// Quoted shortens a piece of the input and makes it printable, for error messages.
func Quoted(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "…"
	}
	return strconv.Quote(string(text))
}
