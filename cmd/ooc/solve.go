package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/cluster"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/graph/read"
	"ooc/engine/live"
	"ooc/engine/newfile"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/tiles"
	"ooc/tiles/disk"
)

type solveFlags struct {
	graphFlags
	deviceFlags
	batchFlags
	cluster           clusterFlags
	out, outDir       string
	sources, progress string
	timeline          string
	lines             *newfile.File // that timeline is; nil: there is none to write
	checkpoint        time.Duration
	restart, json     bool
	overwrite         bool
	strict            bool
	keep              string

	quiet   bool     // print no summary
	place   string   // the flag that names another place for the store; "": out
	unasked []string // what the store was made with that nobody asks for now
	room    int64    // that a batch leaves a job for its store and what is beside it; 0: no limit
}

func solveCommand() *cobra.Command {
	cmd, f := newSolve()
	cmd.Args = f.count
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		defer exit.CanResume(func() string { return wholeCommand(args) })() // before --max-hours can be over
		ctx, stop := f.limited(cmd)
		defer stop()
		cmd.SetContext(ctx)
		if err := f.checkKeep(cmd, args); err != nil {
			return err
		}
		if err := f.checkCluster(cmd, args); err != nil {
			return err
		}
		if f.isBatch(args) || f.dryRun {
			return f.runBatch(cmd, args)
		}
		if f.cluster.how != "" {
			return f.runCluster(cmd, args[0])
		}
		return f.run(cmd, args[0])
	}
	return cmd
}

// newSolve returns the command without its action, so that the flags of a job can be read in the same way as its own.
func newSolve() (*cobra.Command, *solveFlags) {
	f := &solveFlags{}
	cmd := &cobra.Command{
		Use:   "solve GRAPH...",
		Short: "Import a graph if needed, then solve it; resume what is unfinished",
		Long: "solve computes every shortest distance of GRAPH (a file, - for standard input, or a store) into a store:\n" +
			"a folder whose " + tiles.MatrixName + " NumPy opens in place. Run again, it resumes, or says that all is done.\n" +
			"Ctrl-C takes a checkpoint and ends; a second Ctrl-C ends at once, and is resumable too.\n\n" +
			"Several graphs, a folder of them, a quoted pattern or --jobs FILE are a batch: a queue on disk, NAME.batch, that\n" +
			"the same command continues. Small graphs share the device; a job that fails does not stop the others.",
	}
	f.graphFlags.add(cmd)
	f.deviceFlags.add(cmd)
	f.batchFlags.add(cmd)
	f.cluster.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "the store (default: GRAPH's base name with .ooc, in the current directory)")
	fl.StringVar(&f.outDir, "out-dir", "", "the folder for stores, which are named as their graphs; made if it is not there (default: the current directory)")
	_ = cmd.MarkFlagDirname("out-dir")
	addSources(cmd, &f.sources)
	addPredecessors(cmd, &f.Predecessors)
	fl.Var(flagvalue.Word(&f.keep, string(engine.KeepRows), string(engine.KeepFactors)), "keep", "what the store keeps: rows, which are the matrix of distances, or factors, from which any row is computed when it is asked for, for sparse graphs of any size (default: rows)")
	f.checkpoint = task.DefaultCheckpoint
	fl.Var(flagvalue.Period(&f.checkpoint), "checkpoint", "time between checkpoints")
	fl.BoolVar(&f.restart, "restart", false, "begin again: with GRAPH, its store is made anew; with STORE, only its distances are forgotten")
	fl.BoolVar(&f.strict, "strict", false, "what is left to a default is asked for, too: refuse a store that was made with other flags, instead of saying with which")
	f.progress = "auto"
	fl.Var(flagvalue.Word(&f.progress, "auto", "always", "never"), "progress", "auto, always (draw also where standard error is no terminal) or never")
	fl.BoolVar(&f.json, "json", false, "one JSON object a line on standard output")
	fl.StringVar(&f.timeline, "timeline", "", "once all is solved, write to this file what each stage of the rounds did and when, for ui.perfetto.dev or chrome://tracing")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the --timeline file if it is there")
	return cmd, f
}

// checkTimeline decides whether a timeline is written, and fails if its file must not be made. A solved store has none to
// give, so that the same command may be given again.
func (f *solveFlags) checkTimeline(cmd *cobra.Command, input string, keep ...string) error {
	f.lines = nil
	if f.timeline == "" {
		return nil
	}
	store, err := f.store(input)
	if err != nil || !f.restart && isSolved(store) {
		return err
	}
	lines := output(cmd, f.timeline, f.overwrite, append(keep, store)...)
	f.lines = &lines
	return lines.Check()
}

func (f *solveFlags) run(cmd *cobra.Command, input string) (err error) {
	if err := f.checkTimeline(cmd, input); err != nil {
		return err
	}
	if err := flagvalue.NewFolder("out-dir", f.outDir); err != nil {
		return err
	}
	show := show.New(f.progress, f.json)
	device, why, err := f.openAny()
	if err != nil {
		return err
	}
	show.Device(device, why)
	if f.cluster.all == nil {
		defer func() { err = errors.Join(err, device.Close()) }()
	}
	defer show.OnAsking()()
	p, err := f.openOrCreate(cmd, input, device, show)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	show.Volume(p.Dir())
	defer exit.CanResume(func() string { return resumeCommand(cmd, input, p) })()
	exit.Graceful.Store(true)
	defer show.OnStopping(cmd.Context())()
	if f.cluster.all != nil {
		if err := f.cluster.all.Share(p, show.Note); err != nil {
			return err
		}
	}
	stop := show.Keyboard(cmd.Context())
	sum, err := f.solve(cmd.Context(), p, input, device, show, show.Status)
	stop()
	show.End()
	switch exit.Code(err) {
	case 0:
	case exit.Interrupted, exit.Failed, exit.NoSpace: // what the store holds is kept, and worth going on from
		return fmt.Errorf("%w%s; continue with:\n  %s", err, f.maxHoursOver(cmd), resumeCommand(cmd, input, p))
	default:
		return err
	}
	if !f.quiet {
		show.Summary(sum)
	}
	return nil
}

// solve solves what is open.
func (f *solveFlags) solve(ctx context.Context, p *engine.Problem, input string, d kernels.Device, show *show.Display, progress func(live.Status)) (sum task.Summary, err error) {
	control, progress, end := show.Steering.Begin(progress, show.Answer)
	defer end()
	defer func() { sum.Unasked = f.unasked }()
	o := engine.Options{
		Request: f.Request, Control: control, Device: d,
		Checkpoint: f.checkpoint, Progress: progress, Interval: show.Interval, Input: inputPath(input),
	}
	if c := f.cluster.all; c != nil {
		o.Ranks, o.Grid = c.Group, f.cluster.grid
	}
	if f.lines == nil {
		return p.Solve(ctx, o)
	}
	err = f.lines.Write(func(w io.Writer) (err error) {
		o.Timeline = w
		sum, err = p.Solve(ctx, o)
		return err
	})
	return sum, err
}

// wholeCommand is this command again, which has done nothing yet.
func wholeCommand(args []string) string {
	if slices.Contains(args, "-") {
		return cluster.Again(show.WholeCommand(os.Args)) + " < INPUT"
	}
	return cluster.Again(show.WholeCommand(os.Args))
}

// resumeCommand is the command that continues: this one without --restart. If standard input cannot be read again, the
// store takes its place, unless nothing of it was kept.
func resumeCommand(cmd *cobra.Command, input string, p *engine.Problem) string {
	if st, err := p.Status(); input == "-" && p.Meta().Dense && err == nil && st.State == live.New {
		return terminal.Command("solve", []string{"--restart", text.Quote("--out=" + p.Dir())}, "-") + " < INPUT"
	}
	if input == "-" {
		var flags []string
		for _, name := range []string{"algorithm", "device", "device-memory", "host-memory", "streams", "round", "checkpoint", "progress", "json", "cluster", "grid"} {
			if fl := cmd.Flags().Lookup(name); fl.Changed {
				flags = append(flags, text.Quote("--"+name+"="+fl.Value.String()))
			}
		}
		return cluster.Again(terminal.Command("solve", flags, p.Dir()))
	}
	return cluster.Again(show.SameCommand(os.Args))
}

// roomAt is how much of its volume the store out may take, with what is beside it; 0: unknown.
func (f *solveFlags) roomAt(out string) int64 {
	room := engine.Room(out)
	if f.room > 0 && (room == 0 || f.room < room) {
		room = f.room
	}
	return room
}

// store is the store that an input is solved into.
func (f *solveFlags) store(input string) (string, error) {
	switch {
	case isStore(input) && f.out != "" && filepath.Clean(f.out) != filepath.Clean(input):
		return "", exit.UsageError(fmt.Errorf("%s is a store already; leave --out away to continue it", input))
	case isStore(input):
		return input, nil
	case f.out == "" && input == "-":
		return "", exit.UsageError(errors.New("standard input has no name: give --out"))
	}
	out := f.out
	if out == "" {
		out = filepath.Join(f.outDir, read.BaseName(input)+".ooc")
	}
	return out, noStoreIn(out)
}

// noStoreIn refuses a place for a store that is in another one or in a batch.
func noStoreIn(out string) error {
	abs, err := filepath.Abs(out)
	if owner := tiles.Owner(abs); err == nil && owner != "" && (isStore(owner) || !isStore(out)) { // a store that is in a batch goes on
		return exit.UsageError(fmt.Errorf("%s is in %s, and only ooc itself makes files in a store or a batch; name another folder with --out", out, owner))
	}
	return err
}

// openOrCreate opens the input's store, or makes it.
func (f *solveFlags) openOrCreate(cmd *cobra.Command, input string, d kernels.Device, show *show.Display) (*engine.Problem, error) {
	if f.cluster.dir != "" {
		return f.openParts(cmd, input, d, show)
	}
	out, err := f.store(input)
	if err != nil {
		return nil, err
	}
	if !isStore(out) {
		if f.outDir != "" && f.out == "" {
			if err := disk.MakeFolder(f.outDir); err != nil {
				return nil, fmt.Errorf("--out-dir: %w", err)
			}
		}
		_, err := patient(cmd.Context(), show.Note, func() (struct{}, error) { return struct{}{}, tiles.Vacant(out) })
		if err != nil { // before a graph is read for nothing
			return nil, err
		}
		n, err := f.read(cmd, input, out, d, show)
		if err != nil {
			return nil, err
		}
		p, err := n.store(show, out, func(w graph.Weights, o engine.CreateOptions) (*engine.Problem, error) {
			return engine.Create(cmd.Context(), out, w, o)
		})
		if !errors.Is(err, tiles.ErrExists) {
			return p, err
		}
		// Another process has made it while the graph was read.
	}
	p, err := patient(cmd.Context(), show.Note, func() (*engine.Problem, error) { return engine.Open(out) })
	if f.restart && input != out && tiles.Damaged(err) { // to which --restart is what messages advise
		p, err = engine.OpenDamaged(out)
	}
	if err != nil {
		return nil, err
	}
	if f.restart && input != out { // nothing is kept of what flags once said
		err := p.Store().CheckOwn() // before a graph is read for nothing
		var n *incoming
		if err == nil {
			n, err = f.read(cmd, input, out, d, show)
		}
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
		return n.store(show, out, func(w graph.Weights, o engine.CreateOptions) (*engine.Problem, error) {
			return p.Replace(cmd.Context(), w, o)
		})
	}
	err = f.same(cmd, p, input)
	if err == nil && f.keepsRowsNow(p) {
		return f.keepRows(cmd, p, d, show)
	}
	if err == nil && f.restart {
		defer planning(show.Note, p.Dir(), p.Meta().N)()
		err = p.Restart(cmd.Context(), engine.Options{Request: f.Request, Device: d})
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// isStore reports whether a path is a store that was imported to the end.
func isStore(path string) bool { return tiles.IsStore(path) }

// isSolved reports whether a path is a store whose distances are all final.
func isSolved(path string) bool {
	if !isStore(path) {
		return false
	}
	p, err := engine.OpenReadOnly(path)
	if err != nil {
		return false
	}
	defer p.Close()
	return p.Solved() == nil
}

// inputPath is where the engine finds an input again; "" if nowhere, or where the store says.
func inputPath(input string) string {
	if input == "-" || isStore(input) {
		return ""
	}
	return input
}

// incoming is a graph that was read, or a matrix that was checked, and has no store yet.
type incoming struct {
	weights graph.Weights
	src     *graph.Source
	o       engine.CreateOptions
	took    time.Duration
	tips    []string // what another kind would save
}

// remark prints what the reader guessed.
func (n *incoming) remark() {
	for _, remark := range slices.Concat(n.src.Remarks, n.tips) {
		fmt.Fprintf(terminal.Err, "%s: %s\n", n.src.Name, remark)
	}
}

// leastHint is from how many vertices on it is worth to say what another kind would save.
const leastHint = 4096

// hint is the tip that the distances of a graph whose kind nobody has named fit half the bytes.
func (n *incoming) hint(cmd *cobra.Command, l plan.Request) {
	g, sparse := n.weights.(*graph.Graph)
	if !sparse || g.N < leastHint || cmd.Flags().Changed("kind") || l.Predecessors || !g.FitsU16(cmd.Context()) {
		return
	}
	entries := uint64(g.N) * uint64(g.N)
	switch {
	case len(l.Sources) > 0:
		entries = uint64(len(l.Sources)) * uint64(g.N)
	case g.Symmetric && l.Layout != tiles.Square:
		entries /= 2
	}
	n.tips = append(n.tips, fmt.Sprintf("every distance fits 16 bits: --kind u16 takes %s for the matrix, i32 %s",
		humanize.IBytes(2*entries), humanize.IBytes(4*entries)))
}

// hintAt remarks what would be faster without predecessors.
func (n *incoming) hintAt(c *plan.Choice) {
	if c.Without != nil {
		n.src.Remarks = append(n.src.Remarks, c.Without.String())
	}
}

// close releases the matrix.
func (n *incoming) close() error {
	if d, ok := n.weights.(*dense.Matrix); ok {
		return d.Close()
	}
	return nil
}

// read reads a graph or checks a matrix, which may be unpacked into the folder spool.
func (f *graphFlags) read(cmd *cobra.Command, input, spool string) (*incoming, error) {
	n := &incoming{}
	began := time.Now()
	g, d, src, err := read.Open(input, f.options(cmd, spool))
	if err != nil {
		return nil, err
	}
	n.weights, n.src, n.took = g, src, time.Since(began)
	if d != nil {
		n.weights = d
	}
	return n, nil
}

// read reads the graph for the store out, and makes sure that it can be planned.
func (f *solveFlags) read(cmd *cobra.Command, input, out string, d kernels.Device, show *show.Display) (*incoming, error) {
	n, err := f.readAlone(cmd, input, filepath.Dir(out))
	if err != nil {
		return nil, err
	}
	if _, isGraph := n.weights.(*graph.Graph); !isGraph && input == "-" && f.cluster.all != nil {
		return nil, errors.Join(exit.UsageError(errors.New("a matrix from standard input reaches one process, and with --cluster mpi all read it: give a file that all nodes see")), n.close())
	}
	in := n.o.Input
	limits := f.Request
	if limits.Sources, limits.Tile, err = sourcesOf(n.weights.Facts(), f.sources, limits.Tile); err != nil {
		return nil, errors.Join(err, n.close())
	}
	n.o = engine.CreateOptions{Layout: tiles.Factors}
	if f.keep != string(engine.KeepFactors) {
		n.hint(cmd, limits)
		if n.o, err = f.planRows(cmd, n.weights, n.src.Name, out, limits, d, show); err != nil {
			return nil, errors.Join(err, n.close())
		}
		n.hintAt(n.o.Choice)
	}
	n.o.Input, n.o.Command = in, os.Args
	return n, nil
}

// readAlone reads the graph, and plans nothing.
func (f *solveFlags) readAlone(cmd *cobra.Command, input, spool string) (*incoming, error) {
	n, err := f.graphFlags.read(cmd, input, spool)
	if err != nil {
		return &incoming{}, err
	}
	src := n.src
	name := src.Name
	if abs, err := filepath.Abs(name); err == nil && input != "-" {
		name = abs
	}
	n.o.Input = tiles.Input{Name: name, Format: src.Format, Size: src.Size, ModTime: src.ModTime, SHA256: src.SHA256,
		Columns: f.columns, Base: f.baseText(cmd), NoArc: f.noArc, Asked: f.asked()}
	n.o.Command = os.Args
	return n, nil
}

// planRows plans a matrix for the store out, and makes sure that there is room for it.
func (f *solveFlags) planRows(cmd *cobra.Command, w graph.Weights, name, out string, limits plan.Request, d kernels.Device, show *show.Display) (engine.CreateOptions, error) {
	o := engine.CreateOptions{Sources: limits.Sources, Predecessors: limits.Predecessors}
	if f.cluster.dir == "" { // else each process looks for room for its part
		if err := engine.RoomFor(out, w.Facts(), limits); err != nil {
			return o, err
		}
		limits.Room = f.roomAt(out)
	}
	defer planning(show.Note, name, w.Facts().N)()
	var err error
	if o.Choice, err = engine.Choose(cmd.Context(), w, d, limits); errors.Is(err, tiles.ErrNoSpace) {
		err = fmt.Errorf("%s: %w", out, err)
	}
	return o, err
}

// store makes the graph's store.
func (n *incoming) store(show *show.Display, out string, create func(w graph.Weights, o engine.CreateOptions) (*engine.Problem, error)) (*engine.Problem, error) {
	p, err := create(n.weights, n.o)
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	show.Imported(n.weights.Facts(), p.Geometry().Layout(), n.src, out, n.took)
	for _, tip := range n.tips {
		show.Note("  %s", tip)
	}
	if c := n.o.Choice; c != nil && c.Lacks != nil {
		show.Note("%v; so it is solved within the room that there is, by %s", c.Lacks, c.Algorithm)
	}
	return p, nil
}
