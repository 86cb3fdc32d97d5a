package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/sssp"
	"ooc/kernels"
)

type ssspFlags struct {
	arcsFlags
	sources, method string
	group           int
	out             string
	overwrite       bool
}

func ssspCommand() *cobra.Command {
	f := &ssspFlags{}
	var methods strings.Builder
	for _, m := range sssp.Methods {
		fmt.Fprintf(&methods, "\n  %-8s %s", m.Name, m.Title)
	}
	cmd := &cobra.Command{
		Use:   "sssp GRAPH --source S[,S...]",
		Short: "Shortest paths from chosen vertices, by Bellman–Ford",
		Long: "sssp prints, for each vertex of GRAPH (a file, - for standard input, or a store of a sparse graph), a line with\n" +
			"its id, its distance from the source and its predecessor on a shortest path, separated by tabs; with several\n" +
			"sources, the source before these. What cannot be reached is \"unreachable\", and no predecessor is -. A negative\n" +
			"cycle that a source reaches is named, exit 4; one that none reaches does not matter.\n\n" +
			"Every method gives the same distances and the same predecessors, to the bit. Methods:" + methods.String(),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.arcsFlags.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.sources, "source", "", "ids, ranges a,b..c and @FILEs of the vertices to start from, separated by commas")
	f.method = sssp.Methods[0].Name
	fl.Var(flagvalue.Word(&f.method, sssp.MethodNames()...), "method", strings.Join(sssp.MethodNames(), ", "))
	fl.Var(flagvalue.Whole(&f.group, fmt.Sprintf("a power of two up to %d", kernels.MaxGroup), func(n int) bool { return n > 0 && n <= kernels.MaxGroup && n&(n-1) == 0 }),
		"group", "threads that reduce a vertex together, a power of two (default: the fastest, tried while sweeping)")
	fl.StringVar(&f.out, "out", "", "write to FILE: records (distance, predecessor) if it is .npy, else text; .gz and .zst compress (default: text on standard output)")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace FILE if it is there")
	return cmd
}

func (f *ssspFlags) check() error {
	switch {
	case f.sources == "":
		return exit.UsageError(errors.New("name a vertex to start from: --source S"))
	case f.group > 0 && f.method == "product", f.group > 1 && f.method == "naive":
		return exit.UsageError(fmt.Errorf("--group has no effect with --method %s", f.method))
	}
	return nil
}

func (f *ssspFlags) run(cmd *cobra.Command, input string) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	if f.out != "" {
		if err := output(cmd, f.out, f.overwrite).Check(); err != nil {
			return err
		}
	}
	var in *arcs
	defer func() {
		if in != nil {
			err = errors.Join(err, in.close())
		}
	}()
	solve := func() (r *sssp.Result, err error) {
		if in, err = f.openArcs(cmd, input); err != nil {
			return nil, err
		}
		return f.solve(cmd.Context(), in)
	}
	var r *sssp.Result
	if f.out == "" {
		r, err = solve()
	} else {
		r, err = sssp.WriteFile(f.out, f.overwrite, solve)
	}
	if err != nil {
		return err
	}
	return f.print(r)
}

// solve finds the paths in arcs that were opened.
func (f *ssspFlags) solve(ctx context.Context, in *arcs) (r *sssp.Result, err error) {
	var arcs sssp.Arcs = in.dense
	if in.graph != nil {
		arcs = in.graph
	}
	sources, err := verticesOf(arcs.Facts()).Selection("source", f.sources)
	if err != nil {
		return nil, err
	}
	device, err := f.openDevice()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	return sssp.Run(ctx, arcs, sssp.Options{Device: device, Sources: sources, Method: f.method, Group: f.group, Progress: every(show.LinesEvery, showSweeps)})
}

// every returns a function that calls show, but at most once in each interval.
func every[P any](interval time.Duration, show func(P)) func(P) {
	last := time.Now()
	return func(p P) {
		if now := time.Now(); now.Sub(last) >= interval {
			last = now
			show(p)
		}
	}
}

func showSweeps(p sssp.Progress) {
	fmt.Fprintf(terminal.Err, "%s, %d of %s settled, %s\n", terminal.Count(p.Sweeps, "sweep", "sweeps"), p.Done, terminal.Count(p.Sources, "source", "sources"), terminal.Time(p.Elapsed.Seconds()))
}

func (f *ssspFlags) print(r *sssp.Result) error {
	var err error
	switch {
	case f.out != "": // it is written
	case f.json:
		printVertices(r)
	default:
		err = r.Text(terminal.Out)
	}
	if err != nil {
		return err
	}
	s := r.Summary
	if f.json {
		terminal.PrintJSON("summary", struct {
			sssp.Summary
			Group *int `json:"group"`
		}{s, terminal.Known(s.Group)})
		return nil
	}
	how := s.Method
	if s.Group > 1 {
		how += fmt.Sprintf(", groups of %d", s.Group)
	}
	fmt.Fprintf(terminal.Err, "%d sweeps over %s in %s: %s, on %s\n", s.Sweeps, s.Layout, terminal.Time(s.Seconds), how, s.Device)
	return nil
}

// printVertices prints an object for each vertex and source.
func printVertices(r *sssp.Result) {
	type vertex struct {
		Source      string          `json:"source"`
		Vertex      string          `json:"vertex"`
		Distance    json.RawMessage `json:"distance"` // null where there is no path
		Predecessor *string         `json:"predecessor"`
	}
	for i, s := range r.Sources {
		for v, pred := range r.Pred[i] {
			o := vertex{Source: r.Name(int32(s)), Vertex: r.Name(int32(v)), Distance: r.Facts.Numbers().JSON(r.Distance(i, v))}
			if pred >= 0 {
				name := r.Name(pred)
				o.Predecessor = &name
			}
			terminal.PrintJSON("vertex", o)
		}
	}
}
