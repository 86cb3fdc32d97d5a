package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/sssp"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// arcsFlags are the flags of commands that visit the arcs of a graph on a device, and keep no store.
type arcsFlags struct {
	graphFlags
	deviceFlags
	method string
	json   bool
}

// command returns a command that has one of some methods do its work.
func (f *arcsFlags) command(name string, methods any) *cobra.Command {
	cmd := about.Command(name, cobra.ExactArgs(1), about.List(methods, "\n  %-8s %s", "Name", "Title"))
	f.graphFlags.add(cmd, entry.KindI32, entry.KindF32)
	f.deviceFlags.add(cmd)
	names := about.Names(methods)
	f.method = names[0]
	cmd.Flags().Var(flagvalue.Word(&f.method, names...), "method", strings.Join(names, ", "))
	cmd.Flags().BoolVar(&f.json, "json", false, "one JSON object a line on standard output")
	return cmd
}

type ssspOptions struct {
	line
	arcsFlags
	sources   string
	group     int
	out       string
	overwrite bool
}

func ssspCommand() *cobra.Command {
	f := &ssspOptions{}
	cmd := f.command("sssp", sssp.Methods)
	fl := cmd.Flags()
	fl.StringVar(&f.sources, "source", "",
		"ids, ranges a,b..c and @FILEs of the vertices to start from, separated by commas")
	fl.Var(flagvalue.Whole(&f.group, fmt.Sprintf("a power of two up to %d", kernels.MaxGroup),
		func(n int) bool { return n > 0 && n <= kernels.MaxGroup && n&(n-1) == 0 }),
		"group", "threads that reduce a vertex together, a power of two (default: the fastest, tried while sweeping)")
	fl.StringVar(&f.out, "out", "",
		"write to FILE: records (distance, predecessor) if it is .npy, else text; .gz and .zst compress (default: "+
			"text on standard output)")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace FILE if it is there")
	return runs(cmd, &f.line, f.run)
}

func (o *ssspOptions) run(ctx context.Context) (err error) {
	if err := cmp.Or(o.isOne(),
		exit.Refuse(o.sources == "", "name a vertex to start from: --source S"),
		exit.Refuse(o.group > 0 && o.method == "product" || o.group > 1 && o.method == "naive",
			"--group has no effect with --method %s", o.method)); err != nil {
		return err
	}
	find := func() (*sssp.Result, error) { return o.find(ctx) }
	var r *sssp.Result
	if o.out == "" {
		r, err = find()
	} else if err = o.output(o.out, o.overwrite).Check(); err == nil {
		r, err = sssp.WriteFile(o.out, o.overwrite, find)
	}
	if err != nil {
		return err
	}
	return o.print(r)
}

// find reads the arcs and finds the paths.
func (o *ssspOptions) find(ctx context.Context) (r *sssp.Result, err error) {
	in, err := o.readArcs(&o.line)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	arcs := in.weights.(sssp.Arcs)
	sources, err := verticesOf(arcs.Facts()).Selection("source", o.sources)
	if err != nil {
		return nil, err
	}
	device, _, err := o.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	return sssp.Run(ctx, arcs, sssp.Options{Device: device, Sources: sources, Method: o.method, Group: o.group,
		Progress: every(show.LinesEvery, func(p sssp.Progress) {
			note("%s, %d of %s settled, %s", text.Count(p.Sweeps, "sweep", "sweeps"), p.Done,
				text.Count(p.Sources, "source", "sources"), text.Time(p.Elapsed.Seconds()))
		})})
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

func (o *ssspOptions) print(r *sssp.Result) error {
	if o.out == "" && o.json {
		printVertices(r)
	} else if o.out == "" {
		if err := r.Text(terminal.Out); err != nil {
			return err
		}
	}
	s := r.Summary
	how := s.Method + terminal.If(s.Group > 1, ", groups of %d", s.Group)
	summary(o.json, terminal.Object(s, "group"), terminal.Err, "%d sweeps over %s in %s: %s, on %s", s.Sweeps, s.Layout,
		text.Time(s.Seconds), how, s.Device)
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
			o := vertex{Source: r.Name(int32(s)), Vertex: r.Name(int32(v)),
				Distance: r.Facts.Numbers().JSON(r.Distance(i, v))}
			if pred >= 0 {
				name := r.Name(pred)
				o.Predecessor = &name
			}
			terminal.PrintJSON("vertex", o)
		}
	}
}
