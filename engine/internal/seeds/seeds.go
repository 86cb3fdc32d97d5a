// Package seeds gives tests random numbers that are other ones in every run, and the same again if need be.
package seeds

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// New returns a fresh generator and logs its seed; OOC_SEED repeats a run.
func New(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if v, err := strconv.ParseUint(os.Getenv("OOC_SEED"), 10, 64); err == nil {
		seed = v
	}
	t.Logf("OOC_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}
