package bench

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/tables"
)

func tablesCommand() *cobra.Command {
	var o tables.Options
	cmd := about.Command("tables", nil)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if _, err := os.ReadDir(o.Dir); err != nil {
			return fmt.Errorf("--dir: %w", err)
		}
		exit.Graceful.Store(true) // stores in the middle of a solve are to be removed
		o.Progress = func(what string, elapsed time.Duration) {
			fmt.Fprintf(terminal.Err, "%4.0f s  %s\n", elapsed.Seconds(), what)
		}
		return tables.Run(cmd.Context(), terminal.Out, o)
	}
	cmd.Flags().BoolVar(&o.Quick, "quick", false, "small sizes, within two minutes on two cores")
	cmd.Flags().Var(flagvalue.Period(&o.Budget), "budget",
		"leave out what would end later (default 5m0s, 1m30s with --quick)")
	cmd.Flags().StringVar(&o.Dir, "dir", os.TempDir(), "a folder for stores that are solved and removed again")
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}
