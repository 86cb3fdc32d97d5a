package read

import (
	"bufio"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/input"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/packed"
	"ooc/engine/graph/read/internal/foreign"
	"ooc/engine/graph/read/internal/lines"
)

// reading is an input that is being read into a graph.
type reading struct {
	*input.Input
	options Options
	format  *Format // nil before it is known
	remarks []string
}

func (in *reading) source() *graph.Source {
	s := in.Source()
	s.Remarks = in.remarks
	if in.format != nil {
		s.Format = in.format.Name
	}
	return s
}

// collect reads the graph.
func (in *reading) collect() (*graph.Graph, error) {
	out, err := in.newSink()
	if err != nil {
		return nil, err
	}
	if err := in.scan(out); err != nil {
		return nil, err
	}
	g, err := out.finish()
	if err != nil {
		return nil, err
	}
	in.remarks = append(out.remarks, rounded(g, out.Weigh.Rounding, in.options)...)
	if in.options.Directed == nil && g.Directed && !out.bothWays && g.Arcs() > 0 {
		directed := "directed by default; --undirected makes every arc an edge both ways"
		if g.NoneBack() {
			directed += ". No arc here has its reverse, so most pairs may have no path"
		}
		in.remarks = append(in.remarks, directed)
	}
	return g, nil
}

func (in *reading) newSink() (*sink, error) {
	weigh, err := number.NewWeighing(in.options.Kind, in.options.Scale)
	if err == nil && in.format.NoArc {
		err = weigh.SetNone(in.options.NoArc)
	}
	if err != nil {
		return nil, err
	}
	first, err := in.options.FirstID(in.format.first)
	if err != nil {
		return nil, err
	}
	return &sink{first: first, Intake: graph.Intake{File: in.Name, Free: believed, Weigh: weigh}}, nil
}

// scan reads the input to its end.
func (in *reading) scan(out *sink) error {
	data, done, err := in.Decompress()
	if err != nil {
		return err
	}
	defer done()
	out.Undirected = !in.format.Directed
	if in.options.Directed != nil {
		out.Undirected = !*in.options.Directed
	}
	if in.format.readAll != nil {
		out.lines = &lines.Reader{} // an error has no line
		if err := in.format.readAll(in.Input, data, in.options, out); err != nil {
			return err
		}
		return in.Drain()
	}
	out.lines = lines.New(data)
	err = in.format.read(out.lines, in.options, out)
	out.lines.Close()
	if err != nil {
		return in.Wrap(out.lines.Line, err)
	}
	return in.Drain()
}

// settle finds out the format, and whether options say something in it.
func (in *reading) settle() error {
	data, _, err := in.Decompress() // for whoever reads it then
	if err != nil {
		return err
	}
	if start, _ := data.Peek(3); string(start) == "\xef\xbb\xbf" {
		data.Discard(len(start))
	}
	if err := in.detect(data); err != nil {
		return err
	}
	return in.fits()
}

// detect sets the format: the one asked for, one that is sure, the extension's, or one that may be.
func (in *reading) detect(data *bufio.Reader) error {
	if in.options.Format != "" {
		in.format = byName(in.options.Format)
		if in.format == nil {
			return number.BadOption("format %q is not one of %s", in.options.Format, formatNames())
		}
		return nil
	}
	head, err := data.Peek(input.HeadSize)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return in.Wrap(0, err)
	}
	if len(head) == 0 {
		return in.Fail("the input is empty")
	}
	tables := in.options.Columns != "" // columns are named: it is a table, or what fits refuses
	likely := func(sure match) *Format {
		return find(func(f *Format) bool {
			return (!tables || f.Columns || f.matrix || f.readAll != nil) &&
				f.Detect(head) == sure
		})
	}
	if in.format = likely(yes); in.format != nil {
		return nil
	}
	if name, remedy := foreign.Recognise(head); name != "" {
		if packed.TrimExt(in.Name) != in.Name {
			remedy = "with FILE unpacked: " + remedy
		}
		return in.Fail("it is %s, which is not read; %s", name, remedy)
	}
	if in.format = byExtension(in.Name); in.format == nil || tables && !in.format.Columns {
		in.format = likely(perhaps)
	}
	if in.format == nil {
		return in.Fail("the format is not recognised; --format names it: %s", formatNames())
	}
	return nil
}

// fits refuses options that say nothing in the format: whoever gives them takes the input for another. In any format
// +Inf is no arc.
func (in *reading) fits() error {
	name, noArc := in.format.Name, in.options.NoArc
	x, _ := number.Special([]byte(noArc))
	switch {
	case in.options.Columns != "" && !in.format.Columns:
		return number.BadOption("%s is read as %s, and --columns is for edge lists", in.Name, name)
	case noArc != "" && !(x > 0) && !in.format.NoArc:
		return number.BadOption("%s is read as %s, and --no-arc is for matrices", in.Name, name)
	}
	return nil
}

// find returns the first format that is like that, or nil.
func find(like func(f *Format) bool) *Format {
	for i := range Formats {
		if like(&Formats[i]) {
			return &Formats[i]
		}
	}
	return nil
}

func byName(name string) *Format { return find(func(f *Format) bool { return f.Name == name }) }

func byExtension(name string) *Format {
	ext := strings.ToLower(filepath.Ext(packed.TrimExt(name)))
	return find(func(f *Format) bool { return slices.Contains(f.Extensions, ext) })
}

func formatNames() string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// KnownName reports whether a file's name has the extension of a format, compressed or not.
func KnownName(name string) bool { return byExtension(name) != nil }

// Extensions lists those of all formats, with the dot.
func Extensions() []string {
	var all []string
	for _, f := range Formats {
		all = append(all, f.Extensions...)
	}
	return all
}

// BaseName is a file's base name without extensions of formats and compression.
func BaseName(input string) string {
	name := packed.TrimExt(filepath.Base(input))
	if base := strings.TrimSuffix(name, filepath.Ext(name)); base != "" && KnownName(name) {
		return base
	}
	return name
}
