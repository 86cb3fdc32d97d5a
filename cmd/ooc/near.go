package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/idfile"
	"ooc/engine/near"
)

// nearFlags are those of near.
type nearFlags struct {
	graphFlags
	near.Question
	within, ids     string
	overwrite, json bool
}

func nearCommand() *cobra.Command {
	f := &nearFlags{}
	var formats strings.Builder
	var names []string
	for _, e := range near.Formats {
		names = append(names, "."+e.Name)
		fmt.Fprintf(&formats, "\n  .%s  %s", e.Name, e.Title)
	}
	cmd := &cobra.Command{
		Use:   "near GRAPH FILE",
		Short: "Write the pairs of vertices that are near each other, as a sparse matrix: " + english.WordSeries(names, "or"),
		Long: "near writes all pairs of vertices of GRAPH (a file, - for standard input, or a store of a sparse graph) that are\n" +
			"within a distance, or the nearest of each vertex, to FILE, in the format that its extension names, compressed if\n" +
			".gz or .zst follows it. It needs no store, and no memory for n² of anything. Formats:" + formats.String() + "\n\n" +
			"The diagonal is left out. A distance of 0 between two vertices is an entry like others. Ctrl-C and kills lose\n" +
			"little: what was found is in FILE" + near.Extension + ", from which the same command goes on.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], args[1]) },
	}
	f.graphFlags.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.within, "within", "", "only pairs no farther than this; inf: all that can be reached")
	fl.Var(flagvalue.AtLeast(&f.Nearest, 1), "k-nearest", "only so many others of each vertex, the nearest; of equally near ones the first in the input's order")
	fl.StringVar(&f.ids, "ids", "", "write the ids of rows and columns to this .csv or .npy")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace files that are there")
	fl.BoolVar(&f.json, "json", false, "one JSON object that says what was written")
	return cmd
}

// check reads the question, and refuses files that must not be made.
func (f *nearFlags) check(cmd *cobra.Command, file string) (near.Options, error) {
	o := near.Options{File: output(cmd, file, f.overwrite)}
	f.Within = math.Inf(1)
	switch {
	case cmd.Flags().Changed("within"):
		var err error
		if f.Within, err = strconv.ParseFloat(f.within, 64); err != nil || math.IsNaN(f.Within) {
			return o, exit.UsageError(fmt.Errorf("--within %s: want a distance", f.within))
		}
	case f.Nearest == 0:
		return o, exit.UsageError(errors.New("say which pairs are near: --within R or --k-nearest K"))
	}
	o.Question = f.Question
	return o, near.Check(o.File)
}

func (f *nearFlags) run(cmd *cobra.Command, input, file string) (err error) {
	o, err := f.check(cmd, file)
	if err != nil {
		return err
	}
	in, err := f.openArcs(cmd, input)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	g := in.graph
	if g == nil {
		return exit.InputError(fmt.Errorf("%s is a matrix of weights, and pairs are found in sparse graphs: solve it, and ask with ooc query --within or ooc stats --k-nearest", input))
	}
	in.graph = nil // so that searches have its memory
	if f.ids != "" {
		all := idfile.All(g.IDs, g.N)
		table, err := idfile.New(output(cmd, f.ids, f.overwrite, file, file+near.Extension), all, all)
		switch {
		case err == nil:
			o.Found = table.Write
		case !errors.Is(err, fs.ErrExist) || !table.Same(): // as a run that was killed leaves it
			return err
		}
	}
	show := terminal.NewCounter("searched", "rows")
	o.Progress = show.Update
	o.Resumed = func(rows int, dropped int64) {
		note("%s: going on; %s rows are there, and %s that are damaged are found again", file+near.Extension, humanize.Comma(int64(rows)), humanize.IBytes(uint64(dropped)))
	}
	args := cmd.Flags().Args()
	defer exit.CanResume(func() string { return wholeCommand(args) })()
	exit.Graceful.Store(true)
	r, err := near.File(cmd.Context(), g, o)
	show.End()
	switch code := exit.Code(err); {
	case code == exit.Interrupted, code == exit.NoSpace:
		return fmt.Errorf("%w; continue with:\n  %s", err, wholeCommand(args))
	case err != nil:
		return err
	case f.json:
		terminal.PrintJSON("summary", struct {
			Graph string `json:"graph"`
			*near.Result
		}{input, r})
		return nil
	}
	fmt.Fprintf(terminal.Err, "wrote %s, %s: %s pairs, %.6g a row; searched for %s, wrote for %s\n", file, humanize.IBytes(uint64(r.Bytes)),
		humanize.Comma(r.Pairs), float64(r.Pairs)/float64(r.Vertices), terminal.Time(r.Search), terminal.Time(r.Write))
	return nil
}
