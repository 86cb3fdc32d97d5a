package graph

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// GenerateOptions say what graph to generate.
type GenerateOptions struct {
	N         int64  // vertices
	M         int64  // arcs
	Seed      uint64 // the same seed gives the same text on every platform
	Overwrite bool   // replace a file that is there
}

// Generator makes graphs of one kind.
type Generator struct {
	Name  string
	Title string

	// arcs hands every arc, from and to counted from 0, to emit, and stops at its first error. The text
	// states N and M before the arcs, so exactly M of them are due.
	arcs  func(o GenerateOptions, emit func(from, to, weight int64) error) error
	check func(o GenerateOptions) error
}

// Generators lists the kinds of graph that Generate makes.
var Generators = []Generator{randomGraph}

// arcWriter writes one format.
type arcWriter struct {
	extensions []string
	base       int64  // the id of vertex 0
	start, sep string // before an arc, and between its parts
	head       func(kind string, o GenerateOptions) string
}

var arcWriters = []arcWriter{
	{[]string{".gr"}, 1, "a ", " ", func(kind string, o GenerateOptions) string {
		return fmt.Sprintf("c %s graph, seed %d\np sp %d %d\n", kind, o.Seed, o.N, o.M)
	}},
	{[]string{".csv"}, 0, "", ",", func(string, GenerateOptions) string { return "from,to,weight\n" }},
	{[]string{".txt", ".tsv", ".el", ".wel", ".edges", ".edgelist"}, 0, "", "\t",
		func(kind string, o GenerateOptions) string {
			return fmt.Sprintf("# %s graph, seed %d: %d vertices, %d arcs\n", kind, o.Seed, o.N, o.M)
		}},
}

// Generate writes a graph of a kind in Generators to a file, in the format and the compression that its
// extensions name: DIMACS with ids from 1 (.gr), else an edge list with ids from 0 (.csv, .txt, .tsv,
// .el, .wel, .edges, .edgelist), which cannot show vertices without arcs; .gz or .zst after it. The file appears only
// when it is complete. Errors in the arguments match ErrOptions, a file that is there fs.ErrExist.
func Generate(ctx context.Context, kind string, o GenerateOptions, path string) error {
	if _, err := writerFor(path); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil && !o.Overwrite {
		return &fs.PathError{Op: "generate", Path: path, Err: fs.ErrExist}
	}
	f, err := os.OpenFile(besides(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = GenerateTo(ctx, kind, o, path, f)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// besides returns a new name in the folder of path, and so on the same file system.
func besides(path string) string {
	dir, name := filepath.Split(path)
	return dir + "." + name + "." + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
}

// GenerateTo is Generate to a stream; name stands for the extensions only.
func GenerateTo(ctx context.Context, kind string, o GenerateOptions, name string, w io.Writer) error {
	generator, err := generatorFor(kind, o)
	if err != nil {
		return err
	}
	format, err := writerFor(name)
	if err != nil {
		return err
	}
	packed, finish, err := compress(w, name)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(packed, blockSize)
	out.WriteString(format.head(generator.Name, o))
	if err := generator.arcs(o, format.emitter(ctx, out)); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return finish()
}

func generatorFor(kind string, o GenerateOptions) (Generator, error) {
	var names []string
	for _, g := range Generators {
		if g.Name != kind {
			names = append(names, g.Name)
			continue
		}
		if o.N < 1 || o.N > MaxVertices || o.M < 0 {
			return g, fmt.Errorf("a graph of %d vertices and %d arcs: %w", o.N, o.M, ErrOptions)
		}
		return g, g.check(o)
	}
	return Generator{}, fmt.Errorf("kind %q is not one of %s: %w", kind, strings.Join(names, ", "), ErrOptions)
}

func writerFor(name string) (arcWriter, error) {
	ext := strings.ToLower(filepath.Ext(Uncompressed(name)))
	var known []string
	for _, w := range arcWriters {
		if slices.Contains(w.extensions, ext) {
			return w, nil
		}
		known = append(known, w.extensions...)
	}
	return arcWriter{}, fmt.Errorf("no format is written to a name like %q; there are %s: %w",
		filepath.Base(name), strings.Join(known, " "), ErrOptions)
}

// emitter returns a function that writes an arc, and an error of ctx or of the stream soon after it came.
func (a arcWriter) emitter(ctx context.Context, out *bufio.Writer) func(from, to, weight int64) error {
	line := make([]byte, 0, 80)
	count := 0
	return func(from, to, weight int64) error {
		line = append(line[:0], a.start...)
		line = strconv.AppendInt(line, from+a.base, 10)
		line = append(line, a.sep...)
		line = strconv.AppendInt(line, to+a.base, 10)
		line = append(line, a.sep...)
		line = strconv.AppendInt(line, weight, 10)
		line = append(line, '\n')
		if count++; count%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		_, err := out.Write(line)
		return err
	}
}

// compress returns a stream that compresses as name's last extension says, and what ends it.
func compress(w io.Writer, name string) (io.Writer, func() error, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		z := gzip.NewWriter(w)
		return z, z.Close, nil
	case ".zst":
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return w, func() error { return nil }, nil
}

// dice draws numbers that are the same on every platform and with every version of Go: the generator,
// PCG-DXSM, is fixed by its paper, and the rest is here (M. E. O'Neill, PCG: a family of simple fast
// space-efficient statistically good algorithms for random number generation, 2014).
type dice struct{ pcg *rand.PCG }

func newDice(seed uint64) dice { return dice{rand.NewPCG(seed, 0x9e3779b97f4a7c15)} }

// below draws a number in 0…n-1, all equally likely, for n ≥ 1 (D. Lemire, Fast random integer
// generation in an interval, 2019).
func (d dice) below(n int64) int64 {
	hi, lo := bits.Mul64(d.pcg.Uint64(), uint64(n))
	if lo < uint64(n) {
		for reject := -uint64(n) % uint64(n); lo < reject; {
			hi, lo = bits.Mul64(d.pcg.Uint64(), uint64(n))
		}
	}
	return int64(hi)
}
