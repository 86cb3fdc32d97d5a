package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/terminal"
	"ooc/engine/device"
	"ooc/engine/device/registry"
	"ooc/kernels/entry"
)

func devicesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "devices",
		Short: "List what can solve, by the name that --device takes, with its memory and its ceiling",
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(terminal.Out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "device\tmodel\tmemory for tiles\tceiling i32\tceiling f32\tdriver")
			for _, name := range registry.All() {
				d, _, err := registry.Open(name, 0)
				if err != nil {
					fmt.Fprintf(w, "%s\tnot usable: %v\n", name, err)
					continue
				}
				info := d.Info()
				driver := ""
				if b, ok := d.(interface{ Binding() (name, version string) }); ok {
					name, version := b.Binding()
					driver = "CUDA " + version + " through " + name
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", info.Name, info.Model, humanize.IBytes(uint64(info.Memory)),
					terminal.Rate(device.Ceiling(d, entry.I32)), terminal.Rate(device.Ceiling(d, entry.F32)), driver)
				if err := d.Close(); err != nil {
					return errors.Join(w.Flush(), err)
				}
			}
			return w.Flush()
		},
	}
}
