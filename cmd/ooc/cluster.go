package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/cluster"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/device/registry"
	"ooc/engine/rounds"
	"ooc/kernels"
)

// clusterFlags have several processes, which mpirun or srun has started, share one solve.
type clusterFlags struct {
	how  string
	grid [2]int
	all  *cluster.Cluster // nil: this process is alone
}

func (f *clusterFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(flagvalue.Word(&f.how, "mpi"), "cluster", "mpi: the processes that mpirun or srun has started share the rounds of the solve, each on its own device")
	cmd.Flags().Var(flagvalue.Grid(&f.grid), "grid", "rows and columns in which the parts of a --cluster stand, as in 2x4 (default: as square as can be)")
}

// checkCluster refuses what is not shared by processes.
func (f *solveFlags) checkCluster(cmd *cobra.Command, args []string) error {
	if f.cluster.how == "" {
		if f.cluster.grid[0] > 0 {
			return exit.UsageError(errors.New("--grid is for --cluster mpi"))
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
	if f.algorithm != "auto" && f.algorithm != rounds.BlockedName {
		return exit.UsageError(fmt.Errorf("--algorithm %s runs in one process; --cluster mpi is for %s", f.algorithm, rounds.BlockedName))
	}
	f.algorithm = rounds.BlockedName
	return nil
}

// runCluster is run for one of several processes.
func (f *solveFlags) runCluster(cmd *cobra.Command, input string) error {
	c, err := cluster.Start()
	if err != nil {
		return err
	}
	s := &cluster.Solve{
		Input: input, Store: func() (string, error) { return f.store(input) }, Grid: f.cluster.grid, Restart: f.restart, Predecessors: f.predecessors,
		Open: func(l registry.Local) (kernels.Device, error) {
			if err := f.check(); err != nil {
				return nil, err
			}
			return registry.OpenLocal(f.device, f.deviceMemory, l)
		},
	}
	if !c.Alone() {
		f.cluster.all = c
	}
	return c.Run(cmd.Context(), s, func() error { return f.run(cmd, input) }, func() engine.Options {
		exit.Graceful.Store(true)
		return engine.Options{Checkpoint: f.checkpoint, Input: inputPath(input)}
	})
}

// openAny opens the device, or takes that of the cluster, whose host memory is that of all.
func (f *solveFlags) openAny() (kernels.Device, string, error) {
	c := f.cluster.all
	if c == nil {
		return f.open()
	}
	if info := c.Device.Info(); f.hostMemory > 0 {
		f.hostMemory *= int64(info.Devices)
	} else if !info.SharedCores {
		f.hostMemory = device.FreeMemory() / 2 / int64(c.Local.Of) * int64(info.Devices)
	}
	return c.Device, "", nil
}
