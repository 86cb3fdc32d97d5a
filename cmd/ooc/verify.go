package main

import (
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/spf13/cobra"

	"ooc/engine"
)

func verifyCommand() *cobra.Command {
	var rows int
	var seed uint64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify STORE",
		Short: "Compare checksums, then sampled rows with an independent search",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rows < 0 {
				return usageError{fmt.Errorf("--rows %d: want 0 or more", rows)}
			}
			if !cmd.Flags().Changed("seed") {
				seed = rand.Uint64()
			}
			p, err := engine.OpenReadOnly(args[0])
			if err != nil {
				return err
			}
			defer p.Close()
			v, err := p.Verify(cmd.Context(), rows, seed)
			if err != nil {
				return err
			}
			if asJSON {
				printJSON(os.Stdout, "summary", v)
				return nil
			}
			fmt.Printf("%s: %d tile checksums match", args[0], v.Tiles)
			if v.Missing != "" {
				fmt.Printf("; no row was compared: %s", v.Missing)
			}
			if n := v.Rows + v.Columns; n > 0 {
				what := "rows"
				if v.Columns > 0 {
					what = "columns"
				}
				fmt.Printf("; %d of %d %s (%d distances) agree with %s", n, p.Geometry().RowCount(), what, v.Entries, v.Method)
				if v.Worst > 0 {
					fmt.Printf(" within rounding (at most %.2g of what is allowed)", v.Worst)
				}
				fmt.Printf("; seed %d", v.Seed)
			}
			fmt.Println()
			return nil
		},
	}
	cmd.Flags().IntVar(&rows, "rows", 64, "how many random sources to compare; 0: checksums only")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "choose the same rows again")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}
