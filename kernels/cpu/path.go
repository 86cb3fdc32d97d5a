package cpu

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"strings"

	"ooc/kernels/entry"
)

// EnvPath names the environment variable that forces a path where Options.Path is empty.
const EnvPath = "OOC_CPU_PATH"

// variants and paired are the lengths of tables that have an entry for each of entry.Variants, or entry.Paired, in
// their order.
const (
	variants = entry.VariantCount
	paired   = entry.F64 + 1
)

// path is one implementation of the arithmetic: everything that depends on the processor's instructions. check makes
// sure that every field is set. So a new path is a value of this type in a file of its own, and its name in the list
// of paths.
type path struct {
	name    string        // as in Options.Path
	label   string        // as people write it
	lacking func() string // what the processor lacks, or ""

	// Products and closures of tiles.
	strip   [variants]strip
	base    [variants]baseFunc
	ceiling [variants]ceilingFunc
	perTurn [variants]int // relaxations of one turn of ceiling

	// The same with predecessors.
	pairStrip [paired]pairStrip
	pairBase  [paired]baseFunc  // behind the distances are as many predecessors, in as many bytes
	pairClimb [paired]pairClimb // on pairs: what is lowered takes over the predecessor beside src

	// Lanes, a line or four of a row.
	sweep, sweepFour [variants]sweepFunc
	climb, climbFour [variants]climbFunc
	cross            [variants]crossFunc
	rows             [variants]rowFuncs
	transpose        bySize
	transposePast    bySize // past the caches; wants all aligned to lines

	sums func(kind entry.Kind) sumsFuncs

	pullBits  PullBits
	counts    PathCounts
	tight     tightFunc
	turn      func(lines *byte) // bit c of word k of line r becomes bit r of word k of line c, for 64 lines
	levels    levelsFunc
	pushLanes [variants]pushLanesFunc
}

// tightFunc finds the tight arcs into count vertices from own on, at least one, as Tight does: lines of distances from
// dist on to lines of pred, and the bits of others.
type tightFunc = func(pred, others, own, dist, start, ends, weights *byte, count int)

// relaxationsOf returns how many relaxations so many bytes of sums are, for each variant.
func relaxationsOf(bytes int) (all [variants]int) {
	for v := range all {
		all[v] = bytes / entry.Variant(v).Bytes()
	}
	return all
}

// bySize has a function for entries of each size.
type bySize struct{ two, four, eight transposeFunc }

func (s bySize) of(entryBytes int) transposeFunc {
	switch entryBytes {
	case 2:
		return s.two
	case 4:
		return s.four
	}
	return s.eight
}

const (
	baseEdge  = 64           // edge of the block closed by base; tiles are multiples of it
	maxPanel  = 128          // bytes of a row of a strip
	maxDepth  = 256          // of k in one strip: a packed panel of B then stays in the L1 cache
	maxHeight = 256          // rows of one strip: its part of A, maxHeight×maxDepth, then stays in the L2 cache
	wideDepth = maxDepth / 2 // of pairs, whose predecessors are packed too, and of entries of 8 bytes
)

// stripFunc relaxes rows×panel entries of C with k steps:
// C[i][j] = min(C[i][j], min over k of A[i][k] + B[k][j]), without the old C where fresh is not 0.
// A, B and C are row-major with strides of lda, ldb and ldc bytes. The panel of B is packed on the way, to
// k rows without gaps: at a stride of a power of two its rows would share a few sets of the L1 cache. It
// is read before C is written, and may be C where k is all of C's rows. k and rows are multiples of 64.
// Entries of C in I32Signed are reset, those in U16 are at most unreachable.
type stripFunc = func(c, a, b, packed *byte, ldc, lda, ldb, k, rows, fresh int)

// strip is a stripFunc and the columns of its panel.
type strip struct {
	run   stripFunc
	panel int
}

// pairStripFunc is stripFunc for pairs, and never fresh. An entry of C that a sum lowers takes the predecessor of the
// entry of B in that sum; of several equal sums, the first by k. k is at most wideDepth. The panel is packed to
// distances and predecessors apart, each in as many bytes or less.
type pairStripFunc = func(c, a, b, packed *byte, ldc, lda, ldb, k, rows int)

// pairStrip is a pairStripFunc and the columns of its panel.
type pairStrip struct {
	run   pairStripFunc
	panel int
}

// pairClimb is a climbFunc and how many bytes of pairs it takes of a row, a divisor of those of 64 pairs.
type pairClimb struct {
	run   climbFunc
	bytes int
}

// baseFunc runs Floyd–Warshall on a contiguous block of baseEdge² entries.
type baseFunc = func(d *byte)

// ceilingFunc adds and takes minima of registers.
type ceilingFunc = func(turns int)

// sweepFunc sets count rows from dst on to the minimum over their arcs, whose offsets begin at offsets. If a row's
// byte at keep is not 0, its old content takes part. stride is the bytes of a whole row, here and below.
type sweepFunc = func(dst, rows, offsets, ends, weights, keep *byte, count, stride int)

// climbFunc lowers the rows at the ends of count arcs, at least one, to src plus weight.
type climbFunc = func(src, rows, ends, weights *byte, count, stride int)

// crossFunc sets count rows from dst on, at least one, to the minimum of four rows plus their weights; if keep is not
// 0, their old content takes part. It takes a line.
type crossFunc = func(dst, s0, s1, s2, s3, w0, w1, w2, w3 *byte, count, stride, keep int)

// rowFuncs work on rows of weights, whole lines of them, at least one.
type rowFuncs struct {
	lower func(dst, src, by *byte, lines int) // dst becomes at most src plus the weight at by
	// lowerLines: likewise, line k over the line of src whose number is places[k].
	lowerLines func(dst, src, by, places *byte, lines int)
	// least: the weight at least becomes at most each entry of x plus that of y.
	least func(least, x, y *byte, lines int)
}

// transposeFunc moves blocks of as many columns as a line has lanes, at least one block, of a line to the given
// places from dst on.
type transposeFunc = func(dst, places, rows, columns *byte, blocks, stride int)

// rowSumsFunc adds blocks of SumLanes entries, at least one, to the RowSums of their row. first is the number of the
// first block.
type rowSumsFunc = func(line, row *byte, first, blocks int)

// allSumsFunc also adds each entry to the sums of its column.
type allSumsFunc = func(line, row, sum, inverse, missing *byte, first, blocks int)

// laneSumsFunc adds columns of width entries, at least one of each, to the LaneSums of their rows. A column is a
// multiple of a line.
type laneSumsFunc = func(lanes, names, sum, inverse, missing, top, farthest *byte, columns, width int)

// allLaneSumsFunc also adds each entry to the sums of its column.
type allLaneSumsFunc = func(lanes, names, sum, inverse, missing, top, farthest *byte, columns, width int, colSum,
	colInverse, colMissing *byte)

// sumsFuncs are nil where plain Go adds up.
type sumsFuncs struct {
	row      rowSumsFunc
	all      allSumsFunc
	lanes    laneSumsFunc
	allLanes allLaneSumsFunc
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
	name = cmp.Or(name, os.Getenv(EnvPath))
	for _, p := range paths {
		if name != "" && p.name != name {
			continue
		}
		if err := p.check(); err != nil {
			return nil, err
		}
		lacking := p.lacking()
		if lacking == "" {
			return p, nil
		}
		if name != "" {
			return nil, fmt.Errorf("cpu: path %s: %s", name, lacking)
		}
	}
	return nil, fmt.Errorf("cpu: path %q: want one of %s", name, strings.Join(PathNames(), ", "))
}

// check returns an error if a part of the path is missing, or does not fit a worker's memory.
func (p *path) check() error {
	if what := firstMissing(reflect.ValueOf(p).Elem(), "", ""); what != "" {
		return fmt.Errorf("cpu: path %s lacks %s", p.name, what)
	}
	fits := func(panel, entryBytes, depth int) error {
		if most := packedBytes / depth / entryBytes; panel > most || baseEdge%panel != 0 {
			return fmt.Errorf("cpu: path %s has a panel of %d columns: want a divisor of %d, at most %d", p.name, panel,
				baseEdge, most)
		}
		return nil
	}
	for v, s := range p.strip {
		if err := fits(s.panel, entry.Variant(v).Bytes(), depthOf(entry.Variant(v))); err != nil {
			return err
		}
	}
	for v, s := range p.pairStrip {
		if err := fits(s.panel, 2*entry.Variant(v).Bytes(), wideDepth); err != nil {
			return err
		}
		if row, climbs := baseEdge*entry.Variant(v).Kind().PairBytes(), p.pairClimb[v].bytes; row%climbs != 0 {
			return fmt.Errorf("cpu: path %s climbs %d bytes of pairs: want a divisor of %d", p.name, climbs, row)
		}
	}
	return nil
}

// firstMissing returns the name of the first part of a value that is nil, 0 or empty, as in "climb for i32-signed",
// or "".
func firstMissing(v reflect.Value, name, variant string) string {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if what := firstMissing(v.Field(i), strings.TrimPrefix(name+"."+v.Type().Field(i).Name, "."),
				variant); what != "" {
				return what
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if what := firstMissing(v.Index(i), name, " for "+entry.Variant(i).String()); what != "" {
				return what
			}
		}
	default:
		if v.IsZero() {
			return name + variant
		}
	}
	return ""
}
