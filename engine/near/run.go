package near

import (
	"cmp"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"ooc/engine/graph"
	"ooc/engine/graph/packed"
	"ooc/engine/newfile"
	"ooc/engine/rows"
	"ooc/engine/text"
	"ooc/tiles/disk"
)

// Options say what File writes.
type Options struct {
	Question
	// Targets are rows, ascending: only pairs that end at one are wanted. Then a target is near itself too, at distance
	// 0, and counts among the nearest. nil: all vertices but the row itself.
	Targets []int32
	File    newfile.File // its extension names a format
	// Resumed: called where rows of an earlier run are there, or bytes of one that are damaged.
	Resumed  func(rows int, dropped int64)
	Found    func() error // called when all pairs are found, and before the file is written
	Progress func(rows, of int)

	// Offer offers whole rows, for where these take less time than searches; nil: searches find all.
	Offer offer
}

// offer offers rows of distances, as engine.OfferRows does.
type offer func(context.Context, *graph.Graph, rows.Question) (rows.Offer, error)

// Result says what File did.
type Result struct {
	File     string   `json:"file"`
	Vertices int      `json:"vertices"`
	Arcs     int64    `json:"arcs"`
	Kind     string   `json:"kind"`
	Within   *float64 `json:"within"`            // nil: however far
	Nearest  *int     `json:"k_nearest"`         // nil: however many
	Targets  *int     `json:"targets,omitempty"` // nil: all
	Pairs    int64    `json:"pairs"`
	Resumed  int      `json:"resumed_rows"` // found by an earlier run
	Search   float64  `json:"search_seconds"`
	Write    float64  `json:"write_seconds"`
	Bytes    int64    `json:"bytes"` // of the file
}

func newResult(g *graph.Graph, o Options) *Result {
	r := &Result{File: o.File.Path, Vertices: g.N, Arcs: g.Arcs(), Kind: string(g.Kind)}
	if !math.IsInf(o.Within, 0) { // which JSON has not
		r.Within = &o.Within
	}
	if o.Nearest > 0 {
		r.Nearest = &o.Nearest
	}
	if o.Targets != nil {
		targets := len(o.Targets)
		r.Targets = &targets
	}
	return r
}

// Check fails where File would before it has a graph: with newfile.ErrNoFormat, or with newfile's errors. Where the
// file is there since a run was killed when all was done but removing the spool, it removes that.
func (o Options) Check() error {
	_, err := formatOf(o.File.Path)
	if err == nil {
		err = o.File.Check()
	}
	if errors.Is(err, fs.ErrExist) {
		err = errors.Join(err, sweep(o.File.Path))
	}
	return err
}

// File finds the near pairs of a graph and writes them. It takes the memory that NewSearcher says, and for each
// processor 20 bytes a vertex and a dozen megabytes. Where an engine computes whole rows, it takes what that does,
// and for these a half of the free memory at most. An error or the end of ctx leaves what was found in the spool
// beside the file, from which the same call goes on. Errors: those of NewSearcher and Options.Check, disk.ErrNoSpace,
// lock.ErrLocked while another process does the same; and it fails where the spool is of another graph or question.
func File(ctx context.Context, g *graph.Graph, o Options) (_ *Result, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := cmp.Or(o.check(), o.checkTargets(g.N)); err != nil {
		return nil, err
	}
	if err := g.Check(ctx); err != nil {
		return nil, err
	}
	h := head{
		Format: spoolFormat, Version: spoolVersion, Graph: g.Digest(), Vertices: g.N, Kind: string(g.Kind.Wide()),
		Scale: g.Scale,
		Limit: strconv.FormatFloat(greatestOf(g.Kind, g.Scale, o.Within), 'g', -1, 64), Nearest: o.Nearest,
		Targets: targetsDigest(o.Targets), Self: o.Self,
	}
	s, err := openSpool(o.File.Path+Extension, h)
	if err != nil {
		return nil, err
	}
	r := newResult(g, o)
	defer func() {
		if s != nil {
			err = errors.Join(err, s.close())
		}
	}()
	held, _ := s.held()
	if r.Resumed = int(held); (held > 0 || s.dropped > 0) && o.Resumed != nil {
		o.Resumed(r.Resumed, s.dropped)
	}
	m := &matrix{spool: s, n: g.N, scale: g.Scale, ids: g.IDs}
	began := time.Now()
	if missing := s.order(g.N); len(missing) > 0 {
		find := inRows
		if o.Targets != nil {
			find = fromTargets
		}
		if err := find(ctx, g, m, missing, o); err != nil {
			return nil, err
		}
		s.order(g.N)
	}
	_, r.Pairs = s.held()
	m.pairs = r.Pairs
	r.Search = time.Since(began).Seconds()
	if o.Found != nil {
		if err := o.Found(); err != nil {
			return nil, err
		}
	}
	began = time.Now()
	if r.Bytes, err = m.write(ctx, o.File); err != nil {
		return nil, err
	}
	removing := s.remove()
	s = nil
	r.Write = time.Since(began).Seconds()
	return r, removing
}

// inRows finds missing rows by searches from each, and puts them into the spool.
func inRows(ctx context.Context, g *graph.Graph, m *matrix, missing [][2]int, o Options) (err error) {
	s, err := newSearcher(ctx, g, o.Question)
	if err != nil {
		return err
	}
	mean, sure, seconds, err := s.sample(ctx, missing)
	if err != nil {
		return err
	}
	count := 0
	for _, m := range missing {
		count += m[1] - m[0]
	}
	if err := m.room(o.File.Path, sure*float64(count)); err != nil {
		return err
	}
	ready, err := s.engine(ctx, g, o.Offer, count, seconds*float64(count)/float64(runtime.GOMAXPROCS(0)))
	if err != nil {
		return err
	}
	if ready != nil {
		defer func() { err = errors.Join(err, ready.Close()) }()
	}
	return s.search(ctx, m.spool, missing, mean, ready, o.Progress)
}

// Rows are tried to know how many pairs there will be: so many, or as many as there is time for, and a few at least.
const (
	samples      = 64
	fewSamples   = 8
	samplingTime = 2 * time.Second
)

// sample tries random rows, and returns the mean number of pairs, one that the mean of all is most probably not below,
// and the mean seconds of a row.
func (s *searcher) sample(ctx context.Context, missing [][2]int) (mean, sure, seconds float64, err error) {
	w, began := s.Worker(ctx), time.Now()
	n, sum, squares := 0.0, 0.0, 0.0
	for n < samples && (n < fewSamples || time.Since(began) < samplingTime) {
		m := missing[rand.IntN(len(missing))]
		found, _, err := w.Row(m[0] + rand.IntN(m[1]-m[0]))
		if err != nil {
			return 0, 0, 0, err
		}
		x := float64(len(found))
		n, sum, squares = n+1, sum+x, squares+x*x
	}
	mean = sum / n
	variance := max(0, squares/n-mean*mean)
	return mean, max(0, mean-4*math.Sqrt(variance/n)), time.Since(began).Seconds() / n, nil
}

// room fails if the volume lacks room for so many pairs, in the spool and in the file.
func (m *matrix) room(path string, pairs float64) error {
	dir := filepath.Dir(path)
	free, err := disk.Free(dir)
	if err != nil {
		return nil // what happens will show it
	}
	_, held := m.held()
	f, _ := formatOf(path)
	each := narrowBytes + m.kind.Bytes()
	if !m.kind.Float() {
		each = 2 * narrowBytes
	}
	need := pairs * float64(each)
	if packed.TrimExt(path) == path {
		need += (pairs + float64(held)) * float64(f.least(m))
	}
	if need <= float64(free) {
		return nil
	}
	return text.ErrorOf(disk.ErrNoSpace,
		"%s: no space: some %s pairs, with %s, take %s or more, and %s are free on the volume; free some, ask for "+
			"fewer, or name a FILE on another volume",
		path, humanize.CommafWithDigits(pairs+float64(held), 0), path+Extension,
		disk.Size(int64(min(need, math.MaxInt64/2))), disk.Size(free))
}

// write writes the file, and returns how many bytes it has.
func (m *matrix) write(ctx context.Context, file newfile.File) (bytes int64, err error) {
	f, err := formatOf(file.Path)
	if err != nil {
		return 0, err
	}
	sum := new(summed)
	err = file.Write(func(w io.Writer) error {
		sum.to = w
		out, err := packed.NewWriter(sum, file.Path)
		if err != nil {
			return err
		}
		if err := f.write(ctx, m, out); err != nil {
			return err
		}
		if err := out.Close(); err != nil {
			return err
		}
		return m.written(sum.size, sum.sum)
	})
	return sum.size, err
}

// summed counts and sums what is written.
type summed struct {
	to   io.Writer
	size int64
	sum  uint32
}

func (s *summed) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	s.size, s.sum = s.size+int64(n), crc32.Update(s.sum, castagnoli, p[:n])
	return n, err
}

// sweep removes the spool of a file that was written from it, where a kill came before that.
func sweep(path string) error {
	if _, err := os.Lstat(path + Extension); err != nil {
		return nil
	}
	f, _, err := lockedFile(path + Extension)
	if err != nil {
		return nil // in use, or none of ours
	}
	s := &spool{file: f}
	if !s.wroteAll(path) {
		return f.Close()
	}
	return s.remove()
}

// wroteAll reports whether a file is what was written from the spool.
func (s *spool) wroteAll(path string) bool {
	line := make([]byte, longestHead)
	n, _ := s.file.ReadAt(line, 0)
	h, ok, err := parseHead(line[:n])
	if err != nil || !ok || h.Version != spoolVersion || s.open(h) != nil || s.wrote == nil {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	sum := &summed{to: io.Discard}
	_, err = io.Copy(sum, file)
	return err == nil && sum.size == s.wrote.pairs && sum.sum == s.wrote.sums[0]
}
