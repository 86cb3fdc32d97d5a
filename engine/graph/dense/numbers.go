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

	noArc bool    // somebody has said what is no arc
	none  float64 // what no arc looks like, beside +Inf

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
		return string(text.Numbers{}.Append(nil, decimalOfHalf(halfValue(entry.View[uint16](raw)[0]))))
	}},
	"f4": floats[float32](32, text.NumbersOf(entry.KindF32, 1)),
	"f8": floats[float64](64, text.Numbers{}),
}

func integers[E entry.Word](lo int64, hi uint64) entryType {
	return entryType{lo: lo, hi: hi, weights: weightsOf[E],
		text: func(raw []byte) string { return fmt.Sprint(entry.View[E](raw)[0]) }}
}

func floats[E float32 | float64](bits int, digits text.Numbers) entryType {
	return entryType{bits: bits, weights: weightsOf[E],
		text: func(raw []byte) string { return string(digits.Append(nil, float64(entry.View[E](raw)[0]))) }}
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
	if o.NoArc != "" {
		err = x.setNoArc(weigh, o.NoArc)
	}
	return x, err
}

// settle fixes the kind. From then on weights are rounded to it.
func (x *numbers) settle(kind entry.Kind) { x.want, x.float = kind, kind == entry.KindF32 }

// setNoArc reads what no arc looks like. In a floating type it is the entry nearest to the number.
func (x *numbers) setNoArc(weigh number.Weighing, text string) error {
	if err := weigh.SetNone(text); err != nil {
		return err
	}
	x.noArc, x.none = true, weigh.None
	tok := []byte(strings.TrimSpace(text))
	_, named := number.Special(tok)
	switch {
	case x.bits == 32:
		x.none = float64(float32(x.none))
	case x.bits == 16 && x.scale > 1:
		x.none = decimalOfHalf(nearestHalf(x.none))
	case x.bits == 16:
		x.none = nearestHalf(x.none)
	case x.bits > 0 || named && x.none > 0: // no integer looks like +Inf
	case x.none != math.Trunc(x.none), x.none < float64(x.lo), x.none > float64(x.hi):
		return number.BadOption("--no-arc %s is no value of the matrix's type, %s…%d", number.Quoted(tok),
			strconv.FormatInt(x.lo, 10), x.hi)
	}
	return nil
}

// weigh writes the weights of entries in stored units, +Inf where there is no arc. A NaN is no number, or a number
// that the scale does not make an integer. It changes raw.
func (x *numbers) weigh(dst []float64, raw []byte) {
	x.swap(raw)
	x.weights(x, dst, raw)
}

// swap puts the bytes of entries into this machine's order, as the store's: least significant first.
func (x *numbers) swap(raw []byte) {
	for k := 0; x.Big && k < len(raw); k += x.Size() {
		slices.Reverse(raw[k:][:x.Size()])
	}
}

// weightsOf is weigh for entries in this machine's order.
func weightsOf[E entry.Word](x *numbers, dst []float64, raw []byte) {
	weightsFrom(x, dst, entry.View[E](raw))
}

func weightsFrom[E entry.Word](x *numbers, dst []float64, entries []E) {
	none, noneIsNaN, single := x.none, x.none != x.none, x.float && x.scale == 1
	for i, e := range entries {
		w := float64(e)
		if w == none || noneIsNaN && w != w {
			w = math.Inf(1)
		} else if single {
			w = float64(float32(e)) // rounded once, and not an integer to a float64 before
		}
		dst[i] = w + 0 // there is no −0
	}
	for i := 0; x.scale > 1 && i < len(dst); i++ {
		if w := dst[i]; w-w == 0 { // finite
			dst[i] = x.scaled(w)
		}
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
	if x.bits > 0 && !(x.ten && math.Abs(y) < unique && back == w) {
		var buf [32]byte
		tok := strconv.AppendFloat(buf[:0], w, 'g', -1, bits)
		switch r, state := number.Times(tok, x.scale); state {
		case number.Integer:
			y = float64(r)
		case number.Huge:
			y = math.Copysign(math.MaxFloat64, w)
		default:
			y = math.NaN()
		}
	}
	if x.float {
		y = float64(float32(y))
	}
	return y
}

// survey is what is found in weights.
type survey struct {
	arcs     int64
	zeros    int64   // of these arcs, of length 0
	lo, hi   float64 // of the weights; +Inf and −Inf without arcs
	fraction bool    // some weight is not an integer
	rounded  bool    // some weight is no float32
	nan      bool
}

// surveyOf returns what is found in weights.
func surveyOf(weights []float64) survey {
	s := survey{lo: math.Inf(1), hi: math.Inf(-1)}
	for _, w := range weights {
		if k := int32(w); float64(k) != w || k > 1<<24 || k < -1<<24 {
			if w > math.MaxFloat64 || w != w {
				s.nan = s.nan || w != w
				continue
			}
			s.fraction = s.fraction || w != math.Trunc(w)
			s.rounded = s.rounded || float64(float32(w)) != w
		} else if k == 0 {
			s.zeros++
		}
		s.arcs++
		if w < s.lo {
			s.lo = w
		}
		if w > s.hi {
			s.hi = w
		}
	}
	return s
}

func (s *survey) merge(t survey) {
	s.arcs += t.arcs
	s.zeros += t.zeros
	s.lo, s.hi = min(s.lo, t.lo), max(s.hi, t.hi)
	s.fraction, s.rounded, s.nan = s.fraction || t.fraction, s.rounded || t.rounded, s.nan || t.nan
}

// over reports whether a weight has a magnitude beyond most.
func (s *survey) over(most float64) bool { return s.hi > most || s.lo < -most }
