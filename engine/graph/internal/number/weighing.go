package number

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"ooc/kernels/entry"
)

// Auto is the kind that Weighing settles: i32 until a weight is not an integer.
const Auto entry.Kind = ""

// Weighing turns the text of weights into words: int32, or the bits of a float32 once Float is set; of kind f64, see
// Double.
type Weighing struct {
	Want  entry.Kind // Auto: int32 until a weight is not an integer
	Scale int64
	Float bool

	Integral bool // the header says that weights are integers

	asks    bool    // the input is a matrix, in which a number may be no arc
	hasNone bool    // None is one
	None    float64 // maybe NaN

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
	case kind != Auto && !kind.Valid():
		return w, BadOption("kind %q is not one of %v and %s", kind, entry.Kinds, entry.KindU8)
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
	bad      // reason is set
	TooLarge // an integer beyond int32
)

// Word reads one weight. If it is the first one that is not an integer, it may set Float: words that were read before
// are int32 then, and those from now on are not. The reason, where the verdict is bad, does not name the line.
func (w *Weighing) Word(tok []byte) (word uint32, v verdict, reason string) {
	x, ok := Parse(tok)
	if !ok {
		return w.notNumber(tok)
	}
	if w.Integral && !whole(tok, x) {
		return 0, bad, "weight " + Quoted(tok) + " is not an integer, as the header says it is"
	}
	if w.Scale > 1 {
		r, state := Times(tok, w.Scale)
		switch {
		case state == Fraction:
			return 0, bad, fmt.Sprintf("weight %s times the scale %d is not an integer", Quoted(tok), w.Scale)
		case state == Huge && w.Float: // as a float32 it may do
			return w.floatWord(tok, x*float64(w.Scale), float32(x*float64(w.Scale)))
		case state == Huge:
			return 0, TooLarge, ""
		case w.Float:
			return w.floatWord(tok, float64(r), float32(r))
		}
		return w.intWord(tok, float64(r))
	}
	switch {
	case w.Want == entry.KindF64, !w.Float && whole(tok, x):
		return w.intWord(tok, x)
	case !w.Float && w.Want != Auto:
		return 0, bad, fmt.Sprintf("weight %s is not an integer: use --kind f32, or --scale to make it one",
			Quoted(tok))
	}
	w.Fraction = w.Fraction || w.Want == Auto && !whole(tok, x)
	w.Float = true
	return w.floatWord(tok, x, nearest(tok, x))
}

func (w *Weighing) notNumber(tok []byte) (uint32, verdict, string) {
	x, ok := Special(tok)
	switch {
	case !ok:
		return 0, bad, "weight " + Quoted(tok) + " is not a number"
	case x > 0:
		return 0, NotArc, ""
	}
	reason := "weight " + Quoted(tok) + ": weights are finite, or +Inf for no arc"
	if w.asks && x != x {
		reason += "; --no-arc nan makes NaN no arc"
	}
	return 0, bad, reason
}

// intWord is Word for an integer in stored units, and for any number of kind f64.
func (w *Weighing) intWord(tok []byte, x float64) (uint32, verdict, string) {
	switch {
	case w.Want == entry.KindF64 && math.IsInf(x, 0):
		return 0, bad, "weight " + Quoted(tok) + " is too large for kind f64"
	case w.Want == entry.KindF64 && len(w.doubles) == math.MaxInt32:
		return 0, bad, "there are more weights than kind f64 can be read with; use --kind f32"
	case w.Want == entry.KindF64:
		return w.Double(x), Arc, ""
	case math.Abs(x) > math.MaxInt32:
		return 0, TooLarge, ""
	}
	w.Rounding.note(tok, float64(float32(x)) == x) // later ones may make all float32
	return uint32(int32(x)), Arc, ""
}

// floatWord is Word for a number in stored units, of which single is the nearest float32.
func (w *Weighing) floatWord(tok []byte, x float64, single float32) (uint32, verdict, string) {
	if math.IsInf(float64(single), 0) {
		return 0, bad, "weight " + Quoted(tok) + " is too large for kind f32"
	}
	w.Rounding.note(tok, float64(single) == x && (x != 0 || whole(tok, x)))
	return math.Float32bits(single), Arc, ""
}

// nearest returns the float32 that is nearest to a number, of which x is the nearest float64. That of x may be another
// one if x lies in the middle between two.
func nearest(tok []byte, x float64) float32 {
	const lost = 52 - 23 // bits that float32 has not
	if math.Float64bits(x)&(1<<lost-1) == 1<<(lost-1) || math.Abs(x) < 0x1p-126 {
		x, _ = strconv.ParseFloat(stringOf(tok), 32)
	}
	return float32(x) + 0
}

// IsSmall reports whether IntWord reads a weight: an integer that float32 holds, if none means no arc.
func (w *Weighing) IsSmall(x uint64) bool { return x < 1<<24 && w.Scale == 1 && !w.hasNone }

// IntWord is Word for an unscaled weight that is an int32.
func (w *Weighing) IntWord(x int32) uint32 {
	if uint32(x) < 1<<24 && !w.Float && w.Want != entry.KindF64 { // as most are
		return uint32(x)
	}
	return w.anyIntWord(x)
}

// anyIntWord is IntWord for any kind and weight.
func (w *Weighing) anyIntWord(x int32) uint32 {
	if w.Want == entry.KindF64 {
		return w.Double(float64(x))
	}
	if single := float32(x); w.Rounding.First == "" && int64(single) != int64(x) {
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
	x, ok := Parse(tok)
	if !ok {
		x, ok = Special(tok)
	}
	if !ok && text != "" {
		return BadOption("--no-arc %s is not a number", Quoted(tok))
	}
	w.asks, w.hasNone, w.None = true, ok, x
	return nil
}

// IsNone reports whether an entry of a matrix is no arc.
func (w *Weighing) IsNone(tok []byte) bool {
	x, ok := Special(tok)
	if ok && x > 0 {
		return true
	}
	if !ok && w.hasNone {
		x, ok = Parse(tok)
	}
	return ok && w.hasNone && (x == w.None || x != x && w.None != w.None)
}

// Double returns the word of a weight of kind f64, which does not fit the words that arcs are collected with: its place
// in a list. That of 0 is 0.
func (w *Weighing) Double(x float64) uint32 {
	if w.doubles == nil {
		w.doubles = append(w.doubles, 0)
	}
	if x == 0 { // or −0
		return 0
	}
	if w.doubles[len(w.doubles)-1] != x {
		w.doubles = append(w.doubles, x)
	}
	return uint32(len(w.doubles) - 1)
}

// Rounding is what float32 cannot hold of the weights that were read.
type Rounding struct {
	Places int    // digits behind the point of the weight that has most of them
	First  string // the first weight that float32 rounds; "" if there is none
	Line   int64  // where it stands; 0 where that is not known
}

// note notes a weight, which float32 holds exactly or not.
func (r *Rounding) note(tok []byte, exact bool) {
	if !exact && r.First == "" {
		r.First = string(tok)
	}
	digits, exp := cutExponent(tok)
	if point := bytes.IndexByte(digits, '.'); point >= 0 {
		digits = bytes.TrimRight(digits, "0")
		exp -= len(digits) - point - 1
		digits = bytes.TrimRight(digits, ".")
	}
	if -exp > r.Places {
		last := bytes.TrimRight(digits, "0")
		if exp += len(digits) - len(last); bytes.ContainsAny(last, "123456789") {
			r.Places = max(r.Places, -exp)
		}
	}
}
