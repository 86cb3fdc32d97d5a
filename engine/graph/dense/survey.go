package dense

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/number"
	"ooc/engine/internal/parallel"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

const (
	surveyBlock = 4 << 20  // bytes of lines that a goroutine looks at in a go
	surveyMost  = 64 << 20 // and all of them together
)

// noLine is what a surveyor has not found: no matrix has as many lines.
const noLine = math.MaxInt

// surveyor is a survey of a Matrix in progress.
type surveyor struct {
	d *Matrix

	mu    sync.Mutex // guards the rest
	total survey
	// The first line with an entry that no matrix may have, and what is wrong with it; with a negative one on
	// the diagonal; with a negative one elsewhere; with an integer beyond int32; with one that float32 rounds.
	bad, loop, below, huge, rounded int
	err                             error
}

// survey looks at every entry, and settles the kind and the facts. Meanwhile the checksum is taken.
func (d *Matrix) survey() error {
	s := &surveyor{d: d, bad: noLine, loop: noLine, below: noLine, huge: noLine, rounded: noLine}
	d.largest = make([]float64, d.n)
	var g errgroup.Group
	g.Go(func() error {
		_, err := d.SHA256()
		return err
	})
	size := int(d.lineBytes())
	per := max(1, min(d.n, surveyBlock/size, surveyMost/runtime.GOMAXPROCS(0)/size))
	err := parallel.Do(context.Background(), entry.CeilDiv(d.n, per), func() func(int) error {
		raw, weights := newBuffer(per*size), make([]float64, d.n)
		return func(block int) error { return s.block(block*per, raw[:min(per, d.n-block*per)*size], weights) }
	}, func() {})
	if err := cmp.Or(err, g.Wait(), d.unchanged(), s.noPath(), s.err); err != nil {
		return err
	}
	return s.settle()
}

// block surveys the lines from one on that fill raw, up to one that may not stand. If there is one before them, it
// leaves them out.
func (s *surveyor) block(first int, raw []byte, weights []float64) error {
	s.mu.Lock()
	over := s.bad < first
	s.mu.Unlock()
	if over {
		return nil
	}
	if err := s.d.readAt(raw, first, 0); err != nil {
		return err
	}
	size := int(s.d.lineBytes())
	for k := range len(raw) / size {
		s.d.numbers.weightsOf(weights, raw[k*size:(k+1)*size])
		if !s.line(first+k, weights) {
			break
		}
	}
	return nil
}

// line surveys a line, and reports whether it may stand.
func (s *surveyor) line(u int, weights []float64) bool {
	var found, loop survey
	found.see(weights[:u])
	loop.see(weights[u : u+1])
	found.see(weights[u+1:])
	if s.d.numbers.ones && found.arcs > 0 && !math.IsInf(found.lo, -1) { // which is refused
		found.lo, found.hi, found.fraction, found.rounded = 1, 1, false, false
	}
	s.d.largest[u] = max(found.hi, -found.lo)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total.merge(found)
	if s.d.numbers.objectsTo(found) != "" || math.IsInf(loop.lo, -1) {
		if u < s.bad {
			s.bad, s.err = u, s.d.objection(u)
		}
		return false
	}
	if loop.lo < 0 {
		s.loop = min(s.loop, u)
	}
	if found.rounded {
		s.rounded = min(s.rounded, u)
	}
	if found.lo < 0 {
		s.below = min(s.below, u)
	}
	if found.over(math.MaxInt32) {
		s.huge = min(s.huge, u)
	}
	return true
}

// noPath asks about entries that stand for no path elsewhere, if there are not so many zeros that these come first.
func (s *surveyor) noPath() error {
	d, x := s.d, s.d.numbers
	lo, hi := s.total.lo/float64(x.scale), s.total.hi/float64(x.scale)
	switch {
	case x.noArc || CheckZeros(d.name, s.total.zeros, int64(d.n)*int64(d.n-1)) != nil:
	case number.NoPath(hi):
		return MayBeNoPath(d.name, noPathText(hi), 0)
	case lo == -1:
		return MayBeNoPath(d.name, noPathText(lo), 0)
	}
	return nil
}

// settle draws the conclusions.
func (s *surveyor) settle() error {
	d, x := s.d, s.d.numbers
	kind := x.want
	if kind == graph.KindAuto {
		kind = entry.KindI32
		if s.total.fraction {
			kind = entry.KindF32
		}
	}
	if !kind.Float() && s.huge != noLine {
		return d.tooLarge(d.find(s.huge, func(one survey) bool { return one.over(math.MaxInt32) }))
	}
	if !x.noArc {
		if err := CheckZeros(d.name, s.total.zeros, int64(d.n)*int64(d.n-1)); err != nil {
			return err
		}
	}
	f := &d.facts
	f.Kind, f.Arcs, f.MinWeight, f.MaxWeight = kind, s.total.arcs, s.total.lo, s.total.hi
	if kind == entry.KindF32 {
		f.MinWeight, f.MaxWeight = float64(float32(s.total.lo))+0, float64(float32(s.total.hi))+0
	}
	f.Negative = f.MinWeight < 0
	if s.loop != noLine {
		w, _ := strconv.ParseFloat(d.text(cell{s.loop, s.loop}), 64)
		return &graph.NegativeCycleError{File: d.name, Cycle: []string{f.IDs.Name(s.loop)}, Length: w,
			Numbers: f.Numbers(), Hint: "it is on the diagonal"}
	}
	if kind == entry.KindF32 && s.rounded != noLine {
		d.src.Remarks = append(d.src.Remarks, d.rounded(d.find(s.rounded, func(one survey) bool { return one.rounded }), s.total.fraction))
	}
	if f.Negative {
		d.negative = d.find(s.below, func(one survey) bool { return one.lo < 0 })
	}
	x.settle(kind)
	one, err := d.oneWay()
	f.Symmetric = err == nil && one == nil
	if err == nil && !f.Symmetric && !f.Directed {
		err = d.asymmetric(*one)
	}
	return err
}

// CheckZeros refuses a matrix of which nobody has said what is no arc, if more than one in twenty of its entries off
// the diagonal is 0: most programs write 0 where there is no arc, and here it is an arc of length 0.
func CheckZeros(file string, zeros, entries int64) error {
	if zeros <= entries/20 {
		return nil
	}
	return &graph.InputError{File: file, Reason: fmt.Sprintf("%d of the %d entries off the diagonal are 0: if 0 "+
		"means no arc, say --no-arc 0; "+
		"if these are arcs of length 0, say --no-arc inf", zeros, entries)}
}

// MayBeNoPath asks about a number that stands for no path elsewhere, so many times if they are counted.
func MayBeNoPath(file, text string, times int64) error {
	count := ""
	if times > 0 {
		count = fmt.Sprintf(" %d time(s)", times)
	}
	return &graph.InputError{File: file, Reason: fmt.Sprintf("%s is there%s, and is how programs write no path: if "+
		"it means no arc, say --no-arc %[1]s; "+
		"if it is a length, --no-arc inf", text, count)}
}

// noPathText is a number as integer types can hold it.
func noPathText(x float64) string {
	switch x {
	case math.MaxInt64:
		return strconv.FormatInt(math.MaxInt64, 10)
	case math.MaxUint64:
		return strconv.FormatUint(math.MaxUint64, 10)
	}
	return string(text.Float64.Append(nil, x))
}

// rounded says that weights are not what the input says they are, and what keeps them exact. fraction: some are no
// integers.
func (d *Matrix) rounded(e cell, fraction bool) string {
	hint := "--kind i32 is exact"
	if fraction {
		hint = "--scale keeps decimals exact in i32"
	}
	return fmt.Sprintf("weights are rounded to float32, such as %s at %s; %s, where distances fit that, and %s",
		d.text(e), d.where(e), hint, number.MoreDigits)
}

// find returns the first entry of a line, outside the diagonal, whose survey fits; if none does, that on it.
func (d *Matrix) find(line int, fits func(one survey) bool) cell {
	weights := make([]float64, d.n)
	if err := d.line(weights, line, d.newScratch()); err != nil {
		return cell{line, line}
	}
	for at := range weights {
		var one survey
		if one.see(weights[at : at+1]); at != line && fits(one) {
			return cell{line, at}
		}
	}
	return cell{line, line}
}

// Reasons of objectsTo, and what stands for one.
const (
	notFinite = "weight %s: weights are finite, or +Inf for no arc"
	tooLarge  = "too large"
)

// objectsTo says what is wrong with a weight that was seen, with %s for its text; "" if nothing is.
func (x *numbers) objectsTo(s survey) string {
	integral := x.want != graph.KindAuto && !x.want.Float()
	switch {
	case s.nan: // if it is a number
		return fmt.Sprintf("weight %%s times the scale %d is not an integer", x.scale)
	case math.IsInf(s.lo, -1):
		return notFinite
	case x.Code == "b1" && s.hi > float64(x.scale):
		return "%s is neither False nor True"
	case s.fraction && integral:
		return "weight %s is not an integer: use --kind f32, or --scale to make it one"
	case integral && s.over(math.MaxInt32), x.scale > 1 && s.over(1<<62):
		return tooLarge
	case !integral && x.want != entry.KindF64 && math.IsInf(float64(float32(max(s.hi, -s.lo))), 1):
		return "weight %s is too large for kind f32"
	}
	return ""
}

// objection returns the error about the first entry of a line that there is something wrong with.
func (d *Matrix) objection(line int) error {
	reason := notFinite // on the diagonal
	e := d.find(line, func(one survey) bool {
		about := d.numbers.objectsTo(one)
		if about != "" {
			reason = about
		}
		return about != ""
	})
	text := d.text(e)
	switch {
	case reason == tooLarge:
		return d.tooLarge(e)
	case text == "nan":
		reason = notFinite + "; --no-arc nan makes NaN no arc"
	}
	return d.failAt(e, reason, text)
}

func (d *Matrix) tooLarge(e cell) error {
	text := d.text(e)
	x, _ := strconv.ParseFloat(text, 64)
	scale := d.numbers.scale
	return graph.TooLarge(d.name, 0, "weight "+text+" at "+d.where(e), math.Abs(x)*float64(scale), scale)
}
