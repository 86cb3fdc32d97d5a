package read

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
)

// foreign is a format that is not read, and the Python that turns it into one that is.
type foreign struct {
	name   string
	detect func(head []byte) bool
	python string // FILE is the input
}

// toCSV follows what makes a networkx graph. Edges of an undirected one become arcs both ways.
const toCSV = `.to_directed()).to_csv("NEW.csv", index=False)`

const toPandas = `import networkx as nx; nx.to_pandas_edgelist(`

// foreigns lists them: a line each. An edge list passes for none of them.
var foreigns = []foreign{
	{"GraphML", begins(`(?is)^\s*<.*<graphml[\s>]|^\s*<graphml[\s>]`), toPandas + `nx.read_graphml("FILE")` + toCSV},
	{"GEXF", begins(`(?is)^\s*<.*<gexf[\s>]|^\s*<gexf[\s>]`), toPandas + `nx.read_gexf("FILE")` + toCSV},
	{"GML", begins(`(?i)^\s*(#.*\n\s*|(creator|version|comment)\s+("[^"]*"|\S+)\s+)*graph\s*\[\s*(#|\]|[a-z]+\s)`), toPandas + `nx.read_gml("FILE", label="id")` + toCSV},
	{"Pajek", begins(`(?i)^\s*(%.*\n\s*)*\*(vertices|network)\s`), toPandas + `nx.read_pajek("FILE")` + toCSV},
	{"JSON", isJSON, `import json, networkx as nx; G = json.load(open("FILE")); nx.to_pandas_edgelist(nx.node_link_graph(G, edges="links" if "links" in G else "edges")` + toCSV},
	{"an edge list of networkx with data in braces", begins(`^(\s*(#.*)?\n)*\S+ \S+ \{(\}|['"].*\})\s*(\n|$)`), toPandas + `nx.read_edgelist("FILE", create_using=nx.MultiDiGraph)` + toCSV},
	{"a sparse matrix of SciPy (.npz)", func(head []byte) bool {
		return bytes.HasPrefix(head, []byte("PK\x03\x04")) && bytes.Contains(head, []byte("ind")) && bytes.Contains(head, []byte(".npy")) ||
			bytes.HasPrefix(head, []byte("PK\x03\x04")) && bytes.Contains(head, []byte("row.npy"))
	}, `import scipy; scipy.io.mmwrite("NEW.mtx", scipy.sparse.load_npz("FILE"))`},
}

func begins(pattern string) func(head []byte) bool {
	return regexp.MustCompile(pattern).Match
}

// isJSON reports whether head is, or begins, an array or object with something in it, alone or one a line.
func isJSON(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(head))
	for depth, tokens := 0, 0; ; tokens++ {
		t, err := d.Token()
		if err != nil {
			return err == io.ErrUnexpectedEOF || err == io.EOF && tokens > 1
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			rest := bytes.TrimLeft(head[d.InputOffset():], " \t\r")
			return len(rest) == 0 || rest[0] == '\n'
		}
	}
}

// plainBraces finds an edge list of networkx of which from and to can be read: no comma in it passes for a separator.
var plainBraces = begins(`^(\s*(#.*)?\n)*[^\s,;]+ [^\s,;]+ \{[^,;\n]*\}\s*(\n|$)`)

// refuseForeign names a format that is not read.
func (in *reading) refuseForeign(head []byte) error {
	if in.options.unweighted() && plainBraces(head) {
		return nil
	}
	for _, f := range foreigns {
		if f.detect(head) {
			return in.Fail("it is %s, which is not read; in Python: %s", f.name, f.python)
		}
	}
	return nil
}
