package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"ooc/cmd/ooc/cluster"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/engine"
	"ooc/engine/device/registry"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/mpi"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// checkCluster refuses what is not shared by processes. It fills in the algorithm and, for --part-dir, the place.
func (o *solveOptions) checkCluster(inputs []input, many bool) error {
	for _, in := range inputs {
		if in.form != aStore && tiles.PartsIn(in.name) != nil {
			_, err := tiles.Open(in.name)
			return err
		}
	}
	if o.cluster == "" {
		return o.without("--%s is for --cluster mpi", "grid", "part-dir")
	}
	if o.Algorithm == plan.Auto {
		o.Algorithm = sharing()
	}
	err := cmp.Or(
		exit.Refuse(many, "--cluster mpi is for one graph, and not for a batch or --dry-run"),
		o.without("--%s does not go with --cluster mpi, by which processes share the rounds of a whole matrix; "+
			"docs/cluster.md says what else there is",
			"sources", "keep", "timeline"),
		exit.Refuse(!engine.TraitsOf(o.Algorithm).Parts, "--algorithm %s runs in one process; --cluster mpi is for %s",
			o.Algorithm, sharing()))
	if err != nil || o.partDir == "" {
		return err
	}
	o.place = "part-dir"
	return cmp.Or(
		o.without("--%s does not go with --part-dir, in which each process makes a store of its own part of the "+
			"distances", "out", "out-dir"),
		exit.Refuse(inputs[0].path() == "", "--part-dir: name a folder, and a graph that all processes can read"))
}

// sharing is the algorithm by which processes share a solve.
func sharing() string {
	return engine.AlgorithmThat(func(t plan.Traits) bool { return t.Parts })
}

// runCluster is run for one of several processes.
func (j *job) runCluster(ctx context.Context) error {
	c, err := cluster.Start()
	if err != nil {
		return err
	}
	s := &cluster.Solve{
		Input: j.in.name, Store: func() (string, error) { return j.storeOf(j.in) }, Grid: j.Grid, Restart: j.restart,
		Open: func(l registry.Local) (kernels.Device, error) {
			if err := j.check(); err != nil {
				return nil, err
			}
			d, err := l.Open(j.device, j.deviceMemory)
			return d, j.orAuto(err)
		},
	}
	if j.outDir != "" && j.out == "" {
		s.Folder = func() error { return disk.MakeFolder(j.outDir) }
	}
	if j.partDir != "" {
		s.Parts = j.parted(ctx, c)
	}
	if j.shared = s; !c.Alone() || s.Parts != nil {
		j.ranks = c
	}
	return c.Run(ctx, s, func() error { return j.run(ctx) }, func() engine.Options {
		exit.Graceful.Store(true)
		return engine.Options{Checkpoint: j.checkpoint, Input: j.in.path()}
	})
}

// parted is a solve of which each process keeps a part. Rank 0 plans it for all.
func (j *job) parted(ctx context.Context, c *cluster.Cluster) *cluster.Parted {
	var n *incoming
	dir := filepath.Join(j.partDir, read.BaseName(j.in.name)+".parts")
	return &cluster.Parted{Dir: dir, Restart: j.restart,
		Read: func() (_ graph.Weights, o engine.CreateOptions, err error) {
			if c.Group.Rank() == 0 {
				n, o, err = j.read(ctx, dir)
			} else if n, err = j.graphFlags.read(j.in, j.partDir, true); err == nil {
				o = engine.CreateOptions{Input: j.origin(n.src), Command: os.Args}
			}
			if err != nil {
				return nil, o, err
			}
			return n.weights, o, nil
		},
		Same: func(p *engine.Problem) error { return j.same(ctx, p) },
		Made: func(p *engine.Problem) {
			j.show.Imported(n.weights.Facts(), p.Geometry().Layout(), n.src, dir, n.took)
		},
	}
}

// openAny opens the device, or takes that of the cluster, whose host memory is that of all.
func (j *job) openAny() (kernels.Device, string, error) {
	if j.ranks == nil {
		return j.openFree()
	}
	d := j.ranks.Device
	if info := d.Info(); j.HostMemory > 0 {
		j.HostMemory *= int64(info.Devices)
	} else if !info.SharedCores {
		j.HostMemory = j.ranks.Memory * int64(info.Devices)
	}
	return d, "", nil
}

// relaunched is a command line that goes on with what the processes of a cluster do, with what has started them.
func relaunched(line string) string {
	if launcher := mpi.Launcher(); launcher != "" && strings.Contains(line, "--cluster") {
		return launcher + " " + strings.TrimSuffix(line, show.Launched)
	}
	return line
}
