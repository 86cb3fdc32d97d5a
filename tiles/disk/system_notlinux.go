//go:build !linux

package disk

import (
	"errors"
	"os"
)

func network(string) string { return "" } // it is not known here, as those below

func inMemory(string) bool { return false }

func source(string) string { return "" }

func openNameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// Incarnation is zero here: nothing tells that a volume was not mounted anew.
func Incarnation(*os.File, string) (name [16]byte) { return name }

// WillRead has no counterpart here.
func WillRead(*os.File, int64, int64) {}

// DropCache has no counterpart here.
func DropCache(*os.File) {}

// StartWriting has no counterpart here.
func StartWriting(*os.File, int64, int64) {}
