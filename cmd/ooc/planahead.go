package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// mostPlanned is a number of vertices whose matrix takes 400 TB: more would take minutes to plan.
const mostPlanned = 10_000_000

// aheadFlags are the flags of plans for machines that need not be here.
type aheadFlags struct {
	vertices, nodes, gpus int
	link, disk            float64
}

func (f *aheadFlags) add(cmd *cobra.Command, df *deviceFlags) {
	fl := cmd.Flags()
	fl.Var(flagvalue.Between(&f.vertices, 1, mostPlanned), "vertices", "plan for any graph of so many vertices, in rounds, without one")
	fl.Var(flagvalue.Between(&f.nodes, 1, 10_000), "nodes", "plan for so many machines that share the rounds")
	fl.Var(flagvalue.Between(&f.gpus, 1, 64), "gpus-per-node", "GPUs like --device that each of them has")
	fl.Var(flagvalue.PerSecond(&f.link), "node-link", "what a node receives over the network, such as 50GB/s or 400Gb/s, while it sends as much")
	fl.Var(flagvalue.PerSecond(&f.disk), "node-disk", "the rate of a node's disk, such as 2GB/s (default: that of the disk here for a plan for here, else left out)")
	names := make([]string, len(plan.Models))
	for i, m := range plan.Models {
		names[i] = m.Name
	}
	device := fl.Lookup("device")
	device.Value = flagvalue.Device(&df.device, names...)
	device.Usage += "; " + strings.Join(names, ", ") + " for one that is not here"
}

// open opens the device to plan for, or takes it from the table of models.
func (f *aheadFlags) open(df *deviceFlags) (kernels.Device, error) {
	if err := df.check(); err != nil {
		return nil, err
	}
	d, isModel := plan.Modeled(df.device, df.deviceMemory)
	if isModel && f.nodes == 0 {
		f.nodes = 1
	}
	if f.nodes == 0 && (f.gpus > 0 || f.disk > 0) {
		f.nodes = 1
	}
	switch {
	case f.nodes > 1 && f.link == 0:
		return nil, exit.UsageError(fmt.Errorf("--nodes %d: give --node-link, what a node receives over the network, such as 50GB/s", f.nodes))
	case f.nodes <= 1 && f.link > 0:
		return nil, exit.UsageError(errors.New("--node-link is between --nodes of two or more"))
	case f.nodes > 0 && df.Algorithm != plan.Auto && !engine.TraitsOf(df.Algorithm).Parts:
		return nil, exit.UsageError(fmt.Errorf("--algorithm %s: plans for other machines are made for %s alone", df.Algorithm, sharing()))
	}
	if !isModel {
		var err error
		if d, _, err = df.openFree(); err != nil {
			return nil, err
		}
	}
	if f.gpus > 0 && d.Info().SharedCores {
		return nil, errors.Join(exit.UsageError(errors.New("--gpus-per-node is for GPUs: name one with --device, such as h100")), d.Close())
	}
	return d, nil
}

// limits adds what the flags say to the limits of a plan.
func (f *aheadFlags) limits(l plan.Request) plan.Request {
	if f.nodes > 0 {
		l.Algorithm, l.Room = sharing(), 0
		l.Nodes, l.Devices, l.Link, l.Disk = f.nodes, f.gpus, f.link, f.disk
	}
	return l
}

// timed is the folder whose disk is timed for a plan, "" if that is no matter.
func (f *aheadFlags) timed(dir string) string {
	if f.nodes > 0 {
		return ""
	}
	return dir
}

// forecast plans for a number of vertices.
func (f *aheadFlags) forecast(cmd *cobra.Command, gf *graphFlags, d kernels.Device, l plan.Request) (*engine.Forecast, error) {
	l.Kind = entry.Kind(gf.kind)
	return engine.ForecastMatrix(cmd.Context(), graph.Extent{N: f.vertices, Symmetric: gf.undirected}, d, l)
}
