package about

import (
	"embed"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/engine/graph/read"
	"ooc/engine/graph/write"
	"ooc/engine/mpi"
	"ooc/kernels/cpu"
)

// texts are what people read about each command and topic, in a file of its name: templates.
//
//go:embed help
var texts embed.FS

// Command returns a command that does nothing yet. The file of its name, whose places data fills, has its use on the
// first line, on the second what lists say of it, and then its help.
func Command(name string, args cobra.PositionalArgs, data any) *cobra.Command {
	var b strings.Builder
	if err := template.Must(template.ParseFS(texts, "help/"+name+".txt")).Execute(&b, data); err != nil {
		panic(err) // it is a part of this program
	}
	use, rest, _ := strings.Cut(strings.TrimSuffix(b.String(), "\n"), "\n")
	short, long, _ := strings.Cut(rest, "\n\n")
	return &cobra.Command{Use: use, Short: short, Long: long, Args: args}
}

// Topics are commands that only have a help text: what ooc help explains beside commands. Each is short; docs/ says the
// rest.
func Topics() (list []*cobra.Command) {
	for _, topic := range []struct {
		name string
		data any
	}{
		{"formats", map[string]any{"Read": read.Formats, "Written": write.Formats}},
		{"numbers", nil},
		{"memory", nil},
		{"gpus", nil},
		{"clusters", nil},
		{"exit-codes", exit.Meanings},
		{"environment", map[string]any{"Path": cpu.EnvPath, "Paths": cpu.PathNames(), "MPI": mpi.Variable}},
	} {
		cmd := Command(topic.name, nil, topic.data)
		cmd.Long, cmd.DisableFlagsInUseLine = cmd.Short+".\n\n"+cmd.Long, true
		list = append(list, cmd)
	}
	return list
}
