package about

import (
	"embed"
	"fmt"
	"reflect"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/graph/gen"
	"ooc/engine/graph/read"
	"ooc/engine/mpi"
	"ooc/kernels/cpu"
)

// texts are what people read about each command and topic, in a file of its name.
//
//go:embed help
var texts embed.FS

// Command returns a command that does nothing yet. The file of its name, with words in its places, has its use on the
// first line, on the second what lists say of it, and then its help.
func Command(name string, args cobra.PositionalArgs, words ...any) *cobra.Command {
	text, err := texts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // it is a part of this program
	}
	use, rest, _ := strings.Cut(fmt.Sprintf(strings.TrimSuffix(string(text), "\n"), words...), "\n")
	short, long, _ := strings.Cut(rest, "\n\n")
	return &cobra.Command{Use: use, Short: short, Long: long, Args: args}
}

// List has a format written for each element of a slice of structs, with some fields of it.
func List(of any, format string, fields ...string) string {
	var b strings.Builder
	for list, i := reflect.ValueOf(of), 0; i < list.Len(); i++ {
		values := make([]any, len(fields))
		for k, name := range fields {
			values[k] = list.Index(i).FieldByName(name).Interface()
		}
		fmt.Fprintf(&b, format, values...)
	}
	return b.String()
}

// Names are the names of all in such a slice.
func Names(of any) []string { return strings.Fields(List(of, "%s ", "Name")) }

// Endings are their names as those of files: .npy, .csv or .mtx.
func Endings(of any) string {
	return english.WordSeries(strings.Fields(List(of, ".%s ", "Name")), "or")
}

// Extensions are those of the files that graphs are written to.
func Extensions() string {
	return strings.NewReplacer("[", "", "]", "").Replace(List(gen.Formats, " %s",
		"Extensions"))
}

// topics are commands that only have a help text: what ooc help explains beside commands. Each is short; docs/ says the
// rest.
func topics() (list []*cobra.Command) {
	var formats strings.Builder
	for _, f := range read.Formats {
		fmt.Fprintf(&formats, "\n  %-9s %s", f.Name, f.Title)
		if len(f.Extensions) > 1 { // else the title has it
			fmt.Fprintf(&formats, "\n  %9s %s", "", strings.Join(f.Extensions, " "))
		}
	}
	for _, topic := range []struct {
		name  string
		words []any
	}{
		{"formats", []any{formats.String(), Extensions()}},
		{"numbers", nil},
		{"memory", nil},
		{"gpus", nil},
		{"clusters", nil},
		{"exit-codes", []any{List(exit.Meanings, "  %3d  %s\n", "Code", "Text")}},
		{"environment", []any{cpu.EnvPath, strings.Join(cpu.PathNames(), ", "), mpi.Variable}},
	} {
		cmd := Command(topic.name, nil, topic.words...)
		cmd.Long, cmd.DisableFlagsInUseLine = cmd.Short+".\n\n"+cmd.Long, true
		list = append(list, cmd)
	}
	return list
}

// AddHelp adds the topics of ooc help, ooc man, and help itself. unknown makes the error for a word that names no
// command below another.
func AddHelp(root *cobra.Command, unknown func(*cobra.Command, string) error) {
	root.AddCommand(topics()...)
	root.AddCommand(manCommand(unknown))
	root.SetHelpCommand(helpCommand(unknown))
}

// helpCommand is cobra's, but for its exit code where there is no such command.
func helpCommand(unknown func(*cobra.Command, string) error) *cobra.Command {
	cmd := Command("help", cobra.ArbitraryArgs)
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

// manCommand returns ooc man, which makes the manual pages of a release. Their date is SOURCE_DATE_EPOCH, if that is
// set.
func manCommand(unknown func(*cobra.Command, string) error) *cobra.Command {
	cmd := Command("man", cobra.ArbitraryArgs)
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
		return doc.GenMan(about, &doc.GenManHeader{Section: "1", Source: "ooc " + number}, terminal.Out)
	}
	return cmd
}
