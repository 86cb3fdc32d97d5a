// Package seeds gives tests random numbers that are other ones in every run, and the same again if need be.
package seeds

import (
	"math/rand/v2"
	"testing"

	"ooc/kernels/conformance"
)

// New returns a fresh generator and logs its seed; OOC_SEED repeats a run.
func New(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(conformance.Seed(t), 1)) }
