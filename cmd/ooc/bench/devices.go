package bench

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/device"
	"ooc/engine/device/registry"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// DevicesCommand returns ooc devices.
func DevicesCommand() *cobra.Command {
	var asJSON bool
	cmd := about.Command("devices", nil)
	cmd.RunE = func(*cobra.Command, []string) error {
		w := tabwriter.NewWriter(terminal.Out, 0, 0, 2, ' ', 0)
		if !asJSON {
			fmt.Fprintln(w, "device\tmodel\tmemory for tiles\tceiling i32\tceiling f32\tdriver")
		}
		for _, name := range registry.All() {
			o, err := lookAtDevice(name)
			switch {
			case err != nil:
				return errors.Join(w.Flush(), err)
			case asJSON:
				terminal.PrintJSON("device", terminal.Object(o, "model", "memory_bytes",
					"ceiling_i32_relaxations_per_second", "ceiling_f32_relaxations_per_second", "driver", "error"))
			case !o.Usable:
				fmt.Fprintf(w, "%s\tnot usable: %s\n", name, o.Error)
			default:
				rate := func(r float64) string {
					if r == 0 {
						return "not known"
					}
					return text.Per(r, "relax")
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", o.Name, o.Model, humanize.IBytes(uint64(o.Memory)),
					rate(o.I32), rate(o.F32), o.Driver)
			}
		}
		return w.Flush()
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// deviceObject is a device in JSON. Of one that cannot be used there is only why.
type deviceObject struct {
	Name   string  `json:"device"`
	Usable bool    `json:"usable"`
	Model  string  `json:"model"`
	Memory int64   `json:"memory_bytes"` // for tiles
	I32    float64 `json:"ceiling_i32_relaxations_per_second"`
	F32    float64 `json:"ceiling_f32_relaxations_per_second"`
	Driver string  `json:"driver"` // "": it needs none
	Error  string  `json:"error"`
}

// lookAtDevice opens a device and measures it.
func lookAtDevice(name string) (deviceObject, error) {
	d, _, err := registry.Open(name, 0)
	if err != nil {
		return deviceObject{Name: name, Error: err.Error()}, nil
	}
	info := d.Info()
	o := deviceObject{Name: info.Name, Usable: true, Model: info.Model, Memory: info.Memory,
		I32: device.Ceiling(d, entry.I32, 0), F32: device.Ceiling(d, entry.F32, 0)}
	if b, ok := d.(interface{ Driver() string }); ok {
		o.Driver = b.Driver()
	}
	return o, d.Close()
}
