package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ooc/engine"
	"ooc/engine/newfile"
)

// output is the file that a command was told to write, which must be none of those that its command line names beside
// it, and not in a folder of keep. Every command that writes a file asks Check of it before it does anything.
func output(cmd *cobra.Command, path string, overwrite bool, keep ...string) newfile.File {
	named := namedFiles(cmd)
	if i := slices.Index(named, path); i >= 0 {
		named = slices.Delete(named, i, i+1) // where it was told so
	}
	return newfile.File{Path: path, Overwrite: overwrite, Keep: append(named, keep...)}
}

// namedFiles are the files that a command line names, and those that the stores which it names were made from.
func namedFiles(cmd *cobra.Command) (files []string) {
	words := append([]string{"/dev/stdin"}, cmd.Flags().Args()...)
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		value := fl.Value.String()
		words = append(words, value)
		if strings.ContainsAny(value, "@,") { // a selection
			for word := range strings.SplitSeq(value, ",") {
				words = append(words, strings.TrimPrefix(word, "@"))
			}
		}
	})
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
