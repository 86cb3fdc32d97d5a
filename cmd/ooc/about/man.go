package about

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"ooc/cmd/ooc/terminal"
)

// ManCommand returns ooc man, which makes the manual pages of a release. Their date is SOURCE_DATE_EPOCH, if that is
// set.
func ManCommand(unknown func(*cobra.Command, string) error) *cobra.Command {
	return &cobra.Command{
		Use:    "man [COMMAND|TOPIC]",
		Short:  "Print a manual page: ooc man solve | man -l -",
		Hidden: true,
		Args:   cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			about, err := find(cmd, words, unknown)
			if err != nil {
				return err
			}
			// Markdown for lists whose lines stay lines, and whose first is as far from the margin as the others.
			about.Long = strings.ReplaceAll(strings.ReplaceAll(about.Long, "\n  ", "  \n  "), "\n  \n  ", "\n\n\u00a0\u00a0")
			about.DisableAutoGenTag = true // which has a date of its own
			return doc.GenMan(about, &doc.GenManHeader{Section: "1", Source: "ooc " + Number}, terminal.Out)
		},
	}
}
