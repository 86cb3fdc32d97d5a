package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/cluster"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/live"
	"ooc/engine/newfile"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/disk"
)

// solveOptions are those of solve, and of each job of a batch.
type solveOptions struct {
	line
	matrixFlags
	progressFlags
	batchFlags
	cluster       string // mpi; "": this process is alone
	partDir       string // of part stores; "": there is one store
	out, outDir   string
	timeline      string
	restart, json bool
	overwrite     bool
	strict        bool
	keep          string

	quiet bool   // print no summary
	place string // the flag that names another place for the store; "": out
}

func solveCommand() *cobra.Command {
	cmd, f := newSolve()
	cmd.Args = f.count
	return runs(cmd, &f.line, f.run)
}

// newSolve returns the command without its action, so that the flags of a job can be read in the same way as its own.
func newSolve() (*cobra.Command, *solveOptions) {
	f := &solveOptions{}
	cmd := about.Command("solve", nil, tiles.MatrixName)
	f.matrixFlags.add(cmd)
	f.progressFlags.add(cmd)
	f.batchFlags.add(cmd)
	fl := cmd.Flags()
	fl.Var(flagvalue.Word(&f.cluster, "mpi"), "cluster", "mpi: the processes that mpirun or srun has started share "+
		"the rounds of the solve, each on its own device")
	fl.Var(flagvalue.Grid(&f.Grid), "grid", "rows and columns in which the parts of a --cluster stand, as in 2x4 "+
		"(default: as square as can be)")
	fl.StringVar(&f.partDir, "part-dir", "", "each process of a --cluster keeps its part of the matrix in a store of "+
		"its own, in DIR/GRAPH.parts, which may be on a disk of its node")
	_ = cmd.MarkFlagDirname("part-dir")
	fl.StringVar(&f.out, "out", "", "the store (default: GRAPH's base name with .ooc, in the current directory)")
	fl.StringVar(&f.outDir, "out-dir", "",
		"the folder for stores, which are named as their graphs; made if it is not there (default: the current "+
			"directory)")
	_ = cmd.MarkFlagDirname("out-dir")
	fl.Var(flagvalue.Word(&f.keep, keepRows, keepFactors), "keep",
		"what the store keeps: rows, which are the matrix of distances, or factors, from which any row is computed "+
			"when it is asked for, for sparse graphs of any size (default: rows)")
	fl.BoolVar(&f.restart, "restart", false,
		"begin again: with GRAPH, its store is made anew; with STORE, only its distances are forgotten")
	fl.BoolVar(&f.strict, "strict", false,
		"what is left to a default is asked for, too: refuse a store that was made with other flags, instead of "+
			"saying with which")
	fl.BoolVar(&f.json, "json", false, "one JSON object a line on standard output")
	fl.StringVar(&f.timeline, "timeline", "",
		"once all is solved, write to this file what each stage of the rounds did and when, for ui.perfetto.dev or "+
			"chrome://tracing")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the --timeline file if it is there")
	return cmd, f
}

func (o *solveOptions) run(ctx context.Context) error {
	defer exit.CanResume(o.again)() // before --max-hours can be over
	ctx, stop := o.limited(ctx)
	defer stop()
	inputs := make([]input, len(o.args))
	for i, arg := range o.args {
		inputs[i] = resolve(arg)
	}
	many := o.dryRun || len(inputs) != 1 || inputs[0].isMany() // or no more than the outlook is wanted
	if err := cmp.Or(o.checkKeep(many), o.checkCluster(inputs, many)); err != nil {
		return err
	}
	if many {
		return o.runBatch(ctx, inputs)
	}
	j := &job{solveOptions: *o, in: inputs[0]}
	if o.cluster != "" {
		return j.runCluster(ctx)
	}
	return j.run(ctx)
}

// job is a graph that is solved, alone or in a batch.
type job struct {
	solveOptions
	in      input
	store   string // that it is solved into; "": it has part stores
	from    string // where a batch names it, for people
	on      kernels.Device
	show    *show.Display
	lines   *newfile.File    // that timeline is; nil: there is none to write
	unasked []string         // what the store was made with that nobody asks for now
	state   live.State       // of the store of a job, once that is planned
	extent  graph.Extent     // of a job's graph, once its needs are known
	room    int64            // that a batch leaves it for its store and what is beside it; 0: no limit
	ranks   *cluster.Cluster // that share it; nil: this process is alone
	shared  *cluster.Solve   // what they share
}

// checkTimeline decides whether a timeline is written, and fails if its file must not be made. A solved store has
// none to give, so that the same command may be given again.
func (j *job) checkTimeline(keep ...string) error {
	j.lines = nil
	if j.timeline == "" || !j.restart && isSolved(j.store) {
		return nil
	}
	lines := j.output(j.timeline, j.overwrite, append(keep, j.store)...)
	j.lines = &lines
	return lines.Check()
}

// run solves it alone.
func (j *job) run(ctx context.Context) (err error) {
	if j.partDir == "" {
		if j.store, err = j.storeOf(j.in); err != nil {
			return err
		}
	}
	if err := cmp.Or(j.checkTimeline(), flagvalue.NewFolder("out-dir", j.outDir)); err != nil {
		return err
	}
	j.show = show.New(j.progress, j.json)
	device, why, err := j.openAny()
	if err != nil {
		return err
	}
	j.on = device
	j.show.Device(device, why)
	if j.ranks == nil {
		defer func() { err = errors.Join(err, device.Close()) }()
	}
	defer j.show.OnAsking()()
	p, err := j.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	j.show.Volume(p.Dir())
	resume := func() string { return j.resumeCommand(p) }
	defer exit.CanResume(resume)()
	exit.Graceful.Store(true)
	defer j.show.OnStopping(ctx)()
	if j.ranks != nil {
		if err := j.ranks.Share(p, j.show.Note); err != nil {
			return err
		}
	}
	stop := j.show.Keyboard(ctx)
	sum, err := j.solve(ctx, p, j.show.Status)
	stop()
	j.show.End()
	switch exit.Code(err) {
	case 0:
	case class.Interrupted, class.Failed, class.NoSpace: // what the store holds is kept, and worth going on from
		if errors.Is(err, factors.ErrDense) { // which the same command finds again
			return err
		}
		return fmt.Errorf("%w%s; continue with:\n  %s", err, j.maxHoursOver(ctx), resume())
	default:
		return err
	}
	if !j.quiet {
		j.show.Summary(sum)
	}
	return nil
}

// engineOptions are those of a solve, and of a restart.
func (j *job) engineOptions() engine.Options {
	return engine.Options{Request: j.Request, Device: j.on}
}

// solve solves what is open.
func (j *job) solve(ctx context.Context, p *engine.Problem, progress func(live.Status)) (sum task.Summary, err error) {
	control, progress, end := j.show.Steering.Begin(progress, j.show.Answer)
	defer end()
	defer func() { sum.Unasked = j.unasked }()
	o := j.engineOptions()
	o.Control, o.Checkpoint, o.Progress, o.Interval, o.Input = control, j.checkpoint, progress, j.show.Interval,
		j.in.path()
	if j.ranks != nil {
		o.Ranks = j.ranks.Group
	}
	if j.lines == nil {
		return p.Solve(ctx, o)
	}
	err = j.lines.Write(func(w io.Writer) (err error) {
		o.Timeline = w
		sum, err = p.Solve(ctx, o)
		return err
	})
	return sum, err
}

// resumeCommand is the command that continues: this one without --restart. If standard input cannot be read again, the
// store takes its place, unless nothing of it was kept.
func (j *job) resumeCommand(p *engine.Problem) string {
	if j.in.form != standardInput {
		return relaunched(show.SameCommand(os.Args))
	}
	if st, err := p.Status(); p.Meta().Dense && err == nil && st.State == live.New {
		return terminal.Command("solve", []string{"--restart", text.Quote("--out=" + p.Dir())}, "-") + " < INPUT"
	}
	var flags []string
	for _, name := range []string{"algorithm", "device", "device-memory", "host-memory", "streams", "round",
		"checkpoint", "progress", "json", "cluster", "grid"} {
		if j.has(name) {
			flags = append(flags, text.Quote(j.flag(name)))
		}
	}
	return relaunched(terminal.Command("solve", flags, p.Dir()))
}

// roomAt is how much of its volume the store out may take, with what is beside it; 0: unknown.
func (j *job) roomAt(out string) int64 {
	room := engine.Room(out)
	if j.room > 0 && (room == 0 || j.room < room) {
		room = j.room
	}
	return room
}

// storeOf is the store that an input is solved into.
func (o *solveOptions) storeOf(in input) (string, error) {
	switch {
	case in.form == aStore && o.out != "" && filepath.Clean(o.out) != filepath.Clean(in.name):
		return "", exit.UsageError(fmt.Errorf("%s is a store already; leave --out away to continue it", in.name))
	case in.form == aStore:
		return in.name, nil
	case o.out == "" && in.form == standardInput:
		return "", exit.UsageError(errors.New("standard input has no name: give --out"))
	}
	out := cmp.Or(o.out, filepath.Join(o.outDir, read.BaseName(in.name)+".ooc"))
	return out, noStoreIn(out)
}

// open opens the store, or makes it.
func (j *job) open(ctx context.Context) (*engine.Problem, error) {
	if j.partDir != "" {
		return j.ranks.OpenParts(ctx, j.shared)
	}
	out := j.store
	if !tiles.IsStore(out) {
		if j.outDir != "" && j.out == "" {
			if err := disk.MakeFolder(j.outDir); err != nil {
				return nil, fmt.Errorf("--out-dir: %w", err)
			}
		}
		if err := vacant(ctx, j.show.Note, out); err != nil { // before a graph is read for nothing
			return nil, err
		}
		p, err := j.make(ctx, nil)
		if !errors.Is(err, tiles.ErrExists) {
			return p, err
		}
		// Another process has made it while the graph was read.
	}
	p, err := patient(ctx, j.show.Note, func() (*engine.Problem, error) { return engine.Open(out) })
	anew := j.restart && j.in.form != aStore
	if anew && tiles.Damaged(err) { // to which --restart is what messages advise
		p, err = engine.OpenDamaged(out)
	}
	if err != nil {
		return nil, err
	}
	renewed, err := j.renew(ctx, p, anew)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return renewed, nil
}

// renew has an open store be what the flags say: as it is, begun again, or made anew.
func (j *job) renew(ctx context.Context, p *engine.Problem, anew bool) (*engine.Problem, error) {
	if anew { // nothing is kept of what flags once said
		if err := p.Store().CheckOwn(); err != nil { // before a graph is read for nothing
			return nil, err
		}
		return j.make(ctx, p)
	}
	if err := j.same(ctx, p); err != nil {
		return nil, err
	}
	if j.keepsRowsNow(p) {
		return j.keepRows(ctx, p)
	}
	if !j.restart {
		return p, nil
	}
	defer planning(j.show.Note, p.Dir(), p.Meta().N)()
	return p, p.Restart(ctx, j.engineOptions())
}

// make reads the graph and makes its store, in the place of the old one if there is one.
func (j *job) make(ctx context.Context, old *engine.Problem) (p *engine.Problem, err error) {
	n, o, err := j.read(ctx, j.store)
	if err != nil {
		return nil, err
	}
	if old == nil {
		p, err = engine.Create(ctx, j.store, n.weights, o)
	} else {
		p, err = old.Replace(ctx, n.weights, o)
	}
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	j.show.Imported(n.weights.Facts(), p.Geometry().Layout(), n.src, j.store, n.took)
	for _, tip := range n.tips {
		j.show.Note("  %s", tip)
	}
	if c := o.Choice; c != nil && c.Lacks != nil {
		j.show.Note("%v; so it is solved within the room that there is, by %s", c.Lacks, c.Algorithm)
	}
	return p, nil
}

// leastHint is from how many vertices on it is worth to say what another kind would save.
const leastHint = 4096

// hint is the tip that the distances of a graph whose kind nobody has named fit fewer bytes.
func (f *matrixFlags) hint(ctx context.Context, n *incoming, l plan.Request) {
	g := n.graph()
	if g == nil || g.N < leastHint || f.kind != "" || l.Predecessors {
		return
	}
	narrow := entry.KindU8 // which has no kernels
	if l.Nodes > 0 || engine.TraitsOf(l.Algorithm).Kernels || !g.Fits(ctx, narrow) {
		narrow = entry.KindU16
	}
	if narrow == entry.KindU16 && !g.Fits(ctx, narrow) {
		return
	}
	entries := uint64(g.N) * uint64(g.N)
	switch {
	case len(l.Sources) > 0:
		entries = uint64(len(l.Sources)) * uint64(g.N)
	case g.Symmetric && l.Layout != tiles.Square:
		entries /= 2
	}
	n.tips = append(n.tips, fmt.Sprintf("every distance fits %d bits: --kind %s takes %s for the matrix, i32 %s",
		8*narrow.Bytes(), narrow, humanize.IBytes(uint64(narrow.Bytes())*entries), humanize.IBytes(4*entries)))
}

// read reads the graph for the store out, and makes sure that it can be planned.
func (j *job) read(ctx context.Context, out string) (n *incoming, o engine.CreateOptions, err error) {
	if n, err = j.graphFlags.read(j.in, filepath.Dir(out), true); err != nil {
		return nil, o, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.close())
		}
	}()
	if n.graph() == nil && j.in.form == standardInput && j.ranks != nil {
		return n, o, exit.UsageError(errors.New("a matrix from standard input reaches one process, and with " +
			"--cluster mpi all read it: give a file that all nodes see"))
	}
	want, err := j.requestFor(n.weights.Facts())
	if err != nil {
		return n, o, err
	}
	o.Layout = tiles.Factors
	if j.keep != keepFactors {
		j.hint(ctx, n, want)
		if o, err = j.planRows(ctx, n.weights, n.src.Name, out, want); err != nil {
			return n, o, err
		}
	}
	o.Input, o.Command = j.origin(n.src), os.Args
	return n, o, nil
}

// origin is what a store notes of what it was made from.
func (j *job) origin(src *graph.Source) tiles.Input {
	name := src.Name
	if abs, err := filepath.Abs(name); err == nil && j.in.form != standardInput {
		name = abs
	}
	asked := &tiles.Asked{Format: j.format, Kind: string(j.kind)}
	switch {
	case j.directed:
		asked.Direction = "directed"
	case j.undirected:
		asked.Direction = "undirected"
	}
	return tiles.Input{Name: name, Format: src.Format, Size: src.Size, ModTime: src.ModTime, SHA256: src.SHA256,
		Columns: j.columns, Base: j.base, NoArc: j.noArc, Unweighted: j.unweighted, Asked: asked}
}

// planRows plans a matrix for the store out, and makes sure that there is room for it.
func (j *job) planRows(
	ctx context.Context, w graph.Weights, name, out string, want plan.Request,
) (engine.CreateOptions, error) {
	o := engine.CreateOptions{Sources: want.Sources, Predecessors: want.Predecessors}
	if j.partDir == "" { // else each process looks for room for its part
		if err := engine.RoomFor(out, w.Facts(), want); err != nil {
			return o, err
		}
		want.Room, want.InMemory = j.roomAt(out), disk.InMemory(out)
	}
	defer planning(j.show.Note, name, w.Facts().N)()
	var err error
	if o.Choice, err = engine.Choose(ctx, w, j.on, want); errors.Is(err, disk.ErrNoSpace) {
		err = fmt.Errorf("%s: %w", out, err)
	}
	return o, err
}

// What --keep may be.
const (
	keepRows    = "rows"
	keepFactors = "factors"
)

// checkKeep refuses flags that say how a matrix is made, where none is.
func (o *solveOptions) checkKeep(many bool) error {
	if o.keep != keepFactors {
		return exit.Refuse(many && !slices.Contains(engine.Algorithms, o.Algorithm),
			"--algorithm %s is for one store without a matrix, and not for a batch or --dry-run", o.Algorithm)
	}
	const why = "--%s does not go with --keep factors, which makes no matrix"
	return cmp.Or(exit.Refuse(many, "--keep factors is for one graph, and not for a batch or --dry-run"),
		o.without(why, "sources", "predecessors", "layout", "tile", "round", "streams", "timeline"),
		exit.Refuse(o.has("algorithm") && !slices.Contains(engine.RowEngines, o.Algorithm), why, "algorithm"))
}

// keepsRowsNow reports whether a store of factors is to keep rows in their place.
func (o *solveOptions) keepsRowsNow(p *engine.Problem) bool {
	return o.keep == keepRows && p.Geometry().Factors
}

// keepRows makes the store of the same graph anew, with a matrix in the place of the factors.
func (j *job) keepRows(ctx context.Context, p *engine.Problem) (*engine.Problem, error) {
	g, err := p.Graph()
	if err != nil {
		return nil, err
	}
	want, err := j.requestFor(g.Facts())
	if err != nil {
		return nil, err
	}
	o, err := j.planRows(ctx, g, p.Dir(), p.Dir(), want)
	if err == nil {
		err = p.Store().CheckOwn()
	}
	if err != nil {
		return nil, err
	}
	o.Input, o.Command = p.Meta().Input, os.Args
	j.show.Note("%s keeps rows of distances from now on, in the place of its factors", p.Dir())
	return p.Replace(ctx, g, o)
}
