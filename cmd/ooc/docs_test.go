package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// docs are the pages whose commands have to be right.
func docs(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatal(pages, err)
	}
	return append(pages, "../../README.md")
}

// part matches what TestDocs goes by: a block of a page, a table, or one of these comments:
//
//	<!-- run: COMMAND -->      runs, too: what the blocks below need, or what has to be so after those above
//	<!-- run: this table -->   the next table has commands that run, one in a cell
//	<!-- file: NAME -->        the next block is a file that readers write. It is there from the beginning
//	<!-- needs: PROGRAM -->    the next block does not run where there is no such program (OOC_REQUIRE_DOCS=1: it has to be there)
//	<!-- not run: REASON -->   the next block does not run here
var part = regexp.MustCompile("(?ms)^<!-- (run|file|needs|not " +
	"run):\\s(.+?)\\s-->$|^```(\\w*)\n(.*?)^```$|((?:^\\|[^\n]*\n)+)")

// TestDocs runs the commands of README.md and of each page of docs, in their order and each page in a folder of its
// own. A block of sh is a script that has to end well. In one of console, what stands after $ is run, and has to
// print what stands below: there, an … in a line stands for any text, and a line of … alone for any lines.
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a Unix shell")
	}
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nOOC_TEST_MAIN=1 exec '%s' \"$@\"\n", self)
	if err := os.WriteFile(filepath.Join(bin, "ooc"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{bin, filepath.Join(root, "cmd/ooc/testdata/slurm"), os.Getenv("PATH")},
		string(os.PathListSeparator))
	env := append(os.Environ(), "PATH="+path, "ROOT="+root,
		// As root, and on few cores.
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")
	ran, pages, all := 0, 0, docs(t)
	for _, file := range all {
		t.Run(filepath.Base(file), func(t *testing.T) {
			pages++
			ran += runPage(t, string(readFile(t, file)), env)
		})
	}
	if ran < 60 && pages == len(all) { // not where -run picks some
		t.Errorf("%d commands", ran)
	}
}

// runPage runs what a page has, and returns how many blocks and lines that was.
func runPage(t *testing.T, text string, env []string) (ran int) {
	dir := t.TempDir()
	// shell runs a command, whose output is compared if it is shown.
	shell := func(command, want string, shown bool) {
		ran++
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir, cmd.Env = dir, env
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if got := strings.TrimSuffix(string(out), "\n"); err != nil || shown && !likeOutput(want, got) {
			t.Errorf("$ %s\n%s\n%s%v; the page has\n%s", command, got, said.String(), err, want)
		}
	}
	parts := part.FindAllStringSubmatch(text, -1)
	blocks := 0
	for i, p := range parts {
		if p[4] != "" {
			blocks++
		}
		if p[1] == "file" {
			if i+1 == len(parts) || parts[i+1][4] == "" {
				t.Fatalf("no block follows %s", p[0])
			}
			writeFile(t, dir, p[2], parts[i+1][4])
		}
	}
	if fences := strings.Count("\n"+text, "\n```"); fences != 2*blocks {
		t.Fatalf("%d lines begin or end %d blocks", fences, blocks)
	}
	mark, marked := "", "" // of the comment before
	for _, p := range parts {
		comment, says, language, block, table := p[1], p[2], p[3], p[4], p[5]
		switch {
		case comment == "run" && says != "this table":
			shell("set -eo pipefail\n"+says, "", false)
		case comment != "" || mark == "file" || mark == "not run" || mark == "needs" && !there(t, marked):
		case table != "" && marked == "this table":
			for _, span := range regexp.MustCompile("`(ooc [^`]+)`").FindAllStringSubmatch(table, -1) {
				shell(span[1], "", false)
			}
		case language == "sh":
			shell("set -eo pipefail\n"+block, "", false)
		case language == "console":
			for _, entry := range strings.Split("\n"+block, "\n$ ")[1:] {
				line, want, _ := strings.Cut(strings.TrimSuffix(entry, "\n"), "\n")
				if strings.Contains(line, "<<END") {
					line, want = entry, ""
				}
				shell(line, want, true)
			}
		default:
			if command := regexp.MustCompile(`(?m)^(\$ )?(ooc|go|pip|mpirun|sbatch) .*`).FindString(block); command != "" {
				t.Errorf("a block that is neither sh nor console has the command %q", command)
			}
		}
		mark, marked = comment, says
	}
	return ran
}

// there reports whether there is such a program.
func there(t *testing.T, program string) bool {
	_, err := exec.LookPath(program)
	if err != nil && os.Getenv("OOC_REQUIRE_DOCS") == "1" {
		t.Error(err)
	} else if err != nil {
		t.Logf("a block is not run: %v", err)
	}
	return err == nil
}

// likeOutput reports whether an output is what a page shows.
func likeOutput(want, got string) bool {
	var pattern []string
	for line := range strings.SplitSeq(want, "\n") {
		if line == "…" {
			pattern = append(pattern, "(?s:.*)")
			continue
		}
		pattern = append(pattern, strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*"))
	}
	lines := strings.Join(pattern, "\n")
	for _, all := range []string{"(?s:.*)\n", "\n(?s:.*)"} { // no lines at all, too
		lines = strings.ReplaceAll(lines, all, "("+all+")?")
	}
	return slices.Contains([]string{want}, got) || regexp.MustCompile("^"+lines+"$").MatchString(got)
}

// TestDocsName wants each command and each flag that stands within a sentence or a table to be there, and the flags
// of a command to be its own.
func TestDocsName(t *testing.T) {
	all := map[string]bool{}
	var collect func(*cobra.Command)
	collect = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultVersionFlag()
		cmd.Flags().VisitAll(func(f *pflag.Flag) { all[f.Name] = true })
		for _, sub := range cmd.Commands() {
			collect(sub)
		}
	}
	root := newRoot()
	collect(root)
	named := 0
	for _, page := range docs(t) {
		text := regexp.MustCompile("(?ms)^```.*?^```$|<!--.*?-->").ReplaceAllString(string(readFile(t, page)), "")
		var spans []string
		for _, part := range regexp.MustCompile(`\n\n|\n\|`).Split(text, -1) { // paragraphs, rows of tables
			for _, span := range regexp.MustCompile("`([^`]+)`|(?m)^    (ooc .+?)(?:  |$)").FindAllStringSubmatch(part,
				-1) {
				spans = append(spans, span[1]+span[2])
			}
		}
		for _, span := range spans {
			for _, line := range regexp.MustCompile(`[;|&·]`).Split(span, -1) {
				_, line, command := strings.Cut(" "+line, " ooc ")
				if !command && !strings.HasPrefix(span, "--") {
					continue
				}
				if !command {
					line = span
				}
				words := strings.Fields(strings.NewReplacer("[", "", "]", "", "(", "", ")", "", "…", "").Replace(line))
				cmd := root
				if command {
					var err error
					if cmd, _, err = root.Find(words); err != nil {
						t.Errorf("%s: %s: %v", page, span, err)
						continue
					}
				}
				named++
				for _, word := range words {
					flag, isFlag := strings.CutPrefix(word, "--")
					flag, _, _ = strings.Cut(flag, "=")
					if isFlag && cmd.Flags().Lookup(flag) == nil && (command || !all[flag]) {
						t.Errorf("%s: %s: %s has no --%s", page, span, cmd.CommandPath(), flag)
					}
				}
			}
		}
	}
	if named < 200 {
		t.Errorf("%d commands and flags are named", named)
	}
}
