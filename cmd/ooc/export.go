package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/export"
	"ooc/engine/idfile"
	"ooc/kernels/entry"
)

func exportCommand() *cobra.Command {
	var o export.Options
	var rows, cols, unreachable, ids string
	var predecessors, asJSON bool
	noPath := entry.SciPyNoVertex
	var formats strings.Builder
	var names, words []string
	for _, e := range export.Formats {
		names, words = append(names, "."+e.Name), append(words, e.Name)
		fmt.Fprintf(&formats, "\n  .%s  %s", e.Name, e.Title)
	}
	cmd := &cobra.Command{
		Use:   "export STORE [FILE]",
		Short: "Write the distances to a file: " + english.WordSeries(names, "or") + "; or predecessors",
		Long: "export writes distances in the format that FILE's extension names, compressed if .gz or .zst follows it,\n" +
			"or to standard output if FILE is -, as .csv unless --format names another. Formats:" + formats.String() + "\n\n" +
			"Rows and columns are in the order of the store's rows, or that of --rows and --cols. Both take vertex ids\n" +
			"and ranges of them, separated by commas, or files of them: --rows 17,20..29,@more.txt (@- is\n" +
			"standard input). A range has the vertices from the one to the other in the order of the store's rows.\n" +
			"Unreachable is inf, and in integer .npy and .mtx the type's maximum, 2147483647.\n\n" +
			"--predecessors writes, as .npy of int32, the row number of the vertex before each on a shortest path from the\n" +
			"row's vertex, as SciPy's shortest_path does. The store has to be of a sparse graph, or solved with --predecessors.\n\n" +
			"--ids writes which vertex each row and column of FILE is, or without FILE each of the store: as .csv with the\n" +
			"columns index, row and column, or as .npy, where rows and columns are the same vertices. --rows and --cols read it.",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("unreachable") {
				v, err := strconv.ParseFloat(unreachable, 64)
				if err != nil {
					return exit.UsageError(fmt.Errorf("--unreachable %s: want a number, inf or nan", unreachable))
				}
				o.Unreachable = &v
			}
			switch {
			case predecessors && (cols != "" || o.Unreachable != nil):
				return exit.UsageError(errors.New("--predecessors goes with neither --cols nor --unreachable"))
			case predecessors:
				o.Predecessors = &noPath
			case cmd.Flags().Changed("no-path"):
				return exit.UsageError(errors.New("--no-path goes with --predecessors"))
			}
			file := ""
			if len(args) > 1 {
				file = args[1]
			} else if ids == "" {
				return exit.UsageError(errors.New("name a FILE to write, or --ids FILE"))
			}
			if (file == "-" || file == "") && asJSON {
				return exit.UsageError(errors.New("--json says what is in FILE: give it a name, and not -, which is standard output itself"))
			}
			if file != "" && file != "-" {
				if err := output(cmd, file, o.Overwrite).Check(); err != nil {
					return err
				}
			}
			p, err := engine.OpenReadOnly(args[0])
			if err != nil {
				return err
			}
			defer p.Close()
			names, err := p.IDs()
			if err != nil {
				return err
			}
			if o.Rows, err = verticesIn(p, names).Selection("rows", rows); err != nil {
				return err
			}
			if o.Cols, err = verticesIn(p, names).Selection("cols", cols); err != nil {
				return err
			}
			var table *idfile.File
			if ids != "" {
				if table, err = export.NewIDs(p, output(cmd, ids, o.Overwrite, args[1:]...), o); err != nil {
					return err
				}
			}
			if file != "" {
				err = runExport(cmd, p, file, o, asJSON)
			}
			if err == nil && table != nil {
				exit.Graceful.Store(true)
				if err = table.Write(); err == nil && !asJSON {
					fmt.Fprintf(terminal.Err, "wrote %s\n", ids)
				}
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&rows, "rows", "", "ids, ranges and @FILEs of the rows to write, separated by commas (default: all)")
	fl.StringVar(&cols, "cols", "", "the same for columns")
	fl.StringVar(&unreachable, "unreachable", "", "the number for pairs without a path (default: inf, or 2147483647)")
	fl.Var(flagvalue.Word(&o.Format, words...), "format", "npy, csv or mtx (default: the extension's; csv on standard output)")
	fl.StringVar(&ids, "ids", "", "write the ids of rows and columns to this .csv or .npy")
	fl.BoolVar(&predecessors, "predecessors", false, "write predecessors instead of distances")
	fl.Var(flagvalue.Entry(&noPath), "no-path", "the number where there is no predecessor")
	fl.BoolVar(&asJSON, "json", false, "one JSON object that says what was written")
	fl.BoolVar(&o.Overwrite, "overwrite", false, "replace files that are there")
	return cmd
}

func runExport(cmd *cobra.Command, p *engine.Problem, file string, o export.Options, asJSON bool) error {
	if file == "-" {
		if o.Format == "" && o.Predecessors != nil {
			o.Format = "npy"
		} else if o.Format == "" {
			o.Format = "csv"
		}
		return wayOut(p.Dir(), export.Write(cmd.Context(), p, terminal.Raw, o))
	}
	began := time.Now()
	exit.Graceful.Store(true)
	if err := export.File(cmd.Context(), p, file, o); err != nil {
		return wayOut(p.Dir(), err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if asJSON {
		printExported(p, file, o, info.Size(), time.Since(began))
		return nil
	}
	fmt.Fprintf(terminal.Err, "wrote %s, %s in %s\n", file, humanize.IBytes(uint64(info.Size())), terminal.Time(time.Since(began).Seconds()))
	return nil
}

// printExported says in JSON what was written.
func printExported(p *engine.Problem, file string, o export.Options, bytes int64, took time.Duration) {
	rows, cols := len(o.Rows), len(o.Cols)
	if o.Rows == nil {
		rows = p.Geometry().RowCount()
	}
	if o.Cols == nil {
		cols = p.Geometry().N
	}
	terminal.PrintJSON("summary", struct {
		Store        string  `json:"store"`
		File         string  `json:"file"`
		Rows         int     `json:"rows"`
		Columns      int     `json:"columns"`
		Predecessors bool    `json:"predecessors"` // instead of distances
		Bytes        int64   `json:"bytes"`
		Seconds      float64 `json:"seconds"`
	}{p.Dir(), file, rows, cols, o.Predecessors != nil, bytes, took.Seconds()})
}
