package number

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"unsafe"

	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles/class"
)

// ErrOption is what errors about a kind, a scale or a number that is no arc match with errors.Is.
var ErrOption = class.New(class.Usage, "bad option")

// MoreDigits says what to do about weights that float32 rounds and integers do not hold.
const MoreDigits = "--kind f64 has more digits"

// BadOption returns an error that matches ErrOption and says nothing but the reason.
func BadOption(format string, args ...any) error { return text.ErrorOf(ErrOption, format, args...) }

// Auto is the kind that Weighing settles: i32 until a weight is not an integer.
const Auto entry.Kind = ""

// decimal is the number ±mant·10^exp, whose mant does not end in 0 unless it is 0. Where the digits do
// not fit mant, long is set and only neg, exp and digits count.
type decimal struct {
	Neg    bool
	mant   uint64
	exp    int64 // of the last digit that is not a trailing zero
	Digits int64 // significant ones
	long   bool
}

const (
	MaxDigits = 19 // any number of this many digits fits a uint64
	// maxBigDigits keeps conversions cheap. A longer number is far out of range whether or not it is an
	// integer, so that nothing hangs on calling it a fraction.
	maxBigDigits = 1000
)

// Scan takes a number in decimal or scientific notation apart, whatever its length. It accepts
// nothing else: no hexadecimal, no underscores, no infinities.
func Scan(tok []byte) (d decimal, ok bool) {
	i := 0
	if len(tok) > 0 && (tok[0] == '-' || tok[0] == '+') {
		d.Neg = tok[0] == '-'
		i++
	}
	var zeros, places int64 // zeros that may turn out to be trailing ones; digits after the point
	point, any := false, false
	for ; i < len(tok); i++ {
		c := tok[i]
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c < '0' || c > '9':
			if c != 'e' && c != 'E' || !any {
				return d, false
			}
			e, ok := scanExponent(tok[i+1:])
			d.finish(zeros, places, e)
			return d, ok
		}
		any = true
		if point {
			places++
		}
		if c == '0' {
			zeros++
			continue
		}
		d.push(zeros, c-'0')
		zeros = 0
	}
	d.finish(zeros, places, 0)
	return d, any
}

// push appends zeros and a digit to the mantissa; leading zeros do not count.
func (d *decimal) push(zeros int64, digit byte) {
	if d.Digits > 0 {
		d.Digits += zeros
	}
	d.Digits++
	if d.Digits > MaxDigits {
		d.long = true
		return
	}
	for ; zeros > 0 && d.mant > 0; zeros-- {
		d.mant *= 10
	}
	d.mant = d.mant*10 + uint64(digit)
}

func (d *decimal) finish(zeros, places, e int64) {
	if d.Digits > 0 {
		d.exp = zeros - places + e
	}
}

// scanExponent reads the digits after an e, capped where a larger exponent makes no difference.
func scanExponent(tok []byte) (int64, bool) {
	neg := false
	if len(tok) > 0 && (tok[0] == '-' || tok[0] == '+') {
		neg = tok[0] == '-'
		tok = tok[1:]
	}
	if len(tok) == 0 {
		return 0, false
	}
	var e int64
	for _, c := range tok {
		if c < '0' || c > '9' {
			return 0, false
		}
		e = min(e*10+int64(c-'0'), 1<<40)
	}
	if neg {
		e = -e
	}
	return e, true
}

// State is the result of converting a decimal to an integer.
type State int

const (
	Integer State = iota
	Fraction
	Huge // an integer whose magnitude passes 2⁶²
)

// Times returns d·scale exactly, for scale ≥ 1. tok is the text that d was scanned from.
func (d decimal) Times(scale int64, tok []byte) (int64, State) {
	if d.Digits == 0 {
		return 0, Integer
	}
	if d.exp < 0 && scale == 1 {
		return 0, Fraction // mant does not end in 0
	}
	if d.Digits+d.exp > 20 {
		// At least 10^20, and so a huge integer unless some digits stay behind the point.
		if d.exp < 0 && d.timesBig(scale, tok) == nil {
			return 0, Fraction
		}
		return 0, Huge
	}
	if d.exp < -62 {
		// mant lacks the factor 2 or the factor 5, so scale would have to bring 62 of it.
		return 0, Fraction
	}
	if d.long || d.exp < -MaxDigits {
		return fromBig(d.timesBig(scale, tok))
	}
	hi, lo := bits.Mul64(d.mant, uint64(scale))
	if d.exp < 0 {
		ten := powers10[-d.exp]
		if bits.Rem64(hi, lo, ten) != 0 {
			return 0, Fraction
		}
		if hi >= ten {
			return 0, Huge
		}
		lo, _ = bits.Div64(hi, lo, ten)
		hi = 0
	} else if d.exp > 0 {
		if hi != 0 {
			return 0, Huge
		}
		hi, lo = bits.Mul64(lo, powers10[d.exp])
	}
	if hi != 0 || lo > 1<<62 {
		return 0, Huge
	}
	if d.Neg {
		return -int64(lo), Integer
	}
	return int64(lo), Integer
}

// timesBig returns d·scale, or nil if that is not an integer. It is for numbers of many digits with few
// of them behind the point, so the exponent is small.
func (d decimal) timesBig(scale int64, tok []byte) *big.Int {
	if d.exp < -62 || d.Digits > maxBigDigits {
		return nil
	}
	x, ok := new(big.Int).SetString(string(significant(tok)), 10)
	if !ok {
		return nil
	}
	x.Mul(x, big.NewInt(scale))
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(d.exp, -d.exp)), nil)
	if d.exp >= 0 {
		x.Mul(x, ten)
	} else if _, rest := x.QuoRem(x, ten, new(big.Int)); rest.Sign() != 0 {
		return nil
	}
	if d.Neg {
		x.Neg(x)
	}
	return x
}

// significant returns the digits of a decimal, without the zeros at its ends: exp is that of the last one.
func significant(tok []byte) []byte {
	digits := make([]byte, 0, len(tok))
	for _, c := range tok {
		if c == 'e' || c == 'E' {
			break
		}
		if c >= '0' && c <= '9' {
			digits = append(digits, c)
		}
	}
	return bytes.Trim(digits, "0")
}

// sameDecimal reports whether two texts are the same number.
func sameDecimal(a, b []byte) bool {
	x, ok := Scan(a)
	y, also := Scan(b)
	switch {
	case !ok || !also:
		return false
	case x.Digits == 0 || y.Digits == 0:
		return x.Digits == y.Digits
	}
	return x.Neg == y.Neg && x.exp == y.exp && bytes.Equal(significant(a), significant(b))
}

func fromBig(x *big.Int) (int64, State) {
	switch {
	case x == nil:
		return 0, Fraction
	case x.BitLen() > 62:
		return 0, Huge
	}
	return x.Int64(), Integer
}

// float32 rounds d, which was scanned from tok, once: to the nearest float32. It returns an error where
// that is infinite.
func (d decimal) float32(tok []byte) (float32, error) {
	if !d.long && d.exp >= -maxExactPower && d.exp <= maxExactPower {
		if x, _, ok := nearestFloat32(d.mant, int(d.exp)); ok {
			if d.Neg && x != 0 { // there is no −0
				x = -x
			}
			return x, nil
		}
	}
	x, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(tok), len(tok)), 32)
	if x == 0 {
		x = 0 // also where it was −0
	}
	return float32(x), err
}

// NotNegative reports whether tok is a number, finite and 0 or more.
func NotNegative(tok []byte) bool {
	d, ok := Scan(tok)
	return ok && (!d.Neg || d.Digits == 0)
}

// Special reads the spellings of infinity and of not-a-number.
func Special(tok []byte) (x float64, ok bool) {
	if len(tok) < 3 || len(tok) > len("-infinity") {
		return 0, false
	}
	switch string(bytes.ToLower(tok)) {
	case "inf", "+inf", "infinity", "+infinity":
		return math.Inf(1), true
	case "-inf", "-infinity":
		return math.Inf(-1), true
	case "nan", "+nan", "-nan":
		return math.NaN(), true
	}
	return 0, false
}

// Weighing turns the text of weights into words: int32, or the bits of a float32 once float is set; of kind f64, see
// Double.
type Weighing struct {
	Want  entry.Kind // Auto: int32 until a weight is not an integer
	Scale int64
	Float bool

	Integral bool   // the header says that weights are integers
	none     []byte // in a matrix, the number that is no arc
	asks     bool   // the input is such a matrix

	doubles []float64 // of kind f64, by word

	Fraction bool // a weight that is not an integer was met
	Rounding Rounding
}

// NewWeighing returns what weighs for a kind and a scale, 0 for none. Errors match ErrOption.
func NewWeighing(kind entry.Kind, scale int64) (Weighing, error) {
	w := Weighing{Want: kind, Scale: scale}
	switch {
	case scale < 0:
		return w, BadOption("a scale of %d; it is 1 or more", scale)
	case kind != Auto && !slices.Contains(entry.Kinds, kind):
		return w, BadOption("kind %q is not one of %v", kind, entry.Kinds)
	}
	if w.Scale == 0 {
		w.Scale = 1
	} else if w.Want == Auto {
		w.Want = entry.KindI32
	}
	w.Float = w.Want == entry.KindF32
	return w, nil
}

// Kind returns the kind of the graph whose weights were read.
func (w *Weighing) Kind() entry.Kind {
	switch {
	case w.Float:
		return entry.KindF32
	case w.Want == Auto:
		return entry.KindI32
	}
	return w.Want
}

// verdict says what a weight's text means for its arc.
type verdict int

const (
	Arc verdict = iota
	NotArc
	FirstFraction // the words so far must become floats; then ask again
	bad           // reason is set
	TooLarge      // an integer beyond int32
)

// Word reads one weight. The reason, where the verdict is bad, does not name the line.
func (w *Weighing) Word(tok []byte) (word uint32, v verdict, reason string) {
	d, ok := Scan(tok)
	if !ok {
		x, ok := Special(tok)
		switch {
		case !ok:
			return 0, bad, "weight " + Quoted(tok) + " is not a number"
		case x > 0:
			return 0, NotArc, ""
		}
		reason = "weight " + Quoted(tok) + ": weights are finite, or +Inf for no arc"
		if w.asks && x != x {
			reason += "; --no-arc nan makes NaN no arc"
		}
		return 0, bad, reason
	}
	if w.Integral {
		if _, state := d.Times(1, tok); state == Fraction {
			return 0, bad, "weight " + Quoted(tok) + " is not an integer, as the header says it is"
		}
	}
	if w.Want == entry.KindF64 {
		return w.doubleWord(d, tok)
	}
	if w.Scale == 1 && w.Float {
		return w.floatWord(d, tok)
	}
	x, state := d.Times(w.Scale, tok)
	switch {
	case state == Fraction && w.Want == Auto:
		w.Fraction = true
		return 0, FirstFraction, ""
	case state == Fraction && w.Scale > 1:
		return 0, bad, fmt.Sprintf("weight %s times the scale %d is not an integer", Quoted(tok), w.Scale)
	case state == Fraction:
		return 0, bad, fmt.Sprintf("weight %s is not an integer: use --kind f32, or --scale to make it one", Quoted(tok))
	case w.Float && state == Integer:
		w.Rounding.note(d, tok, inSingle(x))
		return math.Float32bits(float32(x)), Arc, ""
	case state == Huge || x > math.MaxInt32 || x < -math.MaxInt32:
		return 0, TooLarge, ""
	}
	w.Rounding.note(d, tok, inSingle(x)) // later ones may make all float32
	return uint32(int32(x)), Arc, ""
}

func (w *Weighing) floatWord(d decimal, tok []byte) (uint32, verdict, string) {
	if !w.Fraction && w.Want == Auto {
		_, state := d.Times(1, tok)
		w.Fraction = state == Fraction
	}
	x, err := d.float32(tok)
	if y, _ := strconv.ParseFloat(string(tok), 64); err == nil {
		w.Rounding.note(d, tok, float64(x) == y && (x != 0 || d.Digits == 0))
	}
	if err != nil {
		return 0, bad, "weight " + Quoted(tok) + " is too large for kind f32"
	}
	return math.Float32bits(x), Arc, ""
}

// IntWord is Word for an unscaled weight that is an int32.
func (w *Weighing) IntWord(x int32) uint32 {
	if w.Want == entry.KindF64 {
		return w.Double(float64(x))
	}
	if w.Rounding.First == "" && !inSingle(int64(x)) {
		w.Rounding.First = strconv.Itoa(int(x))
	}
	if w.Float {
		return math.Float32bits(float32(x))
	}
	return uint32(x)
}

// Value returns the number that a word stands for.
func (w *Weighing) Value(word uint32) float64 {
	if w.Want == entry.KindF64 {
		return w.doubles[word]
	}
	if w.Float {
		return float64(math.Float32frombits(word))
	}
	return float64(int32(word))
}

// Negated returns the word of the weight of opposite sign.
func (w *Weighing) Negated(word uint32) uint32 {
	switch {
	case word == 0:
		return 0 // there is no −0
	case w.Want == entry.KindF64:
		return w.Double(-w.doubles[word])
	case w.Float:
		return word ^ 1<<31
	}
	return -word
}

// SetNone says what number is no arc in a matrix. +Inf is none anyway.
func (w *Weighing) SetNone(text string) error {
	tok := bytes.TrimSpace([]byte(text))
	_, isDecimal := Scan(tok)
	_, isSpecial := Special(tok)
	switch {
	case isDecimal, isSpecial:
		w.none = tok
	case len(tok) > 0:
		return BadOption("--no-arc %s is not a number", Quoted(tok))
	}
	w.asks = true
	return nil
}

// IsNone reports whether an entry of a matrix is no arc.
func (w *Weighing) IsNone(tok []byte) bool {
	if x, ok := Special(tok); ok {
		none, also := Special(w.none)
		return x > 0 || also && (x == none || x != x && none != none)
	}
	return w.none != nil && sameDecimal(tok, w.none)
}

// Plain says how weights may be read where they are plain.
func (w *Weighing) Plain() *Plain {
	p := &Plain{
		Float:     w.Float,
		Never:     w.Want == entry.KindF64,
		fractions: w.Float && w.Scale == 1 && (w.Want == entry.KindF32 || w.Fraction) && !w.Integral,
		whole:     w.Integral,
		Scale:     uint64(w.Scale),
		None:      NoArc,
	}
	none := *w
	none.Integral = false // 0.0 is none among integers too
	if word, v, _ := none.Word(w.none); v == Arc {
		p.None = word
	}
	return p
}
