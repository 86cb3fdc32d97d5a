package main

import (
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
)

func watchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "watch STORE|BATCH",
		Short: "Follow a solve from another terminal",
		Long:  longHelp("watch"),
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			exit.Graceful.Store(true) // a signal ends the context, and the terminal is put back
			return show.Watch(cmd.Context(), args[0])
		},
	}
}

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
