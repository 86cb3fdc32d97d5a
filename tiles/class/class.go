// Package class says of what class an error is, which is the code that a command ends with. Errors get their class
// where they are made: a package makes the error that its others wrap with New.
package class

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// The classes, which are exit codes; 0 is no error.
const (
	Failed        = 1 // nothing but that
	Usage         = 2 // the command line is wrong, or asks for what cannot be
	Input         = 3 // a file is missing, or is not what was asked for
	NegativeCycle = 4 // so there are no shortest distances
	NoSpace       = 5 // on the volume, in the quota or in the largest file allowed
	Locked        = 6 // by another process
	SomeFailed    = 7 // of several jobs
	Corrupt       = 8 // damaged, of another version, or found to be wrong

	Interrupted = 130 // by a signal or a key: the same command goes on
)

// first are the classes in the order in which they count where an error wraps errors of several.
var first = []int{Interrupted, SomeFailed, NoSpace, Locked, Corrupt, NegativeCycle, Usage, Input}

// classed is an error that has a class.
type classed struct {
	text  string
	class int
}

// Error returns the text.
func (e *classed) Error() string { return e.text }

// New returns an error of a class, for others to wrap.
func New(class int, text string) error { return &classed{text, class} }

// foreign are errors of the system that have a class.
var foreign = []struct {
	err   error
	class int
}{
	{syscall.ENOSPC, NoSpace},
	{syscall.EDQUOT, NoSpace},
	{syscall.EFBIG, NoSpace},
	{fs.ErrNotExist, Input},
	{syscall.EISDIR, Input},
	{syscall.ENOTDIR, Input},
}

// Of returns the class of an error, by what it wraps.
func Of(err error) int {
	if err == nil {
		return 0
	}
	of := map[int]bool{}
	each(err, func(e *classed) { of[e.class] = true })
	for _, f := range foreign {
		of[f.class] = of[f.class] || errors.Is(err, f.err)
	}
	if i := slices.IndexFunc(first, func(class int) bool { return of[class] }); i >= 0 {
		return first[i]
	}
	return Failed
}

// each calls do for each error with a class in the tree of what err wraps.
func each(err error, do func(*classed)) {
	if c, ok := err.(*classed); ok {
		do(c)
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		each(e.Unwrap(), do)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			each(err, do)
		}
	}
}
