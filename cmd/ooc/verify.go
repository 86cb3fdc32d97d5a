package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/device/registry"
	"ooc/engine/prove"
	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/disk"
)

type verifyOptions struct {
	line
	graphFlags
	rows   int
	seed   uint64
	full   bool
	matrix string
	device string
	json   bool
}

func verifyCommand() *cobra.Command {
	f := &verifyOptions{}
	cmd := about.Command("verify", cobra.ExactArgs(1))
	fl := cmd.Flags()
	f.rows = 64
	fl.Var(flagvalue.AtLeast(&f.rows, 0), "rows",
		"how many random sources to compare; 0: only the checksums of tiles, graph and ids")
	fl.Var(flagvalue.Seed(&f.seed), "seed", "choose the same rows again")
	fl.BoolVar(&f.full, "full", false, "prove every distance")
	f.device = "cpu"
	fl.Var(flagvalue.Device(&f.device), "device", "what proves with --full: cpu, or GPUs as cuda or cuda:0,1")
	fl.StringVar(&f.matrix, "matrix", "", "a .npy file of distances in the graph to prove, instead of a store")
	fl.BoolVar(&f.json, "json", false, "one JSON object")
	f.graphFlags.add(cmd, entry.Kinds...)
	return runs(cmd, &f.line, f.run)
}

func (o *verifyOptions) run(ctx context.Context) error {
	err := cmp.Or(
		exit.Refuse(o.full && (o.has("rows") || o.has("seed")),
			"--full proves all rows: give it without --rows and --seed"),
		exit.Refuse(!o.full && (o.matrix != "" || o.has("device")), "--matrix and --device go with --full"))
	if err == nil && o.matrix == "" {
		err = o.noGraphFlags()
	}
	if err != nil {
		return err
	}
	exit.Graceful.Store(true)
	if o.matrix != "" {
		return o.proveMatrix(ctx, resolve(o.args[0]))
	}
	if !o.has("seed") {
		o.seed = rand.Uint64()
	}
	return ask(o.args[0], func(p *engine.Problem) error {
		if o.full {
			return o.proveStore(ctx, p)
		}
		return o.sample(ctx, p)
	})
}

// sample compares checksums and some rows.
func (o *verifyOptions) sample(ctx context.Context, p *engine.Problem) error {
	v, err := prove.Sample(ctx, p, o.rows, o.seed)
	if err != nil {
		return err
	}
	if o.json {
		terminal.PrintJSON("summary", terminal.Object(v, "method", "missing"))
		return nil
	}
	fmt.Fprintf(terminal.Out, "%s: %s%s", p.Dir(), matching(v.Tiles),
		terminal.If(v.Missing != "", "; no row was compared: %s", v.Missing))
	if n := v.Rows + v.Columns; n > 0 {
		what := map[bool]string{true: "columns", false: "rows"}[v.Columns > 0]
		fmt.Fprintf(terminal.Out, "; %d of %d %s (%s) agree with %s%s", n, p.Geometry().RowCount(), what,
			text.Count(v.Entries, "distance", "distances"), v.Method,
			terminal.If(v.Worst > 0, " within rounding (at most %.2g of what is allowed)", v.Worst))
		fmt.Fprintf(terminal.Out, ": with 99 %% confidence at most %.2g %% of all %s hold a wrong one%s",
			100**v.RowsBound, what,
			terminal.If(v.Trees > 0, "; the predecessors of %s lead back along arcs of the input",
				text.Count(v.Trees, "row", "rows")))
	}
	if v.Triangles > 0 {
		fmt.Fprintf(terminal.Out,
			"; no distance in %s of tiles is longer than a way over another vertex (%d sums): with 99 %% confidence "+
				"at most %.2g %% of all strips have one that is",
			text.Count(v.Triangles, "strip", "strips"), v.TriangleSums, 100**v.StripsBound)
	}
	fmt.Fprintln(terminal.Out, terminal.If(v.Rows+v.Columns+v.Triangles > 0, "; seed %d", v.Seed))
	return nil
}

// matching says that the given number of tiles match their checksums.
func matching(tiles int) string {
	return text.Count(tiles, "tile checksum matches", "tile checksums match")
}

// prove has distances from so many rows to all n vertices proved on the devices that were named, shows how far that is,
// and prints what prover returns. The distances have a name, and take so many bytes.
func (o *verifyOptions) prove(
	name string, kind entry.Kind, rows, n int, bytes int64, prover func(prove.Options) (prove.Proof, error),
) error {
	d, err := registry.OpenFaster(o.device, 0, float64(rows)*float64(n))
	if err != nil {
		return err
	}
	if d != nil {
		defer d.Close()
	}
	count := &terminal.Counter{Verb: "proved", Unit: "rows"}
	proof, err := prover(prove.Options{Device: d, Progress: count.Update})
	count.End()
	if err != nil {
		return err
	}
	summary(o.json, proof, terminal.Out, "%s: all %s distances are proved%s%s%s; %s in %s, %s", name,
		humanize.Comma(proof.Entries), terminal.If(kind.Float(), ", within the rounding of %s", kind),
		terminal.If(proof.Trees > 0, ", and the predecessors of each row lead back along arcs that make them"),
		terminal.If(proof.Searched > 0, "; for that %d of %s compared with a search", proof.Searched,
			text.Count(proof.Rows, "row was", "rows were")),
		humanize.IBytes(uint64(bytes)), text.Time(proof.Seconds), text.Per(float64(bytes)/proof.Seconds, "B"))
	return nil
}

// proveStore proves every distance of a store.
func (o *verifyOptions) proveStore(ctx context.Context, p *engine.Problem) error {
	g := p.Geometry()
	err := o.prove(p.Dir(), p.Meta().Kind, g.RowCount(), g.N, g.MatrixBytes(),
		func(how prove.Options) (prove.Proof, error) { return prove.All(ctx, p, how) })
	if errors.Is(err, tiles.ErrNoCSR) {
		err = fmt.Errorf("%w; sample rows instead, with --rows", err)
	}
	return err
}

// proveMatrix proves every distance of a matrix in a file.
func (o *verifyOptions) proveMatrix(ctx context.Context, in input) error {
	info, err := os.Stat(o.matrix)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return exit.InputError(fmt.Errorf("%s is a %s: --matrix takes a .npy file", o.matrix, disk.TypeName(info)))
	}
	n, err := o.read(in, ".", false)
	if err != nil {
		return err
	}
	n.remark()
	defer n.close()
	g := n.graph()
	if g == nil {
		return exit.InputError(fmt.Errorf("%s is a matrix of weights: a proof needs a sparse graph", in.name))
	}
	if err := g.Check(ctx); err != nil {
		return err
	}
	return o.prove(o.matrix, g.Kind, g.N, g.N, info.Size(),
		func(how prove.Options) (prove.Proof, error) { return prove.Matrix(ctx, g, o.matrix, how) })
}
