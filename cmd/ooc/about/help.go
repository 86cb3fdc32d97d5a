package about

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/terminal"
)

// HelpCommand is cobra's, but for its exit code where there is no such command. unknown makes the error for a word that
// names no command below another.
func HelpCommand(unknown func(*cobra.Command, string) error) *cobra.Command {
	cmd := Command("help", cobra.ArbitraryArgs, nil)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		about, rest, err := cmd.Root().Find(before)
		for _, c := range about.Commands() {
			if err == nil && len(rest) == 0 && (c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand()) {
				names = append(names, c.Name())
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		about, err := find(cmd, words, unknown)
		if err != nil {
			return err
		}
		return about.Help()
	}
	return cmd
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

// ManCommand returns ooc man, which makes the manual pages of a release. Their date is SOURCE_DATE_EPOCH, if that is
// set.
func ManCommand(unknown func(*cobra.Command, string) error) *cobra.Command {
	cmd := Command("man", cobra.ArbitraryArgs, nil)
	cmd.Hidden = true
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		about, err := find(cmd, words, unknown)
		if err != nil {
			return err
		}
		// Markdown for lists whose lines stay lines, and whose first is as far from the margin as the others.
		about.Long = strings.ReplaceAll(strings.ReplaceAll(about.Long, "\n  ", "  \n  "), "\n  \n  ",
			"\n\n\u00a0\u00a0")
		about.DisableAutoGenTag = true // which has a date of its own
		return doc.GenMan(about, &doc.GenManHeader{Section: "1", Source: "ooc " + Number}, terminal.Out)
	}
	return cmd
}
