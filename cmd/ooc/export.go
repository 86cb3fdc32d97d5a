package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/engine"
)

func exportCommand() *cobra.Command {
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "export STORE FILE",
		Short: "Write the distances as a 2-D NumPy array (.npy)",
		Long: "export writes the n×n distances in C order, streamed in at most 256 MiB. Unreachable is inf in floating\n" +
			"kinds and the type's maximum in integer kinds. Rows and columns are in the order of the store's rows.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := engine.OpenReadOnly(args[0])
			if err != nil {
				return err
			}
			defer p.Close()
			began := time.Now()
			graceful.Store(true)
			if err := p.Export(cmd.Context(), args[1], overwrite); errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%w; replace it with --overwrite", err)
			} else if err != nil {
				return err
			}
			info, err := os.Stat(args[1])
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "wrote %s, %s in %s\n", args[1], humanize.IBytes(uint64(info.Size())), shortTime(time.Since(began).Seconds()))
			return nil
		},
	}
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace FILE if it is there")
	return cmd
}
