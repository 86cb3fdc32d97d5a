package dense

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/npy"
	"ooc/engine/graph/internal/number"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// numbers turns the entries of an array into weights, by the rules that weighing has for texts. An entry of
// a floating type stands for its exact value, and where it is scaled, as in Scaled, for the decimal number of
// the fewest digits that it is the nearest entry to: 0.1 times 10 is 1.
type numbers struct {
	npy.Type
	entryType
	want  entry.Kind
	scale int64 // 1: none
	ten   bool  // scale is a power of ten
	float bool  // the kind is f32; where want leaves it open, the survey sets it

	noArc   bool    // somebody has said what is no arc
	none    float64 // of floating types: what no arc looks like, beside +Inf
	hasNone bool    // of integer types: noneInt looks like no arc
	noneInt uint64  // in two's complement

	half []float64 // of float16: what each pattern of bits stands for
}

// entryType is what depends on the type of entries.
type entryType struct {
	words  func(x *numbers, dst []uint32, raw []byte, w wordRange)
	values func(x *numbers, dst []float64, raw []byte)
	survey func(x *numbers, raw []byte, s *survey)
	text   func(x *numbers, raw []byte) string
	bits   int // of floating types, the precision that texts of them need
	lo     int64
	hi     uint64
}

// wordRange says how words of integer kinds show no arc, and what larger weights are shown as.
type wordRange struct{ none, most int32 }

var (
	// tileWords are those of a distance matrix, tileShorts those of one of kind u16. A weight of Unreachable or more
	// passes Check only where no shortest path uses the arc.
	tileWords  = wordRange{entry.Inf32, entry.Inf32}
	tileShorts = wordRange{int32(entry.Inf16), int32(entry.Inf16)}
	// lineWords keep every weight; none is the least int32.
	lineWords = wordRange{math.MinInt32, math.MaxInt32}
)

// entryTypes lists the types by NumPy's code for them: kind and bytes.
var entryTypes = map[string]entryType{
	"b1": integers[uint8](0, 1),
	"i1": integers[int8](math.MinInt8, math.MaxInt8),
	"i2": integers[int16](math.MinInt16, math.MaxInt16),
	"i4": integers[int32](math.MinInt32, math.MaxInt32),
	"i8": integers[int64](math.MinInt64, math.MaxInt64),
	"u1": integers[uint8](0, math.MaxUint8),
	"u2": integers[uint16](0, math.MaxUint16),
	"u4": integers[uint32](0, math.MaxUint32),
	"u8": integers[uint64](0, math.MaxUint64),
	"f2": halves(),
	"f4": floats[float32](32, text.NumbersOf(entry.KindF32, 1)),
	"f8": floats[float64](64, text.Float64),
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func integers[E integer](lo int64, hi uint64) entryType {
	return entryType{
		words:  func(x *numbers, dst []uint32, raw []byte, w wordRange) { intWords(x, dst, entry.View[E](raw), w) },
		values: func(x *numbers, dst []float64, raw []byte) { intValues(x, dst, entry.View[E](raw)) },
		survey: func(x *numbers, raw []byte, s *survey) { surveyInts(x, entry.View[E](raw), s) },
		text:   func(_ *numbers, raw []byte) string { return fmt.Sprint(entry.View[E](raw)[0]) },
		lo:     lo, hi: hi,
	}
}

func floats[E float32 | float64](bits int, digits text.Numbers) entryType {
	return entryType{
		words:  func(x *numbers, dst []uint32, raw []byte, w wordRange) { floatWords(x, dst, entry.View[E](raw), w) },
		values: func(x *numbers, dst []float64, raw []byte) { floatValues(x, dst, entry.View[E](raw)) },
		survey: func(x *numbers, raw []byte, s *survey) { surveyFloats(x, entry.View[E](raw), s) },
		text: func(_ *numbers, raw []byte) string {
			return string(digits.Append(nil, float64(entry.View[E](raw)[0])))
		},
		bits: bits,
	}
}

// newNumbers returns what reads the entries of an array.
func newNumbers(d npy.Type, o Options) (*numbers, error) {
	weigh, err := number.NewWeighing(o.Kind, o.Scale)
	if err != nil {
		return nil, err
	}
	x := &numbers{Type: d, entryType: entryTypes[d.Code], want: weigh.Want, scale: weigh.Scale, float: weigh.Float, none: math.Inf(1)}
	x.ten = isPowerOfTen(x.scale)
	if x.want == graph.KindAuto && x.entryType.bits == 0 {
		x.want = entry.KindI32
	}
	if x.Code == "f2" {
		x.half = halfTable(x.scale > 1)
	}
	return x, x.setNoArc(o.NoArc)
}

func isPowerOfTen(x int64) bool {
	for x%10 == 0 {
		x /= 10
	}
	return x == 1
}

// settle fixes the kind.
func (x *numbers) settle(kind entry.Kind) { x.want, x.float = kind, kind == entry.KindF32 }

// setNoArc reads what no arc looks like. In a floating type it is the entry nearest to the number.
func (x *numbers) setNoArc(text string) error {
	if text == "" {
		return nil
	}
	x.noArc = true
	tok := []byte(strings.TrimSpace(text))
	value, isSpecial := number.Special(tok)
	d, isDecimal := number.Scan(tok)
	switch {
	case !isSpecial && !isDecimal:
		return number.BadOption("--no-arc %s is not a number", number.Quoted(tok))
	case x.entryType.bits > 0:
		if isDecimal {
			value, _ = strconv.ParseFloat(string(tok), x.entryType.bits) // +Inf or −Inf where it is too large
		}
		if x.half != nil {
			value = x.nearestHalf(value)
		}
		x.none = value
		return nil
	case isSpecial && math.IsInf(value, 1):
		return nil // no integer looks like that
	}
	x.hasNone = true
	if u, err := strconv.ParseUint(string(tok), 10, 64); isDecimal && err == nil && u <= x.hi {
		x.noneInt = u
		return nil
	}
	if i, err := strconv.ParseInt(string(tok), 10, 64); isDecimal && err == nil && i < 0 && i >= x.lo {
		x.noneInt = uint64(i)
		return nil
	}
	if i, state := d.Times(1, tok); isDecimal && state == number.Integer && i >= x.lo && (i < 0 || uint64(i) <= x.hi) {
		x.noneInt = uint64(i)
		return nil
	}
	return number.BadOption("--no-arc %s is no value of the matrix's type, %s…%d", number.Quoted(tok), strconv.FormatInt(x.lo, 10), x.hi)
}

// wordsOf writes the weights of the entries in raw, which were surveyed before, as words of the kind.
func (x *numbers) wordsOf(dst []uint32, raw []byte, w wordRange) {
	x.toNative(raw)
	x.entryType.words(x, dst, raw, w)
}

// valuesOf writes these weights as numbers in stored units, +Inf where there is no arc. words is scratch, as long as
// dst.
func (x *numbers) valuesOf(dst []float64, raw []byte, words []uint32) {
	if x.want == entry.KindF64 {
		x.toNative(raw)
		x.entryType.values(x, dst, raw)
		return
	}
	x.wordsOf(words, raw, lineWords)
	for v, w := range words {
		dst[v] = x.value(w)
	}
}

// toNative puts the bytes of entries into this machine's order, as the store's: least significant first.
func (x *numbers) toNative(raw []byte) {
	if !x.Big {
		return
	}
	switch x.Size() {
	case 2:
		for i, w := range entry.View[uint16](raw) {
			entry.View[uint16](raw)[i] = bits.ReverseBytes16(w)
		}
	case 4:
		for i, w := range entry.View[uint32](raw) {
			entry.View[uint32](raw)[i] = bits.ReverseBytes32(w)
		}
	case 8:
		for i, w := range entry.View[uint64](raw) {
			entry.View[uint64](raw)[i] = bits.ReverseBytes64(w)
		}
	}
}

var infBits = uint32(entry.KindF32.Unreachable())

func intWords[E integer](x *numbers, dst []uint32, raw []E, w wordRange) {
	none, has := E(x.noneInt), x.hasNone
	for i, e := range raw {
		switch {
		case x.float && has && e == none:
			dst[i] = infBits
		case x.float && x.scale == 1:
			dst[i] = math.Float32bits(float32(e))
		case x.float:
			dst[i] = math.Float32bits(float32(int64(e) * x.scale))
		case has && e == none:
			dst[i] = uint32(w.none)
		default:
			dst[i] = uint32(min(int64(e)*x.scale, int64(w.most)))
		}
	}
}

func intValues[E integer](x *numbers, dst []float64, raw []E) {
	for i, e := range raw {
		dst[i] = float64(e)
		if x.hasNone && e == E(x.noneInt) {
			dst[i] = math.Inf(1)
		} else if x.scale > 1 {
			dst[i] = float64(int64(e) * x.scale)
		}
	}
}

func floatValues[E float32 | float64](x *numbers, dst []float64, raw []E) {
	none := E(x.none)
	for i, e := range raw {
		dst[i] = float64(e) + 0 // there is no −0
		if e == none || e != e {
			dst[i] = math.Inf(1)
		} else if x.scale > 1 && !math.IsInf(dst[i], 1) {
			r, _ := scaled(x, e)
			dst[i] = float64(r)
		}
	}
}

func floatWords[E float32 | float64](x *numbers, dst []uint32, raw []E, w wordRange) {
	none, inf := E(x.none), E(math.Inf(1))
	for i, e := range raw {
		switch {
		case e == none || e == inf || e != e:
			dst[i] = uint32(w.none)
			if x.float {
				dst[i] = infBits
			}
		case x.float && x.scale == 1:
			f := float32(e)
			if f == 0 {
				f = 0 // also where it was −0
			}
			dst[i] = math.Float32bits(f)
		case x.scale == 1:
			dst[i] = uint32(min(int32(e), w.most))
		default:
			r, _ := scaled(x, e)
			if x.float {
				dst[i] = math.Float32bits(float32(r))
			} else {
				dst[i] = uint32(min(int32(r), w.most))
			}
		}
	}
}

// scaled returns the decimal that x stands for times the scale. One with up to 15 digits (6 in float32) is
// the only such one near its entry, so that a product that leads back to the entry is the exact one.
func scaled[E float32 | float64](x *numbers, e E) (int64, number.State) {
	unique := 1e15
	if unsafe.Sizeof(e) == 4 {
		unique = 1e6
	}
	if y := math.RoundToEven(float64(e) * float64(x.scale)); x.ten && math.Abs(y) < unique && E(y/float64(x.scale)) == e {
		return int64(y), number.Integer
	}
	var buf [32]byte
	tok := strconv.AppendFloat(buf[:0], float64(e), 'g', -1, 8*int(unsafe.Sizeof(e)))
	d, _ := number.Scan(tok)
	return d.Times(x.scale, tok)
}

// survey is what a pass over entries finds. The zero value has seen none.
type survey struct {
	arcs     int64
	zeros    int64   // of these arcs, of length 0
	lo, hi   float64 // weights times the scale, in double precision
	fraction bool    // some such weight is not an integer
	rounded  bool    // some such weight is no float32
	nan      bool
}

func (s *survey) add(arcs int64, lo, hi float64) {
	if arcs == 0 {
		return
	}
	if s.arcs == 0 {
		s.lo, s.hi = lo, hi
	}
	s.arcs += arcs
	s.lo, s.hi = min(s.lo, lo), max(s.hi, hi)
}

func (s *survey) merge(t survey) {
	s.add(t.arcs, t.lo, t.hi)
	s.zeros += t.zeros
	s.fraction, s.nan = s.fraction || t.fraction, s.nan || t.nan
	s.rounded = s.rounded || t.rounded
}

// over reports whether an integer weight has a magnitude beyond most.
func (s *survey) over(most float64) bool { return s.hi > most || s.lo < -most }

// tooWide reports whether a weight is infinite as a float32.
func (s *survey) tooWide() bool {
	return math.IsInf(float64(float32(s.hi)), 1) || math.IsInf(float64(float32(s.lo)), -1)
}

func surveyInts[E integer](x *numbers, raw []E, s *survey) {
	none, has := E(x.noneInt), x.hasNone
	if has {
		for len(raw) > 0 && raw[0] == none {
			raw = raw[1:]
		}
	}
	if len(raw) == 0 {
		return
	}
	lo, hi, arcs := raw[0], raw[0], int64(0)
	for _, e := range raw {
		if has && e == none {
			continue
		}
		if e == 0 {
			s.zeros++
		}
		arcs++
		lo, hi = min(lo, e), max(hi, e)
	}
	s.add(arcs, float64(lo)*float64(x.scale), float64(hi)*float64(x.scale))
	if x.float && s.over(1<<24) {
		for _, e := range raw {
			w := float64(e) * float64(x.scale)
			s.rounded = s.rounded || float64(float32(w)) != w && !(has && e == none)
		}
	}
}

func surveyFloats[E float32 | float64](x *numbers, raw []E, s *survey) {
	none, inf := E(x.none), E(math.Inf(1))
	lo, hi, arcs, rounded := math.Inf(1), math.Inf(-1), int64(0), s.rounded
	for _, e := range raw {
		if e == none || e == inf {
			continue
		}
		if e != e {
			s.nan = s.nan || none == none
			continue
		}
		w := float64(e)
		if x.scale > 1 {
			w = surveyScaled(x, e, s)
		} else if w != float64(int32(w)) {
			s.fraction = s.fraction || w != math.Trunc(w)
		}
		if w == 0 {
			s.zeros++
		}
		if float64(float32(w)) != w {
			rounded = true
		}
		arcs++
		if w < lo {
			lo = w
		}
		if w > hi {
			hi = w
		}
	}
	s.rounded = rounded
	s.add(arcs, lo, hi)
}

func surveyScaled[E float32 | float64](x *numbers, e E, s *survey) float64 {
	if math.IsInf(float64(e), 0) {
		return float64(e)
	}
	r, state := scaled(x, e)
	s.fraction = s.fraction || state == number.Fraction
	if state == number.Huge {
		return math.Copysign(math.MaxFloat64, float64(e))
	}
	return float64(r)
}
