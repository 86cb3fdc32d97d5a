package read

import (
	"strings"
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
		"graph [\n  node [\n    id 0\n  ]\n]\n":                                           "nx.parse_gml(",
		"Creator \"igraph version 1.0\"\nVersion 1\ngraph\n[\n  directed 1\n]\n":          "nx.parse_gml(",
		"*Vertices 3\n1 \"a\"\n*Arcs\n1 2 5\n":                                            "in the shell: awk ",
		"graph [\n  directed 1\n  node [\n    id 0\n    label \"b\"\n  ]\n]\n":            "nx.parse_gml(",
		"*vertices 2\n*edges\n1 2\n":                                                      "Pajek",
		"{\"directed\": false, \"nodes\": [], \"links\": []}":                             "JSON",
		"[{\"from\": 1, \"to\": 2},\n{\"from\": 2, \"to\": 1}]\n":                         "JSON",
		"{\"from\": 1, \"to\": 2}\n{\"from\": 2, \"to\": 1}\n":                            "JSON",
		"<?xml version='1.0'?>\n<osm version=\"0.6\">\n":                                  "ox.graph_from_xml(",
		"digraph {\n1 -> 2 [weight=3];\n}\n":                                              "nx.nx_pydot.read_dot(",
		"// made by\n/* x\ny */ strict graph \"a b\" { 1 -- 2 }":                          "DOT (Graphviz)",
		"LEDA.GRAPH\nvoid\ndouble\n":                                                      "nx.read_leda(",
		"# a\nb 5\nc 6\n# b\nc 1\n":                                                       "in the shell: awk ",
		"#x.py\n# GMT Mon Nov 23 00:00:00 2026\n# \n0 2\n1 {'weight': 3}\n2 {}\n1 0\n":    "nx.read_multiline_adjlist(",
		"#x.py\n# GMT Mon Nov 23 00:00:00 2026\n# \n0 1 2\n1 2 0\n2 0 1\n":                "nx.read_adjlist(",
		"{\"type\": \"FeatureCollection\", \"features\": []}":                             `["features"]`,
		"PK\x03\x04" + strings.Repeat("\x00", 26) +
			"[Content_Types].xml\x00": "pd.read_excel(",
		"PK\x03\x04" + strings.Repeat("\x80", 26) +
			"mimetypeapplication/vnd.oasis.opendocument.spreadsheetPK": "OpenDocument",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00":                           "(.xls)",
		"PK\x03\x04" + strings.Repeat("\x00", 26) + "graph.csv\x00":          "unzip FILE -d",
		"\xfd7zXZ\x00\x00\x04":                                               "xz -dc FILE",
		"BZh91AY&SY\x01":                                                     "bzip2 -dc FILE",
		"BZh9\x17rE8P\x90\x00":                                               "bzip2 -dc FILE",
		"\x04\x22\x4d\x18\x64\x40":                                           "lz4 -dc FILE",
		"ab\x00\x01,c\n":                                                     "binary data",
		"LZIP\x01\x0c":                                                       "lzip -dc FILE",
		"\x1f\x9d\x90\x61":                                                   "gzip -dc FILE",
		"7z\xbc\xaf\x27\x1c\x00\x04":                                         "7z x FILE",
		"a" + strings.Repeat("\x00", 256) + "ustar\x0000":                    "tar -xf FILE",
		"PAR1\x15\x04\x15\x10\x15":                                           "pd.read_parquet(",
		"ARROW1\x00\x00\xff\xff\xff\xff":                                     "pd.read_feather(",
		"\x80\x04\x95\x00\x00\x00":                                           "pd.read_pickle(",
		"\x00\x00\x27\x0a\x00\x00\x00\x00":                                   "shapefile",
		"SQLite format 3\x00" + strings.Repeat("\x00", 52) + "GPKG\x00":      "GeoPackage",
		"SQLite format 3\x00" + strings.Repeat("\x00", 60):                   "pd.read_sql(",
		"MATLAB 5.0 MAT-file, Platform: posix":                               "scipy.io.loadmat(",
		"\x89HDF\r\n\x1a\n\x00\x00":                                          "h5py.File(",
		" a | b | w\n---+---+---\n x | y | 3\n(1 row)\n":                     "a table drawn with lines",
		"| from | to |\n|:--|--:|\n| a | b |\n":                              "a table drawn with lines",
		"3\nA 0 4 9\nB 4 0 2\nC 9 2 0\n":                                     "PHYLIP",
		"a:\n  b: 3\n":                                                       "YAML",
		"- from: a\n  to: b\n":                                               "YAML",
		"<roads><road from='a' to='b'/></roads>\n":                           "it is XML",
		"dl nm=2 n=3\nlabels:\na b c\ndata:\n":                               "several graphs",
		"#x.py\n# GMT Mon Nov 23 00:00:00 2026\n# \n0 1\n1 2\n2 3\n3\n":      "nx.read_adjlist(",
		"#x.py\n# GMT Mon Nov 23 00:00:00 2026\n# \n(0, 0) (1, 0)\n(1, 0)\n": "nx.parse_adjlist(",
		"RDX3\nX\n\x00\x00\x00\x03":                                          "write.csv(",
		"\x00\x00\x00\x0d\x0a\x09OSMHeader\x18":                              "osmium",
	} {
		for _, o := range []Options{{}, {Columns: "from,to,weight"}} {
			_, err := readBoth(t, "x.txt", text, o)
			graphtest.WantError(t, err, graph.ErrBadInput, says, "which is not read; ", "NEW.")
		}
	}
	for text, arcs := range map[string]string{
		"[1] [2] 5\n[2] [3] 6\n": "[1]>[2]=5 [2]>[3]=6",
		"{a},{b},5\n":            "{a}>{b}=5",
		"graph [ 5\n":            "graph>[=5",
		"graph a 5\n":            "graph>a=5",
		"# a\n# b\n1 2 5\n":      "1>2=5",
		"# a\n1 2\n# b c\n2 3\n": "1>2=1 2>3=1",
		"3\nA 0 4\nB 0 5\n":      "A>0=4 B>0=5",
		"<a> <b> 5\n<b> <c> 6\n": "<a>><b>=5 <b>><c>=6",
		"-a |b 5\na b 6\n":       "-a>|b=5 a>b=6",
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
