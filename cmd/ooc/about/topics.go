package about

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/engine/graph/read"
	"ooc/engine/graph/write"
	"ooc/engine/mpi"
	"ooc/kernels/cpu"
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
		list = append(list, &cobra.Command{Use: t.name, Short: t.title, DisableFlagsInUseLine: true, Long: t.title + ".\n\n" + t.text()})
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

const numbers = `All distances of a store are of one kind. --kind chooses it:

  i32    integers, exact, 4 bytes each; the kind of graphs whose weights are all integers
  u16    integers, exact, 2 bytes each, where every distance is below 32,639
  f32    real numbers of about seven digits, 4 bytes each; the kind of all other graphs
  f64    real numbers as SciPy and networkx have them, 8 bytes each; integers up to 2^53 are exact

Decimals such as 0.25 are exact with --scale 100: weights are multiplied by it when they are read, and have to be
integers then. Answers are in the units of the file. ooc plan GRAPH --kind KIND says what each takes.
docs/numbers.md has examples.`

const gpus = `ooc takes the first NVIDIA GPU that works, else the first GPU of OpenCL, else the processor. ooc devices lists what there
is, and says why a GPU cannot be used. Results are the same.

  --device cuda:1      the second GPU; --device cuda is the first, and fails if it cannot be used
  --device cuda:0,1    both, sharing one solve
  --device opencl:0    a GPU of AMD, Intel or others, on Linux; docs/opencl.md says what to install
  --device cpu         the processor
  --device-memory SIZE, --host-memory SIZE    how much of each GPU, and of the host, to take

An NVIDIA GPU has to be of Turing (2018) or newer, with a driver for CUDA 12 or newer. If none is found: does
nvidia-smi work here? A container needs docker run --gpus all, a job of Slurm --gres=gpu:1. docs/gpus.md lists each
message, and what to do.`

const clusters = `One sparse graph, on machines that need no network between them: each job solves a part of the rows, and one more puts
the parts together.

  ooc solve roads.gr --sources part:3/8 --out parts/3.ooc      in the third of eight jobs
  ooc merge roads.ooc parts/*.ooc                              once all have ended

A job that is stopped takes a checkpoint and ends with exit code 130; the same command goes on. --max-hours H stops
early enough for that. For many graphs, give each machine some of them: ooc solve a.gr b.gr. docs/cluster.md has
scripts for Slurm.

One dense graph, in processes that MPI connects, over a folder that all of them share:

  mpirun -n 4 ooc solve dense.gr --out dense.ooc --cluster mpi

or with the part of each process on a disk of its node, and then put together:

  mpirun -n 4 ooc solve dense.gr --cluster mpi --part-dir /local
  ooc merge dense.ooc dense.parts                              with all parts copied there`

const memory = `The distances of n vertices are n × n numbers on disk, in the folder of the store: of 4 bytes each (i32, f32), of 2 (u16) or
of 8 (f64). Undirected graphs need half of that, --predecessors twice, --sources only the rows that it names, and
--keep factors no matrix at all. ooc plan GRAPH says how much a solve takes, before anything is written.

  --device-memory SIZE   most memory to take on each device: of the processor, by default, half of the memory that is
                         free; of a GPU most of what is free
  --host-memory SIZE     memory for the host cache of tiles: by default a few tiles for the processor, half of the
                         memory that is free for a GPU

SIZE is, for example, 512MiB or 4GiB. A matrix that is larger is streamed from disk: less memory costs time, and changes no
integer. The arcs of a graph have to fit into memory; a graph that is given as a matrix stays in its file.

A store is mapped. So the system may show much more memory in use than is taken: what it shows is its own cache of the
file, which it gives up when others need memory. docs/memory.md has a table of sizes.`

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
