//go:build !linux

package system

import (
	"errors"
	"os"
)

// OpenNameless is not known here.
func OpenNameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }
