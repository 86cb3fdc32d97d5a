package main

import (
	"cmp"
	"context"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/export"
	"ooc/engine/idfile"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

type exportOptions struct {
	line
	export.Options
	rows, cols, unreachable, ids string
	predecessors, json           bool
	noPath                       int32
}

func exportCommand() *cobra.Command {
	o := &exportOptions{noPath: entry.SciPyNoVertex}
	cmd := about.Command("export", cobra.RangeArgs(1, 2), about.Endings(export.Formats), about.List(export.Formats,
		"\n  .%s  %s", "Name", "Title"))
	fl := cmd.Flags()
	fl.StringVar(&o.rows, "rows", "", "ids, ranges and @FILEs of the rows to write, separated by commas (default: all)")
	fl.StringVar(&o.cols, "cols", "", "the same for columns")
	fl.StringVar(&o.unreachable, "unreachable", "", "the number for pairs without a path (default: inf, or 2147483647)")
	fl.Var(flagvalue.Word(&o.Format, about.Names(export.Formats)...), "format", "npy, csv or mtx (default: the "+
		"extension's; csv on standard output)")
	fl.StringVar(&o.ids, "ids", "", "write the ids of rows and columns to this .csv or .npy")
	fl.BoolVar(&o.predecessors, "predecessors", false, "write predecessors instead of distances")
	fl.Var(flagvalue.Between(&o.noPath, math.MinInt32, math.MaxInt32), "no-path",
		"the number where there is no predecessor")
	fl.BoolVar(&o.json, "json", false, "one JSON object that says what was written")
	fl.BoolVar(&o.Overwrite, "overwrite", false, "replace files that are there")
	return runs(cmd, &o.line, o.run)
}

// check reads the flags.
func (o *exportOptions) check() error {
	if o.unreachable != "" {
		v, err := strconv.ParseFloat(o.unreachable, 64)
		if err != nil {
			return exit.Refuse(true, "--unreachable %s: want a number, inf or nan", o.unreachable)
		}
		o.Unreachable = &v
	}
	if o.predecessors {
		o.Predecessors = &o.noPath
	}
	return cmp.Or(
		exit.Refuse(o.predecessors && (o.cols != "" || o.Unreachable != nil),
			"--predecessors goes with neither --cols nor --unreachable"),
		exit.Refuse(!o.predecessors && o.has("no-path"), "--no-path goes with --predecessors"),
		exit.Refuse(len(o.args) == 1 && o.ids == "", "name a FILE to write, or --ids FILE"),
		exit.Refuse(o.json && (len(o.args) == 1 || o.args[1] == "-"),
			"--json says what is in FILE: give it a name, and not -, which is standard output itself"))
}

func (o *exportOptions) run(ctx context.Context) error {
	if err := o.check(); err != nil {
		return err
	}
	files := o.args[1:] // none, or one
	if len(files) > 0 && files[0] != "-" {
		if err := o.output(files[0], o.Overwrite).Check(); err != nil {
			return err
		}
	}
	return ask(o.args[0], func(p *engine.Problem) error {
		names, err := p.IDs()
		if err != nil {
			return err
		}
		if o.Rows, err = verticesIn(p, names).Selection("rows", o.rows); err != nil {
			return err
		}
		if o.Cols, err = verticesIn(p, names).Selection("cols", o.cols); err != nil {
			return err
		}
		var table *idfile.File
		if o.ids != "" {
			if table, err = o.Options.NewIDs(p, o.output(o.ids, o.Overwrite, files...)); err != nil {
				return err
			}
		}
		if len(files) > 0 {
			if err := o.write(ctx, p, files[0]); err != nil {
				return err
			}
		}
		if table == nil {
			return nil
		}
		exit.Graceful.Store(true)
		if err = table.Write(); err == nil && !o.json {
			note("wrote %s", o.ids)
		}
		return err
	})
}

// write writes distances or predecessors to a file or to standard output.
func (o *exportOptions) write(ctx context.Context, p *engine.Problem, file string) error {
	if file == "-" {
		if o.Format == "" && o.predecessors {
			o.Format = "npy"
		}
		o.Format = cmp.Or(o.Format, "csv")
		return export.Write(ctx, p, terminal.Raw, o.Options)
	}
	began := time.Now()
	exit.Graceful.Store(true)
	if err := export.File(ctx, p, file, o.Options); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	rows, cols := cmp.Or(len(o.Rows), p.Geometry().RowCount()), cmp.Or(len(o.Cols), p.Geometry().N)
	summary(o.json, terminal.Members("store", p.Dir(), "file", file, "rows", rows, "columns", cols,
		"predecessors", o.predecessors, "bytes", info.Size(), "seconds", took), // predecessors: instead of distances
		terminal.Err, "wrote %s, %s in %s", file, humanize.IBytes(uint64(info.Size())), text.Time(took))
	return nil
}
