package cpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// BenchOptions chooses what Bench measures. The zero value is the product of 1024×1024×1024 in each
// variant, on each path that runs, with one thread and with all.
type BenchOptions struct {
	Variants []entry.Variant // nil: all
	Paths    []string        // nil: all that run here
	Threads  []int           // nil: 1 and GOMAXPROCS
	T, M     int             // edge of the tiles and tiles of the product; 0: 1024 and 1
	Rounds   int             // alternations of rate and ceiling; 0: 11
	Pairs    bool            // measure the same products with predecessors, too

	work int64 // relaxations of one run at least; 0: 2³⁰
}

// figure is a median with its spread, in relaxations per second.
type figure struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// String is for people, in 10⁹.
func (s figure) String() string {
	return fmt.Sprintf("%.1f (%.1f…%.1f)", s.Median/1e9, s.Low/1e9, s.High/1e9)
}

// BenchRow is what one combination reached.
type BenchRow struct {
	Variant entry.Variant `json:"variant"`
	Path    string        `json:"path"` // as in Options.Path
	Threads int           `json:"threads"`
	T       int           `json:"tile"`
	M       int           `json:"round"`
	Rate    figure        `json:"relaxations_per_second"` // of MinPlus, from enqueueing to the end
	// of the add and min of the same path on registers alone, measured in turn with Rate
	Ceiling  figure  `json:"ceiling_relaxations_per_second"`
	Fraction float64 `json:"fraction"` // median over the rounds of Rate/Ceiling
	Pairs    *figure `json:"relaxations_with_predecessors_per_second,omitempty"`
	Price    *figure `json:"price_of_predecessors,omitempty"` // Rate over that with predecessors, of each round
}

// Bench measures MinPlus beside the ceiling of its path, and calls each with every row as soon as it is measured. The
// two alternate, each for about as long as the other, so that a change of clock or other load on the machine affects
// both. Between rounds it returns the context's error if that has ended.
func Bench(ctx context.Context, o BenchOptions, each func(BenchRow)) error {
	o = o.withDefaults()
	for _, name := range o.Paths {
		for _, v := range o.Variants {
			for _, threads := range o.Threads {
				row, err := benchRow(ctx, o, v, name, threads)
				if err != nil {
					return fmt.Errorf("cpu: bench %s on %s, %d threads: %w", v, name, threads, err)
				}
				each(row)
			}
		}
	}
	return nil
}

func (o BenchOptions) withDefaults() BenchOptions {
	if o.Variants == nil {
		o.Variants = entry.Variants
	}
	if o.Paths == nil {
		for _, name := range PathNames() {
			if Lacking(name) == "" {
				o.Paths = append(o.Paths, name)
			}
		}
	}
	if o.Threads == nil {
		if o.Threads = []int{1}; runtime.GOMAXPROCS(0) > 1 {
			o.Threads = append(o.Threads, runtime.GOMAXPROCS(0))
		}
	}
	o.T, o.M, o.Rounds, o.work = cmp.Or(o.T, 1024), max(o.M, 1), cmp.Or(max(o.Rounds, 0), 11), cmp.Or(o.work, 1<<30)
	return o
}

func benchRow(ctx context.Context, o BenchOptions, v entry.Variant, name string, threads int) (row BenchRow,
	err error) {
	row = BenchRow{Variant: v, Path: name, Threads: threads, T: o.T, M: o.M}
	d, err := Open(Options{Path: name, Threads: threads})
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	count := max(1, int(o.work/(int64(o.T)*int64(o.T)*int64(o.T)*int64(o.M))))
	b, err := ledger.NewWork(d, v, o.T, o.M, count, false)
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	var pairs *ledger.Work
	if o.Pairs && v < paired {
		if pairs, err = ledger.NewWork(d, v, o.T, o.M, count, true); err != nil {
			return row, err
		}
		defer func() { err = errors.Join(err, pairs.Close()) }()
	}
	p := d.path
	turns := turnsFor(p, v, 500*time.Microsecond)
	took, err := b.Run() // warms up, and tells how long the ceiling is to run
	if err != nil {
		return row, err
	}
	calls := max(1, int(took/(500*time.Microsecond)))
	var rates, ceilings, fractions, tracked, prices []float64
	for range o.Rounds {
		if err := ctx.Err(); err != nil {
			return row, err
		}
		before := probeCeiling(p, v, threads, turns, (calls+1)/2)
		if took, err = b.Run(); err != nil {
			return row, err
		}
		after := probeCeiling(p, v, threads, turns, (calls+1)/2)
		ceiling, rate := (before+after)/2, b.Relaxations/took.Seconds()
		rates, ceilings = append(rates, rate), append(ceilings, ceiling)
		fractions = append(fractions, rate/ceiling)
		if pairs == nil {
			continue
		}
		if took, err = pairs.Run(); err != nil {
			return row, err
		}
		tracked = append(tracked, pairs.Relaxations/took.Seconds())
		prices = append(prices, rate*took.Seconds()/pairs.Relaxations)
	}
	if pairs != nil {
		rate, price := measure(tracked), measure(prices)
		row.Pairs, row.Price = &rate, &price
	}
	row.Rate, row.Ceiling, row.Fraction = measure(rates), measure(ceilings), measure(fractions).Median
	return row, nil
}

func measure(xs []float64) figure {
	slices.Sort(xs)
	return figure{xs[len(xs)/2], xs[0], xs[len(xs)-1]}
}
