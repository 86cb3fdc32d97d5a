package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/tiles"
)

type solveFlags struct {
	graphFlags
	deviceFlags
	batchFlags
	out, sources, progress string
	timeline               string
	checkpoint             time.Duration
	restart, json          bool
	predecessors           bool
}

func solveCommand() *cobra.Command {
	cmd, f := newSolve()
	cmd.Args = f.count
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := f.limited(cmd)
		defer stop()
		cmd.SetContext(ctx)
		if f.isBatch(args) || f.dryRun {
			return f.runBatch(cmd, args)
		}
		return f.run(cmd, args[0])
	}
	return cmd
}

// newSolve returns the command without what it does, so that the flags of a job can be read as it reads its own.
func newSolve() (*cobra.Command, *solveFlags) {
	f := &solveFlags{}
	cmd := &cobra.Command{
		Use:   "solve GRAPH...",
		Short: "Import a graph if needed, then solve it; resume what is unfinished",
		Long: "solve computes every shortest distance of GRAPH (a file, - for standard input, or a store) into a store:\n" +
			"a folder whose dist.npy NumPy opens in place. Run again, it resumes, or says that all is done.\n" +
			"Ctrl-C takes a checkpoint and ends; a second Ctrl-C ends at once, and is resumable too.\n\n" +
			"Several graphs, a folder of them, a quoted pattern or --jobs FILE are a batch: a queue on disk, NAME.batch, that\n" +
			"the same command goes on with. Small graphs share the device; a job that fails does not stop the others.",
	}
	f.graphFlags.add(cmd)
	f.deviceFlags.add(cmd)
	f.batchFlags.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "the store (default: GRAPH's base name with .ooc, in the current directory)")
	addSources(cmd, &f.sources)
	addPredecessors(cmd, &f.predecessors)
	fl.DurationVar(&f.checkpoint, "checkpoint", engine.DefaultCheckpoint, "time between checkpoints")
	fl.BoolVar(&f.restart, "restart", false, "begin again: GRAPH's store is made anew and nothing of it kept; a STORE given itself forgets its distances only")
	fl.StringVar(&f.progress, "progress", "auto", "auto, always (draw also where standard error is no terminal) or never")
	fl.BoolVar(&f.json, "json", false, "one JSON object a line on standard output")
	fl.StringVar(&f.timeline, "timeline", "", "write what each stage of the rounds did when to this file, for ui.perfetto.dev or chrome://tracing")
	return cmd, f
}

// checkSolve finds mistakes in flags of a solve that need no input to be seen.
func (f *solveFlags) checkSolve() error {
	if f.checkpoint <= 0 {
		return usageError{fmt.Errorf("--checkpoint %v: want more than 0", f.checkpoint)}
	}
	return nil
}

func (f *solveFlags) run(cmd *cobra.Command, input string) (err error) {
	if err := f.checkSolve(); err != nil {
		return err
	}
	show, err := newDisplay(f.progress, f.json)
	if err != nil {
		return err
	}
	device, why, err := f.open()
	if err != nil {
		return err
	}
	show.device(device, why)
	defer func() { err = errors.Join(err, device.Close()) }()
	defer show.onAsking()()
	p, err := f.openOrCreate(cmd, input, device, show)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	show.volume(p.Dir())
	graceful.Store(true)
	stop := show.keyboard(cmd.Context())
	sum, err := f.solve(cmd.Context(), p, input, device, show, show.status)
	stop()
	show.end()
	switch exitCode(err) {
	case 0:
	case exitInterrupted, exitFailed, exitNoSpace: // what the store holds is kept, and worth going on from
		return fmt.Errorf("%w%s; go on with:\n  %s", err, f.overtime(cmd), resumeCommand(cmd, input, p))
	default:
		return err
	}
	show.summary(sum)
	return nil
}

// solve solves what is open.
func (f *solveFlags) solve(ctx context.Context, p *engine.Problem, input string, d kernels.Device, show *display, progress func(engine.Status)) (sum engine.Summary, err error) {
	control, progress, end := show.steering.begin(progress, show.answer)
	defer end()
	o := engine.Options{
		Control: control,
		Device:  d, HostMemory: int64(f.hostMemory), Round: f.round, Streams: f.streams, Algorithm: f.algorithm,
		Checkpoint: f.checkpoint, Progress: progress, Interval: show.interval, Input: inputPath(input),
	}
	if f.timeline != "" {
		file, err := os.Create(f.timeline)
		if err != nil {
			return sum, err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		o.Timeline = file
	}
	return p.Solve(ctx, o)
}

// resumeCommand is what goes on from here: this command without --restart, and with the store in place of
// a standard input that cannot be read twice, unless all is lost with that.
func resumeCommand(cmd *cobra.Command, input string, p *engine.Problem) string {
	if st, err := p.Status(); input == "-" && p.Meta().Dense && err == nil && st.State == "new" {
		return fmt.Sprintf("ooc solve - --restart --out %s < INPUT", quote(p.Dir()))
	}
	if input == "-" {
		words := []string{"ooc solve", quote(p.Dir())}
		for _, name := range []string{"algorithm", "device", "device-memory", "host-memory", "streams", "round", "checkpoint", "progress", "json"} {
			if fl := cmd.Flags().Lookup(name); fl.Changed {
				words = append(words, quote("--"+name+"="+fl.Value.String()))
			}
		}
		return strings.Join(words, " ")
	}
	return sameCommand(os.Args)
}

// sameCommand is a command line without --restart, for a shell.
func sameCommand(args []string) string {
	words := []string{"ooc"}
	for _, a := range args[min(1, len(args)):] {
		if a != "--restart" && !strings.HasPrefix(a, "--restart=") {
			words = append(words, quote(a))
		}
	}
	return strings.Join(words, " ")
}

// quote makes a word safe to paste into a shell.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,+@%", r)
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func (f *solveFlags) limits() engine.Limits {
	l := f.deviceFlags.limits()
	l.Predecessors = f.predecessors
	return l
}

// store is the store that an input is solved into.
func (f *solveFlags) store(input string) (string, error) {
	switch {
	case isStore(input) && f.out != "" && filepath.Clean(f.out) != filepath.Clean(input):
		return "", usageError{fmt.Errorf("%s is a store already; leave --out away to go on with it", input)}
	case isStore(input):
		return input, nil
	case f.out == "" && input == "-":
		return "", usageError{errors.New("standard input has no name: give --out")}
	case f.out == "":
		return storeName(input), nil
	}
	return f.out, nil
}

// openOrCreate opens the input's store, or makes it.
func (f *solveFlags) openOrCreate(cmd *cobra.Command, input string, d kernels.Device, show *display) (*engine.Problem, error) {
	out, err := f.store(input)
	if err != nil {
		return nil, err
	}
	if !isStore(out) {
		if err := tiles.Busy(out); err != nil { // before a graph is read that another process imports
			return nil, err
		}
		n, err := f.read(cmd, input, out, d)
		if err != nil {
			return nil, err
		}
		return n.store(show, out, func(w engine.Weights, o engine.CreateOptions) (*engine.Problem, error) {
			return engine.Create(out, w, o)
		})
	}
	p, err := engine.Open(out)
	if err != nil {
		return nil, err
	}
	if f.restart && input != out { // nothing is kept of what flags once said
		n, err := f.read(cmd, input, out, d)
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
		return n.store(show, out, p.Replace)
	}
	err = f.sameOptions(cmd, p)
	if err == nil && input != out {
		err = f.sameInput(cmd, p, input)
	}
	if err == nil && f.restart {
		err = p.Restart(engine.Options{Device: d, HostMemory: int64(f.hostMemory), Round: f.round, Streams: f.streams, Algorithm: f.algorithm})
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// isStore reports whether a path is a store that was imported to the end.
func isStore(path string) bool { return tiles.IsStore(path) }

// inputPath is where the engine finds an input again, "" if nowhere or where the store says.
func inputPath(input string) string {
	if input == "-" || isStore(input) {
		return ""
	}
	return input
}

// incoming is a graph that was read, or a matrix that was looked at, and has no store yet.
type incoming struct {
	weights engine.Weights
	src     *graph.Source
	o       engine.CreateOptions
	took    time.Duration
}

// remark says what was guessed.
func (n *incoming) remark() {
	if n.src.Remark != "" {
		fmt.Fprintf(os.Stderr, "%s: %s\n", n.src.Name, n.src.Remark)
	}
}

// close releases the matrix.
func (n *incoming) close() error {
	if d, ok := n.weights.(*graph.Dense); ok {
		return d.Close()
	}
	return nil
}

// read reads a graph or looks at a matrix, which may be unpacked into the folder spool.
func (f *graphFlags) read(cmd *cobra.Command, input, spool string) (*incoming, error) {
	o, err := f.options(cmd, spool)
	if err != nil {
		return nil, err
	}
	n := &incoming{}
	began := time.Now()
	g, d, src, err := graph.Open(input, o)
	if err != nil {
		return nil, err
	}
	n.weights, n.src, n.took = g, src, time.Since(began)
	if d != nil {
		n.weights = d
	}
	return n, nil
}

// read reads what becomes the store out, and makes sure that it can be planned.
func (f *solveFlags) read(cmd *cobra.Command, input, out string, d kernels.Device) (*incoming, error) {
	n, err := f.graphFlags.read(cmd, input, filepath.Dir(out))
	if err != nil {
		return nil, err
	}
	limits := f.limits()
	if limits.Sources, err = sourcesOf(n.weights.Facts(), f.sources); err != nil {
		return nil, errors.Join(err, n.close())
	}
	if err := roomFor(n.weights.Facts().N, &limits, out); err != nil {
		return nil, errors.Join(err, n.close())
	}
	choice, err := engine.Choose(n.weights, d, limits)
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	src := n.src
	name := src.Name
	if abs, err := filepath.Abs(name); err == nil && input != "-" {
		name = abs
	}
	in := tiles.Input{Name: name, Format: src.Format, Size: src.Size, ModTime: src.ModTime, SHA256: src.SHA256,
		Columns: f.columns, Base: f.baseText(cmd), NoArc: f.noArc}
	n.o = engine.CreateOptions{Sources: limits.Sources, Predecessors: limits.Predecessors, Choice: choice, Input: in, Command: os.Args}
	return n, nil
}

// roomFor fails where the matrix cannot fit the volume, in the place of one that is there: planning a graph of that size
// would take a while.
func roomFor(n int, l *engine.Limits, out string) error {
	rows, entry := n, uint64(kernels.EntryBytes)
	if len(l.Sources) > 0 {
		rows = len(l.Sources)
	}
	if l.Predecessors {
		entry = kernels.PairBytes
	}
	hi, size := bits.Mul64(uint64(n), uint64(rows)*entry)
	if hi > 0 || size > math.MaxInt64 {
		size = math.MaxInt64
	}
	matrix := filepath.Join(out, "dist.npy")
	if info, err := os.Stat(matrix); err == nil && isStore(out) {
		size -= min(size, uint64(info.Size()))
	}
	return tiles.Room(filepath.Dir(out), matrix, int64(size))
}

// create makes the graph's store.
func (n *incoming) store(show *display, out string, create func(w engine.Weights, o engine.CreateOptions) (*engine.Problem, error)) (*engine.Problem, error) {
	p, err := create(n.weights, n.o)
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	show.imported(n.weights.Facts(), n.src, out, n.took)
	return p, nil
}

// changed is the refusal of a store that was made from something else.
func changed(format string, args ...any) error {
	return badInput{errors.New(fmt.Sprintf(format, args...) + "; solve it into another store with --out, or begin again with --restart")}
}

// sameOptions compares what was asked of the reader and the store with what the store was made with.
func (f *solveFlags) sameOptions(cmd *cobra.Command, p *engine.Problem) error {
	m := p.Meta()
	switch {
	case f.kind != "" && f.kind != string(m.Kind):
		return changed("%s was made with --kind %s", p.Dir(), m.Kind)
	case f.scale > 0 && f.scale != m.Scale:
		return changed("%s was made with --scale %d", p.Dir(), m.Scale)
	case f.tile > 0 && f.tile != m.T:
		return changed("%s was made with --tile %d", p.Dir(), m.T)
	case f.predecessors && !m.Predecessors:
		return changed("%s was made without --predecessors", p.Dir())
	case f.sources != "" && !f.sameSources(p):
		return changed("%s was made with other --sources", p.Dir())
	case f.directed && !m.Directed || f.undirected && m.Directed:
		return changed("%s was made with the other of --directed and --undirected", p.Dir())
	case f.format != "" && f.format != m.Input.Format:
		return changed("%s was made with --format %s", p.Dir(), m.Input.Format)
	case f.columns != "" && f.columns != m.Input.Columns:
		return changed("%s was made with other --columns (%q)", p.Dir(), m.Input.Columns)
	case f.noArc != "" && f.noArc != m.Input.NoArc:
		return changed("%s was made with another --no-arc (%q)", p.Dir(), m.Input.NoArc)
	case f.baseText(cmd) != "" && f.baseText(cmd) != m.Input.Base:
		return changed("%s was made with another --base (%q)", p.Dir(), m.Input.Base)
	}
	return nil
}

// sameInput compares an input with the one that a store was made from: size and time first, the content
// only where they differ.
func (f *solveFlags) sameInput(cmd *cobra.Command, p *engine.Problem, input string) error {
	m := p.Meta()
	if input == "-" {
		return changed("%s exists, and what standard input holds cannot be compared with it: go on with it by ooc solve %s", p.Dir(), quote(p.Dir()))
	}
	info, err := os.Stat(input)
	if err != nil {
		return err
	}
	if info.Size() == m.Input.Size && info.ModTime().Equal(m.Input.ModTime) {
		return nil
	}
	sum, err := fileSHA256(cmd.Context(), input)
	if err != nil {
		return err
	}
	if sum != m.Input.SHA256 {
		return changed("%s was made from another input than %s is now", p.Dir(), input)
	}
	return nil
}

func fileSHA256(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, readerFunc(func(b []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return f.Read(b)
	})); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

type readerFunc func([]byte) (int, error)

func (r readerFunc) Read(b []byte) (int, error) { return r(b) }
