package dense

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
	float bool  // the kind was settled, and is f32
	ones  bool  // every arc weighs 1, whatever its entry

	noArc   bool    // somebody has said what is no arc
	none    float64 // of floating types: what no arc looks like, beside +Inf
	hasNone bool    // of integer types: noneInt looks like no arc
	noneInt uint64  // in two's complement

	half []float64 // of float16: what each pattern of bits stands for
}

// entryType is what depends on the type of entries.
type entryType struct {
	weights func(x *numbers, dst []float64, raw []byte)
	text    func(raw []byte) string
	bits    int // of floating types, their precision
	lo      int64
	hi      uint64
}

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
	"f2": {bits: 16, weights: halfWeights, text: func(raw []byte) string {
		return string(text.Float64.Append(nil, decimalOfHalf(halfValue(entry.View[uint16](raw)[0]))))
	}},
	"f4": floats[float32](32, text.NumbersOf(entry.KindF32, 1)),
	"f8": floats[float64](64, text.Float64),
}

func integers[E entry.Word](lo int64, hi uint64) entryType {
	return entryType{lo: lo, hi: hi, text: func(raw []byte) string { return fmt.Sprint(entry.View[E](raw)[0]) },
		weights: func(x *numbers, dst []float64, raw []byte) {
			all, scale := entry.View[E](raw), float64(x.scale)
			for i, e := range all {
				dst[i] = float64(e) * scale
			}
			if x.float && x.scale == 1 { // rounded once, and not to a float64 before
				for i, e := range all {
					dst[i] = float64(float32(e))
				}
			}
			if x.hasNone {
				for i, e := range all {
					if e == E(x.noneInt) {
						dst[i] = math.Inf(1)
					}
				}
			}
		}}
}

func floats[E float32 | float64](bits int, digits text.Numbers) entryType {
	return entryType{bits: bits,
		text:    func(raw []byte) string { return string(digits.Append(nil, float64(entry.View[E](raw)[0]))) },
		weights: func(x *numbers, dst []float64, raw []byte) { weigh(x, dst, entry.View[E](raw)) }}
}

// newNumbers returns what reads the entries of an array.
func newNumbers(d npy.Type, o Options) (*numbers, error) {
	weigh, err := number.NewWeighing(o.Kind, o.Scale)
	if err != nil {
		return nil, err
	}
	x := &numbers{Type: d, entryType: entryTypes[d.Code], want: weigh.Want, scale: weigh.Scale, ones: o.Unweighted,
		none: math.Inf(1)}
	x.ten = number.IsPowerOfTen(x.scale)
	if x.want == graph.KindAuto && (x.bits == 0 || x.ones) {
		x.want = entry.KindI32
	}
	if x.bits == 16 {
		x.half = halfTable(x.scale > 1)
	}
	return x, x.setNoArc(o.NoArc)
}

// settle fixes the kind. From then on weights are rounded to it.
func (x *numbers) settle(kind entry.Kind) { x.want, x.float = kind, kind == entry.KindF32 }

// setNoArc reads what no arc looks like. In a floating type it is the entry nearest to the number.
func (x *numbers) setNoArc(text string) error {
	if text == "" {
		return nil
	}
	x.noArc = true
	tok := []byte(strings.TrimSpace(text))
	value, isSpecial := number.Special(tok)
	_, isDecimal := number.Parse(tok)
	switch {
	case !isSpecial && !isDecimal:
		return number.BadOption("--no-arc %s is not a number", number.Quoted(tok))
	case x.bits > 0:
		if isDecimal {
			value, _ = strconv.ParseFloat(string(tok), max(32, x.bits)) // +Inf or −Inf where it is too large
		}
		if x.bits == 16 {
			value = nearestHalf(value)
		}
		if x.bits == 16 && x.scale > 1 {
			value = decimalOfHalf(value)
		}
		x.none = value
		return nil
	case isSpecial && math.IsInf(value, 1):
		return nil // no integer looks like that
	}
	u, uErr := strconv.ParseUint(string(tok), 10, 64)
	i, iErr := strconv.ParseInt(string(tok), 10, 64)
	k, state := number.Times(tok, 1)
	switch {
	case uErr == nil && u <= x.hi:
		x.noneInt = u
	case iErr == nil && i < 0 && i >= x.lo:
		x.noneInt = uint64(i)
	case isDecimal && state == number.Integer && k >= x.lo && (k < 0 || uint64(k) <= x.hi):
		x.noneInt = uint64(k)
	default:
		return number.BadOption("--no-arc %s is no value of the matrix's type, %s…%d", number.Quoted(tok),
			strconv.FormatInt(x.lo, 10), x.hi)
	}
	x.hasNone = true
	return nil
}

// weightsOf writes the weights of entries in stored units, +Inf where there is no arc. A NaN is no number, or a number
// that the scale does not make an integer. It changes raw.
func (x *numbers) weightsOf(dst []float64, raw []byte) {
	if x.Big {
		x.swap(raw)
	}
	x.weights(x, dst, raw)
}

// swap puts the bytes of entries into this machine's order, as the store's: least significant first.
func (x *numbers) swap(raw []byte) {
	for each := range slices.Chunk(raw, x.Size()) {
		slices.Reverse(each)
	}
}

// weigh makes weights of floating-point entries.
func weigh[E float32 | float64](x *numbers, dst []float64, raw []E) {
	none, noneIsNaN, scaled, single := x.none, x.none != x.none, x.scale > 1, x.float
	for i, e := range raw {
		w := float64(e)
		switch {
		case w == none || w != w && noneIsNaN:
			w = math.Inf(1)
		case scaled && w-w == 0: // finite
			w = x.scaled(w)
		}
		if single {
			w = float64(float32(w))
		}
		dst[i] = w + 0 // there is no −0
	}
}

// scaled returns the decimal that an entry stands for times the scale, NaN where that is no integer. One with up to 15
// digits (6 in float32) is the only such one near its entry, so that a product that leads back to the entry is the
// exact one.
func (x *numbers) scaled(w float64) float64 {
	y := math.RoundToEven(w * float64(x.scale))
	back, unique, bits := y/float64(x.scale), 1e15, 64
	if x.bits == 32 {
		back, unique, bits = float64(float32(back)), 1e6, 32
	}
	if x.ten && math.Abs(y) < unique && back == w {
		return y
	}
	var buf [32]byte
	tok := strconv.AppendFloat(buf[:0], w, 'g', -1, bits)
	switch r, state := number.Times(tok, x.scale); state {
	case number.Integer:
		return float64(r)
	case number.Huge:
		return math.Copysign(math.MaxFloat64, w)
	}
	return math.NaN()
}

// survey is what a pass over weights finds. The zero value has seen none.
type survey struct {
	arcs     int64
	zeros    int64   // of these arcs, of length 0
	lo, hi   float64 // of the weights
	fraction bool    // some weight is not an integer
	rounded  bool    // some weight is no float32
	nan      bool
}

// see adds weights.
func (s *survey) see(weights []float64) {
	t := survey{lo: math.Inf(1), hi: math.Inf(-1)}
	for _, w := range weights {
		if k := int32(w); float64(k) != w || k > 1<<24 || k < -1<<24 {
			if w > math.MaxFloat64 || w != w {
				t.nan = t.nan || w != w
				continue
			}
			t.fraction = t.fraction || w != math.Trunc(w)
			t.rounded = t.rounded || float64(float32(w)) != w
		} else if k == 0 {
			t.zeros++
		}
		t.arcs++
		if w < t.lo {
			t.lo = w
		}
		if w > t.hi {
			t.hi = w
		}
	}
	s.merge(t)
}

func (s *survey) merge(t survey) {
	switch {
	case s.arcs == 0 && t.arcs > 0:
		s.lo, s.hi = t.lo, t.hi
	case t.arcs > 0:
		s.lo, s.hi = min(s.lo, t.lo), max(s.hi, t.hi)
	}
	s.arcs += t.arcs
	s.zeros += t.zeros
	s.fraction, s.rounded, s.nan = s.fraction || t.fraction, s.rounded || t.rounded, s.nan || t.nan
}

// over reports whether a weight has a magnitude beyond most.
func (s *survey) over(most float64) bool { return s.hi > most || s.lo < -most }
