package cpu

import (
	"fmt"
	"testing"

	"ooc/kernels"
	"ooc/kernels/conformance"
)

func TestVectors(t *testing.T) {
	for _, threads := range []int{1, 3} {
		t.Run(fmt.Sprintf("threads=%d", threads), func(t *testing.T) {
			conformance.Vectors(t, func(memory int64) (kernels.Device, error) {
				return Open(Options{Memory: memory, Threads: threads})
			})
		})
	}
}
