package about

import (
	_ "embed" // for texts of topics
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/engine/graph/read"
	"ooc/engine/graph/write"
	"ooc/engine/mpi"
	"ooc/kernels/cpu"
)

// Texts of topics, in files.
var (
	//go:embed topics/numbers.txt
	numbers string
	//go:embed topics/memory.txt
	memory string
	//go:embed topics/gpus.txt
	gpus string
	//go:embed topics/clusters.txt
	clusters string
)

// topics are what ooc help explains beside commands. Each is short; docs/ says the rest.
var topics = []struct {
	name, title string
	text        func() string
}{
	{"formats", "Files that graphs are read from and written to", formats},
	{"numbers", "Which kind of number distances are", func() string { return numbers }},
	{"memory", "How much memory and disk a solve takes, and how to limit it", func() string { return memory }},
	{"gpus", "Which devices there are, and what to check if no GPU is found", func() string { return gpus }},
	{"clusters", "How many machines or jobs solve one graph, or many", func() string { return clusters }},
	{"exit-codes", "What the exit code of a command says", exitCodes},
	{"environment", "Environment variables", environment},
}

// Topics are commands that only have a help text.
func Topics() (list []*cobra.Command) {
	for _, t := range topics {
		list = append(list, &cobra.Command{Use: t.name, Short: t.title, DisableFlagsInUseLine: true,
			Long: t.title + ".\n\n" + strings.TrimSuffix(t.text(), "\n")})
	}
	return list
}

func formats() string {
	var b strings.Builder
	b.WriteString("Graphs are read in these formats, by the names that --format takes:\n\n")
	for _, f := range read.Formats {
		fmt.Fprintf(&b, "  %-9s %s\n", f.Name, f.Title)
		for _, ext := range f.Extensions {
			if !strings.Contains(f.Title, ext) {
				fmt.Fprintf(&b, "  %9s %s\n", "", strings.Join(f.Extensions, " "))
				break
			}
		}
	}
	b.WriteString("\nThe content tells the format; where it leaves that open, the name does. Each may be compressed by gzip or zstd.\n" +
		"- is standard input. Edge lists are directed unless --undirected is given; --columns names their columns.\n\n" +
		"ooc gen writes graphs as")
	for _, w := range write.Formats {
		fmt.Fprintf(&b, " %s", strings.Join(w.Extensions, " "))
	}
	b.WriteString(", with .gz or .zst too.\n" +
		"ooc export --help and ooc near --help list what these write. docs/graph-formats.md has every detail.")
	return b.String()
}

func exitCodes() string {
	var b strings.Builder
	for _, m := range exit.Meanings {
		fmt.Fprintf(&b, "  %3d  %s\n", m.Code, m.Text)
	}
	b.WriteString("\nWith --json, the last line of a command that fails is an object of type error, with the message and the code.")
	return b.String()
}

func environment() string {
	var b strings.Builder
	for _, v := range [][2]string{
		{"GOMAXPROCS", "how many threads to compute with (default: all that the process may use)"},
		{cpu.EnvPath, "which instructions the processor computes with: " + strings.Join(cpu.PathNames(), ", ") + " (default: the best it has)"},
		{"TMPDIR", "the folder for temporary files; on Windows TMP"},
		{"XDG_CACHE_HOME", "the folder in which ooc keeps measured rates of devices, on Linux (default: ~/.cache)"},
		{"NO_COLOR", "if it is set, ooc watch draws without colours"},
		{"TERM", "dumb: nothing is drawn, and progress is printed line by line"},
		{mpi.Variable, "the MPI library that --cluster mpi loads, by its path or name (default: that of mpirun)"},
		{"OOC_PROGRAM", "the command that the Python package runs (default: its own)"},
	} {
		fmt.Fprintf(&b, "  %-16s %s\n", v[0], v[1])
	}
	return strings.TrimSuffix(b.String(), "\n")
}
