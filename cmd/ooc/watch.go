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
		Long: "watch shows what the process that solves STORE is doing: the board of tiles by their phase in the round, what each\n" +
			"lane is at, rates beside what was measured to be possible, the restore point and the time left. It reads only, stays\n" +
			"through interruptions, kills and resumes, and ends with q. Off a terminal it prints a line now and then, and ends\n" +
			"once all is solved. NO_COLOR in the environment leaves colours away.",
		Args: cobra.ExactArgs(1),
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
