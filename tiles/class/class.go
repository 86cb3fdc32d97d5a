// Package class says of what class an error is, which decides the code that a command ends with. Errors get their
// class where they are made: a package makes the error that its others wrap with New.
package class

import (
	"errors"
	"io/fs"
	"syscall"
)

// Class is a class of errors. Where an error wraps errors of several, the first here counts.
type Class int

// The classes.
const (
	None          Class = iota // nothing but that it failed
	Interrupted                // by a signal or a key: the same command goes on
	SomeFailed                 // of several jobs
	NoSpace                    // on the volume, in the quota or in the largest file allowed
	Locked                     // by another process
	Corrupt                    // damaged, of another version, or found to be wrong
	NegativeCycle              // so there are no shortest distances
	Usage                      // the command line is wrong, or asks for what cannot be
	Input                      // a file is missing, or is not what was asked for
)

// classed is an error that has a class.
type classed struct {
	text  string
	class Class
}

// Error returns the text.
func (e *classed) Error() string { return e.text }

// New returns an error of a class, for others to wrap.
func New(c Class, text string) error { return &classed{text, c} }

// foreign are errors of the system that have a class.
var foreign = []struct {
	err   error
	class Class
}{
	{syscall.ENOSPC, NoSpace},
	{syscall.EDQUOT, NoSpace},
	{syscall.EFBIG, NoSpace},
	{fs.ErrNotExist, Input},
	{syscall.EISDIR, Input},
	{syscall.ENOTDIR, Input},
}

// Of returns the class of an error, by what it wraps.
func Of(err error) Class {
	best := None
	first := func(c Class) {
		if best == None || c < best {
			best = c
		}
	}
	each(err, func(e *classed) { first(e.class) })
	for _, f := range foreign {
		if errors.Is(err, f.err) {
			first(f.class)
		}
	}
	return best
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
