//go:build gorgonia && !cgo

package cuda

import "fmt"

// openDriver fails: gorgonia.org/cu needs cgo.
func openDriver() (driver, error) {
	return nil, fmt.Errorf("%w: built with the tag gorgonia but without cgo", ErrAbsent)
}
