package main

import (
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
)

func watchCommand() *cobra.Command {
	cmd := about.Command("watch", cobra.ExactArgs(1))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		exit.Graceful.Store(true) // a signal ends the context, and the terminal is put back
		return show.Watch(cmd.Context(), args[0])
	}
	return cmd
}

func statusCommand() *cobra.Command {
	var asJSON bool
	cmd := about.Command("status", cobra.ExactArgs(1))
	cmd.RunE = func(_ *cobra.Command, args []string) error { return show.PrintStatus(args[0], asJSON) }
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}
