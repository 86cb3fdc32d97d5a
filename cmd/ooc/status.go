package main

import (
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/show"
)

func statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status STORE|BATCH",
		Short: "Say what a store or a batch is, how far it is, and what to run next",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return show.PrintStatus(args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}
