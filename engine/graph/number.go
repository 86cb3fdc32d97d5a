package graph

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"unsafe"
)

// decimal is the number ±mant·10^exp, whose mant does not end in 0 unless it is 0. Where the digits do
// not fit mant, long is set and only neg, exp and digits count.
type decimal struct {
	neg    bool
	mant   uint64
	exp    int64 // of the last digit that is not a trailing zero
	digits int64 // significant ones
	long   bool
}

const (
	maxDigits = 19 // any number of this many digits fits a uint64
	// maxBigDigits keeps conversions cheap. A longer number is far out of range whether or not it is an
	// integer, so that nothing hangs on calling it a fraction.
	maxBigDigits = 1000
)

// scanDecimal takes a number in decimal or scientific notation apart, whatever its length. It accepts
// nothing else: no hexadecimal, no underscores, no infinities.
func scanDecimal(tok []byte) (d decimal, ok bool) {
	i := 0
	if len(tok) > 0 && (tok[0] == '-' || tok[0] == '+') {
		d.neg = tok[0] == '-'
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
	if d.digits > 0 {
		d.digits += zeros
	}
	d.digits++
	if d.digits > maxDigits {
		d.long = true
		return
	}
	for ; zeros > 0 && d.mant > 0; zeros-- {
		d.mant *= 10
	}
	d.mant = d.mant*10 + uint64(digit)
}

func (d *decimal) finish(zeros, places, e int64) {
	if d.digits > 0 {
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

// The results of turning a decimal into an integer.
type integerState int

const (
	isInteger integerState = iota
	isFraction
	isHuge // an integer whose magnitude passes 2⁶²
)

// times returns d·scale exactly, for scale ≥ 1. tok is the text that d was scanned from.
func (d decimal) times(scale int64, tok []byte) (int64, integerState) {
	if d.digits == 0 {
		return 0, isInteger
	}
	if d.exp < 0 && scale == 1 {
		return 0, isFraction // mant does not end in 0
	}
	if d.digits+d.exp > 20 {
		// At least 10^20, and so a huge integer unless some digits stay behind the point.
		if d.exp < 0 && d.timesBig(scale, tok) == nil {
			return 0, isFraction
		}
		return 0, isHuge
	}
	if d.exp < -62 {
		// mant lacks the factor 2 or the factor 5, so scale would have to bring 62 of it.
		return 0, isFraction
	}
	if d.long || d.exp < -maxDigits {
		return fromBig(d.timesBig(scale, tok))
	}
	hi, lo := bits.Mul64(d.mant, uint64(scale))
	if d.exp < 0 {
		ten := powers10[-d.exp]
		if bits.Rem64(hi, lo, ten) != 0 {
			return 0, isFraction
		}
		if hi >= ten {
			return 0, isHuge
		}
		lo, _ = bits.Div64(hi, lo, ten)
		hi = 0
	} else if d.exp > 0 {
		if hi != 0 {
			return 0, isHuge
		}
		hi, lo = bits.Mul64(lo, powers10[d.exp])
	}
	if hi != 0 || lo > 1<<62 {
		return 0, isHuge
	}
	if d.neg {
		return -int64(lo), isInteger
	}
	return int64(lo), isInteger
}

// timesBig returns d·scale, or nil if that is not an integer. It is for numbers of many digits with few
// of them behind the point, so the exponent is small.
func (d decimal) timesBig(scale int64, tok []byte) *big.Int {
	if d.exp < -62 || d.digits > maxBigDigits {
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
	if d.neg {
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
	x, ok := scanDecimal(a)
	y, also := scanDecimal(b)
	switch {
	case !ok || !also:
		return false
	case x.digits == 0 || y.digits == 0:
		return x.digits == y.digits
	}
	return x.neg == y.neg && x.exp == y.exp && bytes.Equal(significant(a), significant(b))
}

func fromBig(x *big.Int) (int64, integerState) {
	switch {
	case x == nil:
		return 0, isFraction
	case x.BitLen() > 62:
		return 0, isHuge
	}
	return x.Int64(), isInteger
}

// float32 rounds d, which was scanned from tok, once: to the nearest float32. It returns an error where
// that is infinite.
func (d decimal) float32(tok []byte) (float32, error) {
	if !d.long && d.exp >= -maxExactPower && d.exp <= maxExactPower {
		if x, ok := nearestFloat32(d.mant, int(d.exp)); ok {
			if d.neg && x != 0 { // there is no −0
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

// special reads the spellings of infinity and of not-a-number.
func special(tok []byte) (x float64, ok bool) {
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

// weighing turns the text of weights into words: int32, or the bits of a float32 once float is set.
type weighing struct {
	want  Kind // KindAuto: int32 until a weight is not an integer
	scale int64
	float bool

	integral bool   // the header says that weights are integers
	none     []byte // in a matrix, the number that is no arc

	fraction bool        // a weight that is not an integer was met
	huge     *RangeError // the first integer too large for an i32, with KindAuto
}

func newWeighing(o Options) (weighing, error) {
	w := weighing{want: o.Kind, scale: o.Scale}
	switch {
	case o.Scale < 0:
		return w, fmt.Errorf("scale %d: %w", o.Scale, ErrOptions)
	case o.Kind != KindAuto && o.Kind != KindI32 && o.Kind != KindF32:
		return w, fmt.Errorf("kind %q: %w", o.Kind, ErrOptions)
	}
	if w.scale == 0 {
		w.scale = 1
	} else if w.want == KindAuto {
		w.want = KindI32
	}
	w.float = w.want == KindF32
	return w, nil
}

// A verdict says what a weight's text means for its arc.
type verdict int

const (
	isArc verdict = iota
	isNoArc
	isFirstFraction // the words so far must become floats; then ask again
	isBad           // reason is set
	isTooLarge      // an integer beyond int32
)

// word reads one weight. The reason, where the verdict is isBad, does not name the line.
func (w *weighing) word(tok []byte) (word uint32, v verdict, reason string) {
	d, ok := scanDecimal(tok)
	if !ok {
		x, ok := special(tok)
		switch {
		case !ok:
			return 0, isBad, "weight " + quoted(tok) + " is not a number"
		case x > 0:
			return 0, isNoArc, ""
		}
		return 0, isBad, "weight " + quoted(tok) + ": weights are finite, or +Inf for no arc"
	}
	if w.integral {
		if _, state := d.times(1, tok); state == isFraction {
			return 0, isBad, "weight " + quoted(tok) + " is not an integer, as the header says it is"
		}
	}
	if w.scale == 1 && w.float {
		return w.floatWord(d, tok)
	}
	x, state := d.times(w.scale, tok)
	switch {
	case state == isFraction && w.want == KindAuto:
		w.fraction = true
		return 0, isFirstFraction, ""
	case state == isFraction && w.scale > 1:
		return 0, isBad, fmt.Sprintf("weight %s times the scale %d is not an integer", quoted(tok), w.scale)
	case state == isFraction:
		return 0, isBad, fmt.Sprintf("weight %s is not an integer: use --kind f32, or --scale to make it one", quoted(tok))
	case w.float && state == isInteger:
		return math.Float32bits(float32(x)), isArc, ""
	case state == isHuge || x > math.MaxInt32 || x < -math.MaxInt32:
		return 0, isTooLarge, ""
	}
	return uint32(int32(x)), isArc, ""
}

func (w *weighing) floatWord(d decimal, tok []byte) (uint32, verdict, string) {
	if !w.fraction && w.want == KindAuto {
		_, state := d.times(1, tok)
		w.fraction = state == isFraction
	}
	x, err := d.float32(tok)
	if err != nil {
		return 0, isBad, "weight " + quoted(tok) + " is too large for kind f32"
	}
	return math.Float32bits(x), isArc, ""
}

// intWord is word for an unscaled weight that is an int32.
func (w *weighing) intWord(x int32) uint32 {
	if w.float {
		return math.Float32bits(float32(x))
	}
	return uint32(x)
}

// value returns the number that a word stands for.
func (w *weighing) value(word uint32) float64 {
	if w.float {
		return float64(math.Float32frombits(word))
	}
	return float64(int32(word))
}

// negated returns the word of the weight of opposite sign.
func (w *weighing) negated(word uint32) uint32 {
	switch {
	case word == 0:
		return 0 // there is no −0
	case w.float:
		return word ^ 1<<31
	}
	return -word
}

// setNone says what number is no arc in a matrix. +Inf is none anyway.
func (w *weighing) setNone(text string) error {
	tok := bytes.TrimSpace([]byte(text))
	_, isDecimal := scanDecimal(tok)
	_, isSpecial := special(tok)
	switch {
	case isDecimal:
		w.none = tok
	case !isSpecial && len(tok) > 0:
		return fmt.Errorf("--no-arc %s is not a number: %w", quoted(tok), ErrOptions)
	}
	return nil
}

// isNone reports whether an entry of a matrix is no arc.
func (w *weighing) isNone(tok []byte) bool {
	if x, ok := special(tok); ok {
		return x > 0
	}
	return w.none != nil && sameDecimal(tok, w.none)
}

// plain says how weights may be read where they are plain.
func (w *weighing) plain() *plainWeights {
	p := &plainWeights{
		float:     w.float,
		fractions: w.float && w.scale == 1 && (w.want == KindF32 || w.fraction) && !w.integral,
		whole:     w.integral,
		scale:     uint64(w.scale),
		none:      noArcWord,
	}
	if word, next := p.read(append(bytes.Clone(w.none), '\n'), 0); next > 0 && next == len(w.none) {
		p.none = word
	}
	return p
}
