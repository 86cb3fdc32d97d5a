package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/cluster"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/show"
	"ooc/engine"
	"ooc/engine/device/registry"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// clusterFlags have several processes, which mpirun or srun has started, share one solve.
type clusterFlags struct {
	how  string
	grid [2]int
	dir  string           // of part stores; "": there is one store
	all  *cluster.Cluster // nil: this process is alone
	it   *cluster.Solve
}

func (f *clusterFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(flagvalue.Word(&f.how, "mpi"), "cluster", "mpi: the processes that mpirun or srun has started share the rounds of the solve, each on its own device")
	cmd.Flags().Var(flagvalue.Grid(&f.grid), "grid", "rows and columns in which the parts of a --cluster stand, as in 2x4 (default: as square as can be)")
	cmd.Flags().StringVar(&f.dir, "part-dir", "", "each process of a --cluster keeps its part of the matrix in a store of its own, in DIR/GRAPH.parts, which may be on a disk of its node")
	_ = cmd.MarkFlagDirname("part-dir")
}

// checkCluster refuses what is not shared by processes.
func (f *solveFlags) checkCluster(cmd *cobra.Command, args []string) error {
	for _, arg := range args {
		if !isStore(arg) && tiles.PartsIn(arg) != nil {
			_, err := tiles.Open(arg)
			return err
		}
	}
	if f.cluster.how == "" {
		if f.cluster.grid[0] > 0 {
			return exit.UsageError(errors.New("--grid is for --cluster mpi"))
		}
		if f.cluster.dir != "" {
			return exit.UsageError(errors.New("--part-dir is for --cluster mpi"))
		}
		return nil
	}
	if f.isBatch(args) || f.dryRun {
		return exit.UsageError(errors.New("--cluster mpi is for one graph, and not for a batch or --dry-run"))
	}
	for _, name := range []string{"sources", "keep", "timeline"} {
		if cmd.Flags().Changed(name) {
			return exit.UsageError(fmt.Errorf("--%s does not go with --cluster mpi, by which processes share the rounds of a whole matrix; docs/cluster.md says what else there is", name))
		}
	}
	if f.Algorithm == plan.Auto {
		f.Algorithm = sharing()
	}
	if !engine.TraitsOf(f.Algorithm).Parts {
		return exit.UsageError(fmt.Errorf("--algorithm %s runs in one process; --cluster mpi is for %s", f.Algorithm, sharing()))
	}
	if cmd.Flags().Changed("part-dir") {
		f.place = "part-dir"
		for _, name := range []string{"out", "out-dir"} {
			if cmd.Flags().Changed(name) {
				return exit.UsageError(fmt.Errorf("--%s does not go with --part-dir, in which each process makes a store of its own part of the distances", name))
			}
		}
		if args[0] == "-" || isStore(args[0]) {
			return exit.UsageError(errors.New("--part-dir: name a folder, and a graph that all processes can read"))
		}
	}
	return nil
}

// sharing is the algorithm by which processes share a solve.
func sharing() string {
	return engine.AlgorithmThat(func(t plan.Traits) bool { return t.Parts })
}

// runCluster is run for one of several processes.
func (f *solveFlags) runCluster(cmd *cobra.Command, input string) error {
	c, err := cluster.Start()
	if err != nil {
		return err
	}
	s := &cluster.Solve{
		Input: input, Store: func() (string, error) { return f.store(input) }, Grid: f.cluster.grid, Restart: f.restart, Predecessors: f.Predecessors,
		Open: func(l registry.Local) (kernels.Device, error) {
			if err := f.check(); err != nil {
				return nil, err
			}
			d, err := registry.OpenLocal(f.device, f.deviceMemory, l)
			return d, orAuto(f.device, err)
		},
	}
	if f.outDir != "" && f.out == "" {
		s.Folder = func() error { return disk.MakeFolder(f.outDir) }
	}
	if f.cluster.dir != "" {
		s.Parts = &cluster.Parted{Dir: filepath.Join(f.cluster.dir, read.BaseName(input)+".parts"), Restart: f.restart, Read: func() (graph.Weights, engine.CreateOptions, error) {
			n, err := f.readAlone(cmd, input, f.cluster.dir)
			return n.weights, n.o, err
		}}
	}
	if f.cluster.it = s; !c.Alone() || s.Parts != nil {
		f.cluster.all = c
	}
	return c.Run(cmd.Context(), s, func() error { return f.run(cmd, input) }, func() engine.Options {
		exit.Graceful.Store(true)
		return engine.Options{Checkpoint: f.checkpoint, Input: inputPath(input)}
	})
}

// openParts opens the part store of rank 0 together with those of the others, or makes them all.
func (f *solveFlags) openParts(cmd *cobra.Command, input string, d kernels.Device, show *show.Display) (*engine.Problem, error) {
	s := f.cluster.it
	var n *incoming
	s.Parts.Same = func(p *engine.Problem) error { return f.same(cmd, p, input) }
	s.Parts.Read = func() (w graph.Weights, o engine.CreateOptions, err error) {
		if n, err = f.read(cmd, input, s.Parts.Dir, d, show); err == nil {
			w, o = n.weights, n.o
		}
		return w, o, err
	}
	s.Parts.Made = func(p *engine.Problem) {
		show.Imported(n.weights.Facts(), p.Geometry().Layout(), n.src, s.Parts.Dir, n.took)
	}
	return f.cluster.all.OpenParts(cmd.Context(), s)
}

// openAny opens the device, or takes that of the cluster, whose host memory is that of all.
func (f *solveFlags) openAny() (kernels.Device, string, error) {
	c := f.cluster.all
	if c == nil {
		return f.openFree()
	}
	if info := c.Device.Info(); f.HostMemory > 0 {
		f.HostMemory *= int64(info.Devices)
	} else if !info.SharedCores {
		f.HostMemory = c.Memory * int64(info.Devices)
	}
	return c.Device, "", nil
}
