package about

import (
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
)

// HelpCommand is cobra's, but for its exit code where there is no such command. unknown makes the error for a word that
// names no command below another.
func HelpCommand(unknown func(*cobra.Command, string) error) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Help about a command or a topic",
		Args:  cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, before []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if about, rest, err := cmd.Root().Find(before); err == nil && len(rest) == 0 {
				for _, c := range shown(about) {
					names = append(names, c.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			about, err := find(cmd, words, unknown)
			if err != nil {
				return err
			}
			return about.Help()
		},
	}
}

// find returns the command that words name.
func find(cmd *cobra.Command, words []string, unknown func(*cobra.Command, string) error) (*cobra.Command, error) {
	about, rest, err := cmd.Root().Find(words)
	if err != nil {
		return nil, exit.UsageError(err)
	}
	if len(rest) > 0 {
		return nil, unknown(about, rest[0])
	}
	return about, nil
}

// shown are the commands and topics below a command that its help lists.
func shown(cmd *cobra.Command) (list []*cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			list = append(list, c)
		}
	}
	return list
}
