package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/engine"
	"ooc/engine/plan"
	"ooc/kernels"
)

// mostPlanned is a number of vertices whose matrix takes 400 TB: more would take minutes to plan.
const mostPlanned = 10_000_000

// aheadFlags are the flags of plans for machines that need not be here.
type aheadFlags struct {
	vertices, nodes, gpus int
	link, disk            float64
}

func (f *aheadFlags) add(cmd *cobra.Command, name *string) {
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
	device.Value = flagvalue.Device(name, names...)
	device.Usage += "; " + strings.Join(names, ", ") + " for one that is not here"
}

// open opens the device to plan for, or takes it from the table of models.
func (o *planOptions) open() (kernels.Device, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	d, isModel := plan.Modeled(o.device, o.deviceMemory)
	if o.nodes == 0 && (isModel || o.gpus > 0 || o.disk > 0) {
		o.nodes = 1
	}
	switch {
	case o.nodes > 1 && o.link == 0:
		return nil, exit.UsageError(fmt.Errorf("--nodes %d: give --node-link, what a node receives over the network, such as 50GB/s", o.nodes))
	case o.nodes <= 1 && o.link > 0:
		return nil, exit.UsageError(errors.New("--node-link is between --nodes of two or more"))
	case o.nodes > 0 && o.Algorithm != plan.Auto && !engine.TraitsOf(o.Algorithm).Parts:
		return nil, exit.UsageError(fmt.Errorf("--algorithm %s: plans for other machines are made for %s alone", o.Algorithm, sharing()))
	}
	if !isModel {
		var err error
		if d, _, err = o.openFree(); err != nil {
			return nil, err
		}
	}
	if o.gpus > 0 && d.Info().SharedCores {
		return nil, errors.Join(exit.UsageError(errors.New("--gpus-per-node is for GPUs: name one with --device, such as h100")), d.Close())
	}
	return d, nil
}

// ahead adds what the flags say to what is wanted of a plan.
func (f *aheadFlags) ahead(l plan.Request) plan.Request {
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
