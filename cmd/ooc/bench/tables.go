package bench

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/tables"
)

func tablesCommand() *cobra.Command {
	var o tables.Options
	cmd := &cobra.Command{
		Use:   "tables",
		Short: "The comparisons of the literature on this machine's devices, as Markdown: methods for all pairs, one source, spanning trees",
		Long: "tables measures methods beside one another on one thread, all threads and a GPU if there is one, and prints Markdown with\n" +
			"speed-ups and what was published. Each cell is measured, or left out by the rule that stands above the tables. Stores\n" +
			"are made in --dir and removed; the largest takes 0.9 GiB, of a quick run 64 MiB.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flagvalue.IsFolder(o.Dir); err != nil {
				return fmt.Errorf("--dir: %w", err)
			}
			exit.Graceful.Store(true) // stores in the middle of a solve are to be removed
			o.Progress = func(what string, elapsed time.Duration) {
				fmt.Fprintf(terminal.Err, "%4.0f s  %s\n", elapsed.Seconds(), what)
			}
			return tables.Run(cmd.Context(), terminal.Out, o)
		},
	}
	cmd.Flags().BoolVar(&o.Quick, "quick", false, "small sizes, within two minutes on two cores")
	cmd.Flags().Var(flagvalue.Period(&o.Budget), "budget", "leave out what would end later (default 5m0s, 1m30s with --quick)")
	cmd.Flags().StringVar(&o.Dir, "dir", os.TempDir(), "a folder for stores that are solved and removed again")
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}
