package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ooc/cmd/ooc/exit"
	"ooc/kernels/cpu"
)

// TestReference compares docs/reference.md with the commands. OOC_WRITE_REFERENCE=1 writes it anew.
func TestReference(t *testing.T) {
	const page = "../../docs/reference.md"
	var b strings.Builder
	b.WriteString("# Reference\n\nFlags of every command, environment variables and exit codes. " +
		"`OOC_WRITE_REFERENCE=1 go test -run TestReference ./cmd/ooc` writes this page from the code.\n")
	commands := 0
	var describe func(*cobra.Command)
	describe = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() || cmd.Name() == "help" {
			return
		}
		commands++
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n    %s\n", cmd.CommandPath(), cmd.Short, cmd.UseLine())
		rows := "\n| flag | meaning |\n|---|---|\n"
		cmd.LocalFlags().VisitAll(func(fl *pflag.Flag) {
			kind, text := pflag.UnquoteUsage(fl)
			name := strings.TrimSpace("--" + fl.Name + " " + kind)
			if fl.Shorthand != "" {
				name = "-" + fl.Shorthand + ", " + name
			}
			if fl.Name != "help" {
				rows += fmt.Sprintf("| `%s` | %s |\n", name, strings.ReplaceAll(text, "|", "\\|"))
			}
		})
		if strings.Count(rows, "\n") > 3 {
			b.WriteString(rows)
		}
		for _, sub := range cmd.Commands() {
			describe(sub)
		}
	}
	for _, cmd := range newRoot().Commands() {
		describe(cmd)
	}
	environment, _, err := newRoot().Find([]string{"environment"})
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n## Environment variables\n\n| variable | meaning |\n|---|---|\n")
	// The page is for every processor.
	everywhere := strings.ReplaceAll(environment.Long, strings.Join(cpu.PathNames(), ", "),
		"avx512, avx2 or portable on amd64, else portable")
	variables := regexp.MustCompile(`(?m)^  (\w+) +(.*)$`).FindAllStringSubmatch(everywhere, -1)
	for _, v := range variables {
		fmt.Fprintf(&b, "| `%s` | %s |\n", v[1], v[2])
	}
	b.WriteString("\n## Exit codes\n\n| code | meaning |\n|---|---|\n")
	for _, m := range exit.Meanings {
		fmt.Fprintf(&b, "| %d | %s |\n", m.Code, m.Text)
	}
	if commands < 15 || len(variables) < 5 {
		t.Fatalf("%d commands, %d variables", commands, len(variables))
	}
	if os.Getenv("OOC_WRITE_REFERENCE") == "1" {
		if err := os.WriteFile(page, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if b.String() != string(readFile(t, page)) {
		t.Error("docs/reference.md is not what the commands say: write it anew with OOC_WRITE_REFERENCE=1")
	}
}
