// Package bench is the commands that look at this machine: which devices it has, and how fast it is.
package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/text"
	"ooc/kernels/cpu"
	"ooc/kernels/cuda"
	"ooc/kernels/opencl"
)

// Command returns ooc bench.
func Command() *cobra.Command {
	cmd := about.Command("bench", nil)
	cmd.AddCommand(kernelsCommand(), cudaCommand(), openclCommand(), tablesCommand())
	return cmd
}

func kernelsCommand() *cobra.Command {
	var o cpu.BenchOptions
	var asJSON bool
	cmd := about.Command("kernels", nil)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkBench(o); err != nil {
			return exit.UsageError(err)
		}
		const format = "%-11s %-9s %7s  %-13s %-24s %-24s %8s\n"
		if !asJSON {
			fmt.Fprintf(terminal.Out, format, "variant", "path", "threads", "product", "Grelax/s (low…high)",
				"ceiling (low…high)", "fraction")
		}
		return cpu.Bench(cmd.Context(), o, func(r cpu.BenchRow) {
			if asJSON {
				terminal.PrintJSON("kernel", r)
				return
			}
			fmt.Fprintf(terminal.Out, format, r.Variant, r.Path, fmt.Sprint(r.Threads),
				fmt.Sprintf("%d×%d×%d", r.T, r.T*r.M, r.T),
				r.Rate, r.Ceiling, fmt.Sprintf("%.1f %%", 100*r.Fraction))
			if r.Pairs != nil {
				fmt.Fprintf(terminal.Out, "  with predecessors: %s, price %.2f (%.2f…%.2f)\n", *r.Pairs,
					r.Price.Median, r.Price.Low, r.Price.High)
			}
		})
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&o.Paths, "paths", nil, "avx512, avx2, portable (default: all that run here)")
	fl.IntSliceVar(&o.Threads, "threads", nil, "numbers of threads (default: 1 and all)")
	o.T, o.M, o.Rounds = 1024, 1, 11
	fl.Var(flagvalue.TileEdge(&o.T), "tile", "tile edge, a multiple of 64")
	fl.Var(flagvalue.Between(&o.M, 1, 1024), "round", "tiles along the inner dimension")
	fl.Var(flagvalue.Between(&o.Rounds, 1, mostRounds), "rounds",
		"alternations of product and ceiling, of which the medians count")
	fl.BoolVar(&o.Pairs, "predecessors", false,
		"measure the same products with predecessors, in turn with those without")
	fl.BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// checkBench checks what is in lists.
func checkBench(o cpu.BenchOptions) error {
	for _, path := range o.Paths {
		if !slices.Contains(cpu.PathNames(), path) {
			return fmt.Errorf("--paths %s: want some of %s", flagvalue.Plainly(path),
				strings.Join(cpu.PathNames(), ", "))
		}
	}
	for _, n := range o.Threads {
		if n < 1 || n > mostThreads {
			return fmt.Errorf("--threads %d: want numbers from 1 to %d", n, mostThreads)
		}
	}
	return nil
}

// mostThreads is more than any machine has, and mostRounds more than any median needs.
const (
	mostThreads = 1 << 14
	mostRounds  = 1000
)

func cudaCommand() *cobra.Command {
	var o cuda.BenchOptions
	var ordinal int
	var asJSON bool
	cmd := about.Command("cuda", nil)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		d, err := cuda.Open(cuda.Options{Ordinal: ordinal})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		return cuda.Bench(cmd.Context(), d, o, func(r cuda.BenchRow) {
			terminal.Either(asJSON, "cuda", terminal.Object(r, "ceiling", "fraction"), terminal.Out, "%s", r)
		})
	}
	fl := cmd.Flags()
	fl.Var(flagvalue.AtLeast(&ordinal, 0), "ordinal", "which GPU")
	o.Rounds = 5
	fl.Var(flagvalue.Between(&o.Rounds, 1, mostRounds), "rounds", "measurements, of which the median counts")
	fl.BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

func openclCommand() *cobra.Command {
	var o opencl.Options
	var asJSON bool
	cmd := about.Command("opencl", nil)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return opencl.Tune(cmd.Context(), o, func(r opencl.Tuned) {
			terminal.Either(asJSON, "opencl", r, terminal.Out, "%-28s i32 %-15s f32 %s%s", r.Tunables,
				text.Per(r.I32, "relax"), text.Per(r.F32, "relax"), terminal.If(r.Kept, "  the best, used from now on"))
		})
	}
	cmd.Flags().Var(flagvalue.AtLeast(&o.Index, 0), "index", "which device: 1 is opencl:1")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}
