package flagvalue

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Complete has the shell complete the flags of a command whose values are fixed words, and no flag whose value is a
// number. Arguments are completed as the line of the command's use names them, the first with its ValidArgs if it has
// any. The rest stays as cobra has it: names of files.
func Complete(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(fl *pflag.Flag) {
		if v, ok := fl.Value.(interface{ offers() []string }); ok &&
			(v.offers() != nil || fl.Value.Type() != "string") {
			// Fails if it was called before.
			_ = cmd.RegisterFlagCompletionFunc(fl.Name,
				cobra.FixedCompletions(v.offers(), cobra.ShellCompDirectiveNoFileComp))
		}
	})
	if cmd.HasSubCommands() || cmd.ValidArgsFunction != nil {
		return
	}
	words, use := cmd.ValidArgs, cmd.Use
	cmd.ValidArgs = nil // cobra would complete no other argument
	cmd.ValidArgsFunction = func(_ *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(before) == 0 && words != nil {
			return words, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, placeOf(use, len(before))
	}
}

var useFlag = regexp.MustCompile(`\[?-\S+( [A-Z][^-\s]*)?`)

// placeOf says what argument i is by a line such as "export STORE [FILE]": a folder, a file or neither.
func placeOf(use string, i int) cobra.ShellCompDirective {
	var names []string
	for way := range strings.SplitSeq(use, " | ") {
		places := strings.Fields(useFlag.ReplaceAllString(way, ""))[1:]
		if n := len(places); n > 0 && strings.HasSuffix(places[n-1], "...") {
			i = min(i, n-1)
		}
		if i < len(places) {
			names = append(names, strings.Split(strings.Trim(places[i], "[]."), "|")...)
		}
	}
	switch {
	case slices.Contains(names, "GRAPH") || slices.Contains(names, "FILE"):
		return cobra.ShellCompDirectiveDefault
	case slices.Contains(names, "STORE") || slices.Contains(names, "PART") || slices.Contains(names, "DIR"):
		return cobra.ShellCompDirectiveFilterDirs
	}
	return cobra.ShellCompDirectiveNoFileComp
}
