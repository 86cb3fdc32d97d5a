// Package flagvalue holds what the flags of commands take. A value refuses what it does not want while the command
// line is read, before anything is done, and says what it wants.
package flagvalue

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"ooc/cmd/ooc/exit"
	"ooc/engine/device/registry"
	"ooc/tiles"
)

// value is a pflag.Value of any type.
type value[T comparable] struct {
	to    *T
	kind  string // for the help
	want  string
	parse func(text string) (T, error)
	ok    func(T) bool // nil: all that can be parsed
	words []string     // that a shell completes; nil: there are none
}

func (v *value[T]) String() string {
	if v.to == nil { // a zero value, which pflag makes to find out what a default looks like
		return ""
	}
	return fmt.Sprint(*v.to)
}

func (v *value[T]) Set(text string) error {
	x, err := v.parse(text)
	if err != nil || v.ok != nil && !v.ok(x) {
		return errors.New("want " + v.want)
	}
	*v.to = x
	return nil
}

func (v *value[T]) Type() string { return v.kind }

func (v *value[T]) offers() []string { return v.words }

// Whole is a whole number, in decimal.
func Whole[T int | int32 | int64](to *T, want string, ok func(T) bool) pflag.Value {
	parse := func(text string) (T, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err == nil && int64(T(n)) != n {
			err = strconv.ErrRange
		}
		return T(n), err
	}
	return &value[T]{to, "int", want, parse, ok, nil}
}

// AtLeast is a whole number that is not less than a bound.
func AtLeast(to *int, least int) pflag.Value {
	return Whole(to, fmt.Sprintf("a whole number, %d or more", least), func(n int) bool { return n >= least })
}

// Between is a whole number from lo to hi.
func Between[T int | int32 | int64](to *T, lo, hi T) pflag.Value {
	return Whole(to, fmt.Sprintf("a whole number from %d to %d", lo, hi), func(n T) bool { return lo <= n && n <= hi })
}

// Base is a whole number, 0 or more, as text: "" where none is given.
func Base(to *string) pflag.Value {
	parse := func(text string) (string, error) {
		n, err := strconv.ParseInt(text, 10, 32)
		return strconv.FormatInt(n, 10), err
	}
	return &value[string]{to, "int", fmt.Sprintf("a whole number from 0 to %d", math.MaxInt32), parse,
		func(n string) bool { return n[0] != '-' }, nil}
}

// TileEdge is the edge of a tile.
func TileEdge(to *int) pflag.Value {
	return Whole(to, fmt.Sprintf("a multiple of 64 up to %d", tiles.MaxT),
		func(n int) bool { return n > 0 && n%64 == 0 && n <= tiles.MaxT })
}

// Seed is any number that a generator may begin with.
func Seed(to *uint64) pflag.Value {
	parse := func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }
	return &value[uint64]{to, "int", "a whole number, 0 or more, of 64 bits", parse, nil, nil}
}

// mostHours is more than any machine runs, and still a time.Duration.
const mostHours = 1e5

// Hours is a time for which a command may run.
func Hours(to *float64) pflag.Value {
	parse := func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }
	want := fmt.Sprintf("a number of hours, more than 0 and at most %.0f, as in 1.5", mostHours)
	return &value[float64]{to, "HOURS", want, parse, func(h float64) bool { return h > 0 && h <= mostHours }, nil}
}

// Period is a length of time.
func Period(to *time.Duration) pflag.Value {
	return &value[time.Duration]{to, "duration", "a time of more than 0 with its unit, as in 30s or 5m",
		time.ParseDuration, func(d time.Duration) bool { return d > 0 }, nil}
}

// Word is one of a few words.
func Word[W ~string](to *W, words ...W) pflag.Value {
	var offers []string
	for _, w := range words {
		offers = append(offers, string(w))
	}
	parse := func(text string) (W, error) { return W(text), nil }
	return &value[W]{to, "string", "one of " + strings.Join(offers, ", "), parse,
		func(w W) bool { return slices.Contains(words, w) }, offers}
}

// Device is a device by its name, or one of a few more words.
func Device(to *string, more ...string) pflag.Value {
	parse := func(text string) (string, error) {
		if slices.Contains(more, text) {
			return text, nil
		}
		_, err := registry.Count(text)
		return text, err
	}
	words := slices.Concat([]string{"auto"}, registry.Names(), more)
	return &value[string]{to, "string", "one of " + strings.Join(words, ", ") +
		"; cuda:1 is the second GPU, cuda:0,1 are both", parse, nil, words}
}

// grid is rows and columns; zero: none are given.
type grid [2]int

func (g grid) String() string {
	if g[0] == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", g[0], g[1])
}

// Grid is a number of rows and of columns, as in 2x4.
func Grid(to *[2]int) pflag.Value {
	parse := func(text string) (g grid, err error) {
		rows, cols, _ := strings.Cut(text, "x")
		for i, n := range []string{rows, cols} {
			if g[i], err = strconv.Atoi(n); err != nil {
				return g, err
			}
		}
		return g, nil
	}
	ok := func(g grid) bool { return min(g[0], g[1]) >= 1 && max(g[0], g[1]) <= mostRanks }
	return &value[grid]{(*grid)(to), "PxQ", "rows and columns, as in 2x4", parse, ok, nil}
}

// mostRanks is more than anybody has.
const mostRanks = 1 << 20

// size is in bytes; 0: none is given.
type size int64

func (s size) String() string {
	if s == 0 {
		return ""
	}
	text := strings.ReplaceAll(humanize.IBytes(uint64(s)), " ", "")
	if n, err := humanize.ParseBytes(text); err != nil || n != uint64(s) {
		return strconv.FormatInt(int64(s), 10) // what is passed on must be what was given
	}
	return text
}

// Size is a number of bytes: 512MiB, 4GiB, 100000.
func Size(to *int64) pflag.Value {
	parse := func(text string) (size, error) {
		n, err := humanize.ParseBytes(text)
		return size(min(n, math.MaxInt64)), err
	}
	return &value[size]{(*size)(to), "SIZE", "a size, such as 512MiB or 4GiB", parse,
		func(s size) bool { return 0 < s && s < math.MaxInt64 }, nil}
}

// PerSecond is a rate of bytes: 50GB/s, or 400Gb/s as networks are sold, of which eight bits are a byte.
func PerSecond(to *float64) pflag.Value {
	parse := func(text string) (float64, error) {
		amount, ok := strings.CutSuffix(text, "/s")
		bits := strings.HasSuffix(amount, "b") || strings.HasSuffix(amount, "bit")
		n, err := humanize.ParseBytes(strings.TrimSuffix(strings.TrimSuffix(amount, "it"), "b"))
		if !ok || err != nil {
			return 0, errors.New("no rate")
		}
		if bits {
			return float64(n) / 8, nil
		}
		return float64(n), nil
	}
	return &value[float64]{to, "RATE", "a rate such as 50GB/s or 400Gb/s", parse, func(r float64) bool { return r > 0 },
		nil}
}

// Sources is a list of vertices, a file of one, random:K or part:I/K. What other words mean depends on the graph, so
// of this only a part is checked.
func Sources(to *string) pflag.Value {
	return &value[string]{to, "string", "ids, a file of them, random:K, or part:I/K with I from 1 to K",
		func(text string) (string, error) {
			_, _, _, err := Part(text)
			return text, err
		}, nil, nil}
}

// Part reads part:I/K, which is part I of K, from 1 on. is reports whether the text is meant to be one.
func Part(text string) (i, k int, is bool, err error) {
	text, is = strings.CutPrefix(text, "part:")
	if !is {
		return 0, 0, false, nil
	}
	first, last, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(first)
	k, err2 := strconv.Atoi(last)
	if err := errors.Join(err1, err2); err != nil || i < 1 || i > k {
		return 0, 0, true, fmt.Errorf("part:%s is none", text)
	}
	return i, k, true, nil
}

// Plainly is what a user has typed, quoted if it might be taken for something else.
func Plainly(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r == ' ' || !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// Numbers parses what was given to a flag: numbers with commas between them, or nothing.
func Numbers(flag, list string) (numbers []float64, err error) {
	if list == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return nil, exit.UsageError(fmt.Errorf("--%s %s: %q is no number", flag, list, word))
		}
		if slices.Contains(numbers, x) {
			return nil, exit.UsageError(fmt.Errorf("--%s %s: %s is there twice", flag, list, word))
		}
		numbers = append(numbers, x)
	}
	return numbers, nil
}

// Within parses what was given to --within: a distance, or nothing, which is any.
func Within(text string) (float64, error) {
	if text == "" {
		return math.Inf(1), nil
	}
	r, err := strconv.ParseFloat(text, 64)
	return r, exit.Refuse(err != nil || math.IsNaN(r), "--within %s: want a distance", text)
}

// NewFolder fails if the folder that a flag names is something else. It need not be there, or be named.
func NewFolder(flag, dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && !errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("--%s: %w", flag, err)
	case err != nil || !info.IsDir():
		return exit.UsageError(fmt.Errorf("--%s %s is no folder; name one, or leave it to be made", flag, dir))
	}
	return nil
}
