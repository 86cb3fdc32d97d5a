package read

import (
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/kernels/entry"
)

// TestForeignFormats names formats that are not read, also on one line and with columns.
func TestForeignFormats(t *testing.T) {
	for text, says := range map[string]string{
		"<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"x\"><graph/></graphml>": "GraphML",
		"<graphml><graph edgedefault='directed'><node id='a, b'/></graph></graphml>\n":    "nx.read_graphml(",
		"<?xml version='1.0'?><gexf version=\"1.2\"><graph/></gexf>":                      "nx.read_gexf(",
		"graph [\n  node [\n    id 0\n  ]\n]\n":                                           "nx.read_gml(",
		"Creator \"igraph version 1.0\"\nVersion 1\ngraph\n[\n  directed 1\n]\n":          "nx.read_gml(",
		"*Vertices 3\n1 \"a\"\n*Arcs\n1 2 5\n":                                            "nx.read_pajek(",
		"*vertices 2\n*edges\n1 2\n":                                                      "Pajek",
		"{\"directed\": false, \"nodes\": [], \"links\": []}":                             "JSON",
		"[{\"from\": 1, \"to\": 2},\n{\"from\": 2, \"to\": 1}]\n":                         "JSON",
		"{\"from\": 1, \"to\": 2}\n{\"from\": 2, \"to\": 1}\n":                            "JSON",
		"#made by\n0 1 {}\n1 2 {}\n":                                                      "nx.read_edgelist(",
		"a b {'weight': 3, 'color': 'red'}\n":                                             "braces",
		"PK\x03\x04\x14\x00\x00\x00\x08\x00indices.npy\x00\x00":                           "scipy.sparse.load_npz(",
	} {
		for _, o := range []Options{{}, {Columns: "from,to,weight"}} {
			_, err := readBoth(t, "x.txt", text, o)
			graphtest.WantError(t, err, graph.ErrBadInput, says, "is not read; in Python: import ")
		}
	}
	for text, arcs := range map[string]string{
		"[1] [2] 5\n[2] [3] 6\n": "[1]>[2]=5 [2]>[3]=6",
		"{a},{b},5\n":            "{a}>{b}=5",
		"graph [ 5\n":            "graph>[=5",
		"<a> <b> 5\n":            "<a>><b>=5",
		"*vertices 3\n":          "",
		"*vertices,b,3\n":        "*vertices>b=3",
	} {
		g, err := readBoth(t, "x.txt", text, Options{})
		switch {
		case arcs == "":
			graphtest.WantError(t, err, graph.ErrBadInput, "Pajek")
		case err != nil:
			t.Error(err)
		case graphtest.ArcsOf(g) != arcs || g.Kind != entry.KindI32:
			t.Error(graphtest.ArcsOf(g))
		}
	}
}
