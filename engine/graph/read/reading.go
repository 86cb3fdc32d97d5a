package read

import (
	"bufio"
	"cmp"
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
	format  *inputFormat // nil before it is known
	remarks []string
}

// collect reads the graph.
func (in *reading) collect() (*graph.Graph, error) {
	out, err := in.scan(false)
	if err != nil {
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

func (in *reading) newSink(measure bool) (*sink, error) {
	weigh, err := number.NewWeighing(in.options.Kind, in.options.Scale)
	if err == nil && in.format.NoArc {
		err = weigh.SetNone(in.options.NoArc)
	}
	first, bad := in.options.FirstID(in.format.first)
	undirected := !*cmp.Or(in.options.Directed, &in.format.Directed)
	return &sink{options: in.options, first: first, measure: measure, in: &lines.Reader{},
		vertices: vertexTable{ints: map[int64]int32{}, texts: map[string]int32{}},
		Intake:   graph.Intake{File: in.Name, Free: believed, Weigh: weigh, Undirected: undirected}}, cmp.Or(err, bad)
}

// scan reads the input to its end, or only measures it.
func (in *reading) scan(measure bool) (*sink, error) {
	out, err := in.newSink(measure)
	if err != nil {
		return out, err
	}
	data, done, err := in.Decompress()
	if err != nil {
		return out, err
	}
	defer done()
	if in.format.readAll != nil {
		err = in.format.readAll(in.Input, data, out)
	} else {
		out.in = lines.New(data)
		if err = in.format.read(out); err != nil {
			err = in.Wrap(out.in.Line, err)
		}
		out.in.Close()
	}
	if err == nil {
		err = in.Drain()
	}
	return out, err
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
		if in.format = find(func(f *inputFormat) bool { return f.Name == in.options.Format }); in.format == nil {
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
	in.format = find(func(f *inputFormat) bool {
		return (!tables || f.Columns || f.matrix || f.readAll != nil) && f.Detect != nil && f.Detect(head)
	})
	if in.format != nil {
		return nil
	}
	if name, remedy := foreign.Recognise(head); name != "" {
		if packed.TrimExt(in.Name) != in.Name {
			remedy = "with FILE unpacked: " + remedy
		}
		return in.Fail("it is %s, which is not read; %s", name, remedy)
	}
	switch in.format = byExtension(in.Name); {
	case in.format != nil && (!tables || in.format.Columns):
	case mayBeEdgeList(head):
		in.format = &edgeList
	default:
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
func find(like func(f *inputFormat) bool) *inputFormat {
	for i := range Formats {
		if like(&Formats[i]) {
			return &Formats[i]
		}
	}
	return nil
}

func byExtension(name string) *inputFormat {
	ext := strings.ToLower(filepath.Ext(packed.TrimExt(name)))
	return find(func(f *inputFormat) bool { return slices.Contains(f.Extensions, ext) })
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
