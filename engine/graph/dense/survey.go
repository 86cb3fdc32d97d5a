package dense

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/number"
	"ooc/engine/internal/parallel"
	"ooc/kernels/entry"
)

const (
	surveyBlock = 4 << 20  // bytes of lines that a goroutine looks at in a go
	surveyMost  = 64 << 20 // and all of them together
)

// surveyed is what was found in each line of a Matrix, without its entry on the diagonal unless that is −Inf.
type surveyed struct {
	d     *Matrix
	lines []survey
	loops []float64 // the weights on the diagonal
	total survey
	bad   atomic.Int64 // the first line so far with an entry that no matrix may have
}

// survey looks at every entry, and settles the kind and the facts. Meanwhile the checksum is taken.
func (d *Matrix) survey() error {
	s := &surveyed{d: d, lines: make([]survey, d.n), loops: make([]float64, d.n)}
	s.bad.Store(int64(d.n))
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
	if err := cmp.Or(err, g.Wait(), d.unchanged()); err != nil {
		return err
	}
	s.lines = s.lines[:min(int(s.bad.Load())+1, d.n)] // what was found after it depends on how goroutines take turns
	s.total = surveyOf(nil)
	for _, one := range s.lines {
		d.sumOfLargest += max(0, one.hi, -one.lo)
		s.total.merge(one)
	}
	return s.settle()
}

// block surveys the lines from one on that fill raw, up to one that may not stand. If there is one before them, it
// leaves them out.
func (s *surveyed) block(first int, raw []byte, weights []float64) error {
	if s.bad.Load() < int64(first) {
		return nil
	}
	if err := s.d.readAt(raw, first, 0); err != nil {
		return err
	}
	x, size := s.d.numbers, int(s.d.lineBytes())
	for k := range len(raw) / size {
		x.weigh(weights, raw[k*size:(k+1)*size])
		u := first + k
		if s.loops[u] = weights[u]; !math.IsInf(weights[u], -1) {
			weights[u] = math.Inf(1)
		}
		one := &s.lines[u]
		*one = surveyOf(weights)
		if x.ones && one.arcs > 0 && !math.IsInf(one.lo, -1) { // which is refused
			one.lo, one.hi, one.fraction, one.rounded = 1, 1, false, false
		}
		if x.objectsTo(*one) {
			for was := s.bad.Load(); int64(u) < was && !s.bad.CompareAndSwap(was, int64(u)); {
				was = s.bad.Load()
			}
			break
		}
	}
	return nil
}

// first returns the first entry that fits, and whether there is one. It is on the diagonal only if no other of its line
// fits.
func (s *surveyed) first(fits func(one survey) bool) (e cell, ok bool) {
	d, weights := s.d, make([]float64, s.d.n)
	if e.line = slices.IndexFunc(s.lines, fits); e.line < 0 {
		return e, false
	}
	e.at = e.line
	if err := d.line(weights, e.line, d.newScratch()); err != nil {
		return e, true
	}
	for at := range weights {
		if at != e.line && fits(surveyOf(weights[at:at+1])) {
			return cell{e.line, at}, true
		}
	}
	return e, true
}

// settle draws the conclusions.
func (s *surveyed) settle() error {
	d, x, total := s.d, s.d.numbers, s.total
	var zeros error
	if !x.noArc {
		zeros = CheckZeros(d.name, total.zeros, int64(len(s.lines))*int64(d.n-1))
	}
	least, _ := s.first(func(one survey) bool { return one.lo == total.lo })
	most, _ := s.first(func(one survey) bool { return one.hi == total.hi })
	switch scale := float64(x.scale); {
	case x.noArc || zeros != nil: // if there are so many zeros, these come first
	case number.NoPath(total.hi / scale):
		return MayBeNoPath(d.name, d.text(most), 0)
	case total.lo/scale == -1:
		return MayBeNoPath(d.name, d.text(least), 0)
	}
	if e, found := s.first(x.objectsTo); found {
		return d.refused(e, x.want)
	}
	kind := x.want
	if kind == graph.KindAuto {
		kind = entry.KindI32
		if total.fraction {
			kind = entry.KindF32
		}
	}
	e, huge := s.first(func(one survey) bool { return one.over(math.MaxInt32) })
	if huge && !kind.Float() {
		return d.refused(e, kind)
	}
	if zeros != nil {
		return zeros
	}
	f := &d.facts
	f.Kind, f.Arcs = kind, total.arcs
	if f.Arcs > 0 {
		f.MinWeight, f.MaxWeight = total.lo, total.hi
	}
	if kind == entry.KindF32 {
		f.MinWeight, f.MaxWeight = float64(float32(f.MinWeight))+0, float64(float32(f.MaxWeight))+0
	}
	f.Negative = f.MinWeight < 0
	if v := slices.IndexFunc(s.loops, func(w float64) bool { return w < 0 }); v >= 0 {
		w, _ := strconv.ParseFloat(d.text(cell{v, v}), 64)
		return &graph.NegativeCycleError{File: d.name, Cycle: []string{f.IDs.Name(v)}, Length: w,
			Numbers: f.Numbers(), Hint: "it is on the diagonal"}
	}
	if e, found := s.first(func(one survey) bool { return one.rounded }); found && kind == entry.KindF32 {
		d.src.Remarks = append(d.src.Remarks, d.rounded(e, total.fraction))
	}
	d.negative = least
	x.settle(kind)
	one, err := d.oneWay()
	f.Symmetric = err == nil && one == nil
	if err == nil && !f.Symmetric && !f.Directed {
		back := cell{one.at, one.line}
		err = &graph.InputError{File: d.name,
			Reason: fmt.Sprintf("the matrix is not symmetric, as --undirected says: %s has %s, %s has %s",
				d.where(*one), d.text(*one), d.where(back), d.text(back))}
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

// objectsTo reports whether a weight was seen that no matrix of the kind may have.
func (x *numbers) objectsTo(s survey) bool {
	integral := x.want != graph.KindAuto && !x.want.Float()
	return s.nan || math.IsInf(s.lo, -1) || // if a number is not one, it is no integer when it is scaled
		x.Code == "b1" && s.hi > float64(x.scale) ||
		integral && (s.fraction || s.over(math.MaxInt32)) || x.scale > 1 && s.over(1<<62) ||
		!integral && x.want != entry.KindF64 && math.IsInf(float64(float32(max(s.hi, -s.lo))), 1)
}

// refused returns the error about an entry that a matrix of a kind may not have: that about a text which says the same.
func (d *Matrix) refused(e cell, kind entry.Kind) error {
	text, scale := d.text(e), d.numbers.scale
	err := error(&graph.InputError{File: d.name, Reason: text + " is neither False nor True"})
	in := graph.Intake{File: d.name,
		Weigh: number.Weighing{Want: kind, Scale: scale, Float: kind.Float() && scale == 1}}
	_ = in.Weigh.SetNone("") // which is fine, and has the error about NaN say what makes it no arc
	if d.numbers.Code != "b1" {
		_, _, err = in.Word([]byte(text), 0)
	}
	switch about := err.(type) {
	case *graph.InputError:
		about.Reason = d.where(e) + ": " + about.Reason
	case *graph.RangeError:
		about.What = d.where(e) + ": " + about.What
	}
	return err
}
