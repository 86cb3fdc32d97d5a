package graph

import (
	"fmt"
	"strconv"
	"strings"

	"ooc/engine/graph/internal/number"
	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles/class"
)

// ErrBadInput is what every error about the content of an input matches with errors.Is.
var ErrBadInput = class.New(class.Input, "bad input")

// ErrNegativeCycle is what a *NegativeCycleError matches with errors.Is.
var ErrNegativeCycle = class.New(class.NegativeCycle, "negative cycle")

// ErrOptions is what an error about Options matches with errors.Is.
var ErrOptions = number.ErrOption

// ErrChanged is what the error about a file that changed while it was read matches with errors.Is.
var ErrChanged = class.New(class.Input, "the file changed while it was read")

// ErrNoVertex is wrapped by the error of a look-up of an id that the input does not have.
var ErrNoVertex = class.New(class.Input, "no such vertex")

// InputError says what is wrong with an input, and where. It matches ErrBadInput.
type InputError struct {
	File   string // as the caller named it; "" for graphs built in memory
	Line   int64  // 1-based line; 0 where the error concerns the whole input
	Reason string
}

// Error returns file:line: reason.
func (e *InputError) Error() string { return where(e.File, e.Line) + e.Reason }

// Unwrap returns ErrBadInput.
func (e *InputError) Unwrap() error { return ErrBadInput }

// RangeError says that distances cannot be shown to fit the kind of number asked for. It matches
// ErrBadInput.
type RangeError struct {
	File  string
	Line  int64 // the line of a single weight that is too large; 0 where a bound over all arcs is
	Kind  entry.Kind
	Bound float64 // the smallest bound that could be shown, in the graph's (scaled) units
	Limit float64 // what distances must stay below
	What  string  // what Bound is, before its number
	Hint  string  // what the user can do
}

// Error names the bound, the limit and what the user can do.
func (e *RangeError) Error() string {
	return fmt.Sprintf("%s%s %s, and distances of kind %s must stay below %s: %s", where(e.File, e.Line),
		e.What, text.Numbers{}.Append(nil, e.Bound), e.Kind, text.Numbers{}.Append(nil, e.Limit), e.Hint)
}

// Unwrap returns ErrBadInput.
func (e *RangeError) Unwrap() error { return ErrBadInput }

// kindHints are what the user can do when distances do not fit a kind.
var kindHints = map[entry.Kind]string{
	entry.KindU8: "use --kind u16", entry.KindU16: "use --kind i32",
	entry.KindI32: "use --kind f64", entry.KindF32: "use --kind f64", // which holds integers up to 2⁵³
	entry.KindF64: "divide the weights by a power of two",
}

func kindHint(kind entry.Kind, scale int64) string {
	if scale > 1 && !kind.Float() {
		return "use a smaller --scale, or " + strings.TrimPrefix(kindHints[kind], "use ")
	}
	return kindHints[kind]
}

// NegativeCycleError names one negative cycle of a graph. It matches ErrNegativeCycle.
type NegativeCycleError struct {
	File    string
	Line    int64        // where the cycle is one line of the input (a self-loop); else 0
	Cycle   []string     // the ids of its vertices in order, the first not repeated at the end
	Length  float64      // in the input's units
	Numbers text.Numbers // how Length is written
	Hint    string       // "" or what to try
}

// Error prints the cycle, shortened in the middle where it is long, and its length.
func (e *NegativeCycleError) Error() string {
	const most = 16
	ids := append(append([]string(nil), e.Cycle...), e.Cycle[0])
	if len(ids) > most {
		skipped := fmt.Sprintf("(%d more)", len(ids)-most)
		ids = append(append(ids[:most/2:most/2], skipped), ids[len(ids)-most/2:]...)
	}
	text := fmt.Sprintf("%snegative cycle of length %s: %s", where(e.File, e.Line),
		e.Numbers.Text(e.Length), strings.Join(ids, " → "))
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap returns ErrNegativeCycle.
func (e *NegativeCycleError) Unwrap() error { return ErrNegativeCycle }

func where(file string, line int64) string {
	switch {
	case line > 0:
		return file + ":" + strconv.FormatInt(line, 10) + ": "
	case file != "":
		return file + ": "
	}
	return ""
}
