// Package foreign recognises files of graphs and tables in formats that are not read, and says what turns them into one
// that is.
package foreign

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
)

// format is a format that is not read.
type format struct {
	name   string
	detect func(head []byte) bool
	remedy string // FILE is the input
}

const (
	// edges follows what makes a networkx graph. Edges of an undirected one become arcs both ways.
	edges = `.to_directed()).to_csv("NEW.csv", index=False)`
	nx    = `in Python: import networkx as nx; nx.to_pandas_edgelist(`
	// An adjacency list does not say which it is.
	adjacency = `with create_using=nx.DiGraph after "FILE" if it is directed, `
	pandas    = `in Python: import pandas as pd; pd.`
	table     = `("FILE").to_csv("NEW.csv", index=False)`
	// geo leaves out the geometry, which takes most of the room and says nothing here.
	geo = `in Python: import geopandas as gpd; gpd.read_file("FILE").drop(columns="geometry").to_csv("NEW.csv", index=False)`
)

// formats lists them: a line each, the more special ones first. An edge list passes for none of them.
var formats = []format{
	{"GraphML", like(`(?is)^\s*<.*<graphml[\s>]|^\s*<graphml[\s>]`), nx + `nx.read_graphml("FILE")` + edges},
	{"GEXF", like(`(?is)^\s*<.*<gexf[\s>]|^\s*<gexf[\s>]`), nx + `nx.read_gexf("FILE")` + edges},
	{"OpenStreetMap XML", like(`(?is)^\s*<.*<osm[\s>]|^\s*<osm[\s>]`), `in Python: import osmnx as ox; ox.graph_to_gdfs(ox.graph_from_xml("FILE"), nodes=False).drop(columns="geometry").to_csv("NEW.csv")`},
	{"GML", func(head []byte) bool { return isGML(head) && hasLabels(head) }, nx + `nx.read_gml("FILE")` + edges},
	{"GML", isGML, nx + `nx.read_gml("FILE", label="id")` + edges},
	{"Pajek", like(`(?i)^\s*(%.*\n\s*)*\*vertices\s+\d+\s+\*`), `in Python: import igraph; igraph.Graph.Read_Pajek("FILE").write_ncol("NEW.txt", names=None, weights="weight")`},
	{"Pajek", like(`(?i)^\s*(%.*\n\s*)*\*(vertices|network)\s`), nx + `nx.read_pajek("FILE")` + edges},
	{"DOT (Graphviz)", like(`(?i)^\s*((//|#).*\n\s*|/\*(?s:.*?)\*/\s*)*(strict\s+)?(di)?graph\s*("(\\.|[^"\\])*"|[\w.-]+)?\s*\{`), nx + `nx.nx_pydot.read_dot("FILE")` + edges},
	{"LEDA", like(`^\s*(#.*\n\s*)*LEDA\.GRAPH\s`), nx + `nx.read_leda("FILE")` + edges},
	{"LGL", isLGL, `in Python: import igraph; igraph.Graph.Read_Lgl("FILE").write_ncol("NEW.txt", weights="weight")`},
	{"a multiline adjacency list of networkx", like(`^#.*\n# GMT .*\n(#.*\n)*\S+ \d+\n(\S+ \d+\n)*\S+( \{.*\})?\n`), adjacency + nx + `nx.read_multiline_adjlist("FILE")` + edges},
	{"an adjacency list of networkx", like(`^#.*\n# GMT .*\n`), adjacency + nx + `nx.read_adjlist("FILE")` + edges},
	{"GeoJSON", func(head []byte) bool { return isJSON(head) && bytes.Contains(head, []byte(`"FeatureCollection"`)) }, geo},
	{"JSON", isJSON, `in Python: import json, networkx as nx; G = json.load(open("FILE")); nx.to_pandas_edgelist(nx.node_link_graph(G, edges="links" if "links" in G else "edges")` + edges},
	{"an Excel workbook (.xlsx)", zipOf("[Content_Types].xml", "_rels/", "xl/", "docProps/"), `save it as CSV, or ` + pandas + `read_excel` + table},
	{"an old Excel workbook (.xls)", starts("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), `save it as CSV, or ` + pandas + `read_excel` + table},
	{"an OpenDocument spreadsheet (.ods)", zipOf("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), `save it as CSV, or ` + pandas + `read_excel` + table},
	{"a zip file", starts("PK\x03\x04"), `unpack it: unzip FILE -d NEW.d`},
	{"xz data", starts("\xfd7zXZ\x00"), `unpack it: xz -dc FILE > NEW.txt`},
	{"bzip2 data", func(head []byte) bool {
		return len(head) > 4 && starts("BZh")(head) && starts("1AY&SY", "\x17rE8P\x90")(head[4:])
	}, `unpack it: bzip2 -dc FILE > NEW.txt`},
	{"lz4 data", starts("\x04\x22\x4d\x18"), `unpack it: lz4 -dc FILE > NEW.txt`},
	{"lzip data", starts("LZIP\x01"), `unpack it: lzip -dc FILE > NEW.txt`},
	{"data of compress (.Z)", starts("\x1f\x9d"), `unpack it: gzip -dc FILE > NEW.txt`},
	{"a 7z archive", starts("7z\xbc\xaf\x27\x1c"), `unpack it: 7z x FILE -oNEW.d`},
	{"a tar archive", func(head []byte) bool { return len(head) > 262 && starts("ustar")(head[257:]) }, `unpack it: mkdir NEW.d && tar -xf FILE -C NEW.d`},
	{"a Parquet file", starts("PAR1"), pandas + `read_parquet` + table},
	{"a Feather file", starts("ARROW1\x00\x00", "FEA1"), pandas + `read_feather` + table},
	{"a pickle of Python", starts("\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"), `if you trust who made it, in Python, for a table: import pandas as pd; pd.read_pickle` + table + `; for a graph of networkx: import pickle, networkx as nx; nx.to_pandas_edgelist(pickle.load(open("FILE", "rb"))` + edges},
	{"a shapefile (.shp)", starts("\x00\x00\x27\x0a"), geo},
	{"a GeoPackage", isGeoPackage, geo},
	{"an SQLite database", starts("SQLite format 3\x00"), `in the shell: sqlite3 -csv -header FILE "SELECT * FROM TABLE" > NEW.csv`},
	{"a file of MATLAB", starts("MATLAB 5.0 MAT-file", "MATLAB 7.3 MAT-file"), `in Python: import scipy; scipy.io.mmwrite("NEW.mtx", scipy.io.loadmat("FILE")["NAME"])`},
	{"an HDF5 file", starts("\x89HDF\r\n\x1a\n"), `in Python: import h5py, numpy; numpy.save("NEW.npy", h5py.File("FILE")["NAME"])`},
	{"a table or graph of R (.rds)", starts("X\n\x00\x00\x00\x02", "X\n\x00\x00\x00\x03"), `in R: d <- readRDS("FILE"); write.csv(if (inherits(d, "igraph")) igraph::as_data_frame(d) else d, "NEW.csv", row.names=FALSE)`},
	{"a file of R (.RData)", starts("RDX2\n", "RDX3\n", "RDA2\n", "RDA3\n"), `in R, for a table in it: load("FILE"); write.csv(NAME, "NEW.csv", row.names=FALSE)`},
	{"OpenStreetMap (.pbf)", func(head []byte) bool { return len(head) > 4 && starts("\x0a\x09OSMHeader")(head[4:]) }, `with the program osmium: osmium cat FILE -o NEW.osm; ` + `in Python: import osmnx as ox; ox.graph_to_gdfs(ox.graph_from_xml("NEW.osm"), nodes=False).drop(columns="geometry").to_csv("NEW.csv")`},
	{"binary data", func(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }, `with the program that wrote FILE, export its table of edges as text: NEW.csv`}, // no text has a zero byte
}

var (
	isGML     = like(`(?i)^\s*(#.*\n\s*|(creator|version|comment)\s+("[^"]*"|\S+)\s+)*graph\s*\[\s*(#|\]|[a-z]+\s)`)
	hasLabels = like(`(?i)\bnode\s*\[[^\]]*\slabel\s`)
)

// Recognise returns the format of an input that begins with head, and what to do about it; "" if it is none of these.
func Recognise(head []byte) (name, remedy string) {
	for _, f := range formats {
		if f.detect(head) {
			return f.name, f.remedy
		}
	}
	return "", ""
}

// like makes a pattern of bytes a test.
func like(pattern string) func(head []byte) bool { return regexp.MustCompile(pattern).Match }

func starts(magic ...string) func(head []byte) bool {
	return func(head []byte) bool {
		return slices.ContainsFunc(magic, func(m string) bool { return bytes.HasPrefix(head, []byte(m)) })
	}
}

// zipOf tests for a zip file whose first member's name, and where that is not packed its content, begins like that.
func zipOf(name ...string) func(head []byte) bool {
	const at = 30
	return func(head []byte) bool {
		return len(head) > at && starts("PK\x03\x04")(head) && starts(name...)(head[at:])
	}
}

// isGeoPackage looks at the number that a database's application has given itself: GPKG, or GP10 before 2015.
func isGeoPackage(head []byte) bool {
	return len(head) >= 72 && starts("SQLite format 3\x00")(head) && starts("GPKG", "GP10", "GP11")(head[68:])
}

// isLGL reports whether lines "# VERTEX" stand before lists of neighbours. As comments in an edge list, they would
// leave a wrong graph.
func isLGL(head []byte) bool {
	lists, named := 0, false
	for line := range bytes.Lines(head) {
		switch words := bytes.Fields(line); {
		case len(words) == 0 || !bytes.HasSuffix(line, []byte("\n")):
		case words[0][0] == '#':
			if named = true; len(words) != 2 || len(words[0]) > 1 {
				return false
			}
		case len(words) > 2:
			return false
		case named:
			lists++
			named = false
		}
	}
	return lists > 1
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
