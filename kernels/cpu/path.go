package cpu

import (
	"fmt"
	"os"
	"strings"
)

//go:generate go run ./gen -path avx512 -pkg cpu -out avx512_amd64.s -stubs avx512_amd64.go
//go:generate go run ./gen -path avx2 -pkg cpu -out avx2_amd64.s -stubs avx2_amd64.go

// EnvPath names the environment variable that forces a path where Options.Path is empty.
const EnvPath = "OOC_CPU_PATH"

const (
	baseEdge  = 64  // edge of the block closed by path.base; tiles are multiples of it
	maxDepth  = 256 // of k in one strip: a packed panel of B then stays in the L1 cache
	maxHeight = 256 // rows of one strip: its part of A, maxHeight×maxDepth, then stays in the L2 cache
)

// stripFunc relaxes rows×panel entries of C with k steps:
// C[i][j] = min(C[i][j], min over k of A[i][k] + B[k][j]), without the old C where fresh is not 0.
// A, B and C are row-major with strides of lda, ldb and ldc bytes. The panel of B is packed on the way, to
// k rows without gaps: at a stride of a power of two its rows would share a few sets of the L1 cache. It
// is read before C is written, and may be C where k is all of C's rows. k and rows are multiples of 64.
// Entries of C in I32Signed are reset.
type stripFunc func(c, a, b, packed *byte, ldc, lda, ldb, k, rows, fresh int)

// strip is a stripFunc and the columns of its panel.
type strip struct {
	run   stripFunc
	panel int
}

// path is one implementation of the arithmetic.
type path struct {
	name  string // as in Options.Path
	label string // as people write it

	strip [4]strip         // by kernels.Variant
	base  [4]func(d *byte) // Floyd–Warshall on a contiguous block of baseEdge²

	ceiling [4]func(turns int) // add and min on registers
	perTurn int                // relaxations of one turn of ceiling
	lacking func() string      // what the processor lacks, or ""
}

// PathNames lists the paths that Options.Path may name on this architecture, best first.
func PathNames() []string {
	var names []string
	for _, p := range paths {
		names = append(names, p.name)
	}
	return names
}

// Lacking says what this processor lacks for the named path, or "" where the path runs.
func Lacking(name string) string {
	for _, p := range paths {
		if p.name == name {
			return p.lacking()
		}
	}
	return "no such path on this architecture"
}

// choosePath returns the named path, or the best that runs.
func choosePath(name string) (*path, error) {
	if name == "" {
		name = os.Getenv(EnvPath)
	}
	for _, p := range paths {
		lacking := p.lacking()
		switch {
		case p.name == name && lacking != "":
			return nil, fmt.Errorf("cpu: path %s: %s", name, lacking)
		case p.name == name, name == "" && lacking == "":
			return p, nil
		}
	}
	return nil, fmt.Errorf("cpu: path %q: want one of %s", name, strings.Join(PathNames(), ", "))
}
