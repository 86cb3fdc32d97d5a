package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/newfile"
)

// line is a command line, beside the options that its flags fill.
type line struct {
	args  []string
	flags []string // those that were given, as in --device=cpu, by name
}

func lineOf(cmd *cobra.Command) line {
	l := line{args: cmd.Flags().Args()}
	cmd.Flags().Visit(func(fl *pflag.Flag) { l.flags = append(l.flags, "--"+fl.Name+"="+fl.Value.String()) })
	return l
}

// runs has a command fill l with its line and then call run, which needs no cobra.
func runs(cmd *cobra.Command, l *line, run func(context.Context) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		*l = lineOf(cmd)
		return run(cmd.Context())
	}
	return cmd
}

// flag is a flag as it was given, "" if it was not.
func (l *line) flag(name string) string {
	if i := slices.IndexFunc(l.flags, func(f string) bool { return strings.HasPrefix(f, "--"+name+"=") }); i >= 0 {
		return l.flags[i]
	}
	return ""
}

func (l *line) has(name string) bool { return l.flag(name) != "" }

// without refuses flags. why is a format for the name of one that was given.
func (l *line) without(why string, names ...string) error {
	if i := slices.IndexFunc(names, l.has); i >= 0 {
		return exit.UsageError(fmt.Errorf(why, names[i]))
	}
	return nil
}

// but are the flags that were given, without some.
func (l *line) but(names ...string) (flags []string) {
	for _, flag := range l.flags {
		name, _, _ := strings.Cut(flag[2:], "=")
		if !slices.Contains(names, name) {
			flags = append(flags, flag)
		}
	}
	return flags
}

// noGraphFlags refuses the flags of graphFlags for an argument that is a store.
func (l *line) noGraphFlags() error {
	return l.without("--%s is for graphs: a store knows how its graph was read",
		"base", "columns", "directed", "format", "kind", "no-arc", "scale", "undirected", "unweighted")
}

// again is this command again, which has done nothing yet.
func (l *line) again() string {
	return relaunched(show.WholeCommand(os.Args)) + terminal.If(slices.Contains(l.args, "-"), " < INPUT")
}

// goOn says of errors with some exit codes that the same command goes on.
func (l *line) goOn(err error, codes ...int) error {
	if slices.Contains(codes, exit.Code(err)) {
		return fmt.Errorf("%w; continue with:\n  %s", err, l.again())
	}
	return err
}

// output is the file that a command was told to write, which must be none of those that its command line names beside
// it, and not in a folder of keep. Every command that writes a file asks Check of it before it does anything.
func (l *line) output(path string, overwrite bool, keep ...string) newfile.File {
	named := l.files()
	if i := slices.Index(named, path); i >= 0 {
		named = slices.Delete(named, i, i+1) // the word that names the output itself
	}
	return newfile.File{Path: path, Overwrite: overwrite, Keep: append(named, keep...)}
}

// files are the files that the line names; in the place of a store, that which it was made from.
func (l *line) files() (files []string) {
	words := append([]string{"/dev/stdin"}, l.args...)
	for _, flag := range l.flags {
		_, value, _ := strings.Cut(flag, "=")
		words = append(words, value)
		if strings.ContainsAny(value, "@,") { // a selection
			for word := range strings.SplitSeq(value, ",") {
				words = append(words, strings.TrimPrefix(word, "@"))
			}
		}
	}
	for _, word := range words {
		if p, err := engine.OpenReadOnly(word); err == nil {
			word = p.Meta().Input.Name
			p.Close()
		}
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() {
			files = append(files, word)
		}
	}
	return files
}

// summary prints what a command has done as an object, or as a line for people.
func summary(asJSON bool, object any, to io.Writer, format string, args ...any) {
	terminal.Either(asJSON, "summary", object, to, format, args...)
}

// note prints a line for people.
func note(format string, args ...any) { fmt.Fprintf(terminal.Err, format+"\n", args...) }
