// Package foreign recognises files of graphs and tables in formats that are not read, and says what turns them into one
// that is.
package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// format is a format that is not read.
type format struct {
	name   string
	detect func(head []byte) bool
	remedy string // FILE is the input, KEY what is found in it by one of jsonKeys
}

const (
	inPython = "in Python: import "
	one      = `.fillna({"weight": 1})` // an edge without a weight has weight 1, as in networkx
	csv      = `.to_csv("NEW.csv", index=False)`
	text     = `open("FILE", encoding="utf-8-sig")`
	pandas   = inPython + `pandas as pd; `
	table    = inPython + `json, pandas as pd; pd.DataFrame(`
	// file is a table. Its index, if it has a name, may be the ends of the edges.
	file  = `("FILE"); d.to_csv("NEW.csv", index=d.index.names != [None])`
	sheet = `save it as CSV, or ` + pandas + `pd.read_excel("FILE")` + csv
	// geo leaves out the geometry, which takes most of the room and says nothing here.
	geo = inPython + `geopandas as gpd; gpd.read_file("FILE").drop(columns="geometry")` + csv
	osm = inPython + `osmnx as ox; G = ox.graph_from_xml("%s", retain_all=True); ` +
		`ox.graph_to_gdfs(G, nodes=False).drop(columns="geometry").to_csv("NEW.csv")`
	// adjacency comes first, because such a list does not say which it is.
	adjacency   = `with create_using=nx.DiGraph after "FILE" if it is directed, `
	export      = `with the program that wrote it, export its table of edges as text: NEW.csv`
	tsplib      = `(?is)^\s*(name|type|comment|dimension)\s*:.*\n\s*`
	byLine      = `(json.loads(line) for line in ` + text + ` if line.strip()), dtype=object)`
	bare        = `.to_csv("NEW.csv", index=False, header=False)`
	key         = `"([A-Za-z_]\w*)"\s*:\s*\[\s*` // of an array in JSON
	empty       = `"[^"]*"\s*:\s*(\{\s*\}|\[\s*\])\s*,\s*`
	keyOfRows   = key + `\{[^}]*` + names
	keyOfMatrix = key + `\[\s*(-?\d|null)`
	tuple       = `\((?:[^()\n]|\([^()\n]*\))*,(?:[^()\n]|\([^()\n]*\))*\)`
	undirected  = `d.get("directed", False)`
	visEdges    = `"edges"\s*:\s*\[\s*\{[^}]*"from"\s*:`
	// names stand where the ends of edges do.
	names = `"(?i:from|source|src|tail|u|start|from_node|fromnodeid|node1|start_node|orig|origin)"\s*:\s*`
)

// graph reads G, a graph of networkx, and writes it: an edge of an undirected one as arcs both ways, and a vertex
// without edges as an arc to itself, which keeps it. fill is for edges without a weight.
func graph(imports, read, fill string) string {
	return inPython + imports + `networkx as nx, pandas as pd; ` + read +
		`; e = nx.to_pandas_edgelist(G.to_directed(), "from", "to"); ` +
		`v = pd.DataFrame({c: list(nx.isolates(G)) if c in ("from", "to") else 0 for c in e}, dtype=object); ` +
		`pd.concat([e, v])` + fill + csv
}

// nx is for what networkx reads by itself.
func nx(read string) string { return graph("", "G = nx."+read, one) }

// values makes G of d, which is what JSON holds.
func values(read string) string { return graph("json, ", `d = json.load(`+text+`); `+read, one) }

// links makes G of lists of nodes and edges in d, given what each edge is, and what else there is to say.
func links(d, directed, edge, more string) string {
	return values(d + `G = nx.node_link_graph({"directed": ` + directed + `, ` +
		`"nodes": [v.get("data", v) if isinstance(v, dict) else {"id": v} for v in d["nodes"]], ` +
		`"edges": [` + edge + ` for e in d.get("links", d.get("edges"))]}, edges="edges"` + more + `)`)
}

// neighbours makes G of a list of pairs for each vertex of d, given what makes it of a.
func neighbours(pairs string) string {
	return values(`G = nx.MultiDiGraph(); G.add_nodes_from(d); ` +
		`G.add_weighted_edges_from((u, v, w) for u, a in d.items() for v, w in ` + pairs + `)`)
}

// tableOf makes a table of d, which is what JSON holds.
func tableOf(d string) string {
	return inPython + `json, pandas as pd; d = json.load(` + text + `); pd.DataFrame(` + d + `, dtype=object)` + csv
}

const (
	// By the section of a line, s, awk knows what it is. Labels l name the vertices, from 1 to n.
	awk = `in the shell: awk 'function N(i) {return i in l ? l[i] : i} ` +
		`function A(i, j, w) {print N(i), N(j), w; if (s ~ /^.edge/) print N(j), N(i), w} ` +
		`{sub(/\r$/, "")} !NF || /^ *%/ {next} `
	arcs = `s ~ /list/ {for (i = 2; i <= NF; i++) A($1, $i, 1); next} ` +
		`s ~ /matr/ {k++; for (i = 1; i <= NF; i++) if ($i != 0) A(k, i, $i); next} ` +
		`s ~ /^.(arc|edge)/ {A($1, $2, $3 ~ /^[-+.0-9]/ ? $3 : 1)} ` +
		`END {for (i = 1; i <= n; i++) print N(i), N(i), 0}` + toText
	toText = `' FILE > NEW.txt`
	pajek  = awk + `$1 ~ /^\*/ {s = tolower($1); k = 0; if (s ~ /^.v/) n = $2; next} ` +
		`s ~ /^.v/ {x = match($0, /"[^"]*"/) ? substr($0, RSTART, RLENGTH) : NF > 1 ? $2 : $1; ` +
		`l[$1] = x in t ? $1 : x; t[x]; next} ` + arcs
	dl = awk + `{h = tolower($0)} s == "" && match(h, /n *= *[0-9]+/) {n = substr(h, RSTART, RLENGTH); ` +
		`gsub(/[^0-9]/, "", n); n += 0} h ~ /= *edgelist/ {f = "_arcs"} h ~ /= *nodelist/ {f = "_list"} ` +
		`h ~ /embedded/ {n = 0} h ~ /^ *data *:/ {s = f ? f : "_matrix"; next} ` +
		`s == "" {if (h ~ /labels/) {b = 1; sub(/.*:/, "")} gsub(/,/, " "); ` +
		`for (i = 1; b && i <= NF; i++) l[++q] = $i; next} ` + arcs
	stein = `in the shell: awk '{sub(/\r$/, ""); s = tolower($1)} ` +
		`s == "nodes" {for (i = 1; i <= $2; i++) print i, i, 0} ` +
		`s == "e" || s == "a" {print $2, $3, $4} s == "e" {print $3, $2, $4}` + toText
	dimacs = `in the shell: awk '{sub(/\r$/, ""); sub(/^e /, "")} ` +
		`$1 == "p" {for (i = 1; i <= $3; i++) print i, i, 0} ` +
		`/^[0-9]/ {w = NF > 2 ? $3 : 1; print $1, $2, w; print $2, $1, w}` + toText
	lgl = `for arcs one way (--undirected then makes them edges), in the shell: awk '{sub(/\r$/, "")} !NF {next} ` +
		`$1 == "#" {u = $2; print u, u, 0; next} {print u, $1, (NF > 1 ? $2 : 1)}` + toText
	tsp = inPython + `re, numpy as np; t = ` + text + `.read(); n = int(re.search(r"DIMENSION\s*:\s*(\d+)", t)[1]); ` +
		`i = {"FULL_MATRIX": np.nonzero(np.ones((n, n))), "UPPER_ROW": np.triu_indices(n, 1), ` +
		`"LOWER_ROW": np.tril_indices(n, -1), "UPPER_DIAG_ROW": np.triu_indices(n), ` +
		`"LOWER_DIAG_ROW": np.tril_indices(n)}[re.search(r"FORMAT\s*:\s*(\w+)", t)[1]]; m = np.zeros((n, n)); ` +
		`m[i[::-1]] = x = np.array(t.split("EDGE_WEIGHT_SECTION")[1].split()[:len(i[0])], float); m[i] = x; ` +
		`np.save("NEW.npy", m)`
	ligra = inPython + `numpy as np, scipy.sparse as sp; n, m, *x = map(int, ` + text + `.read().split()[1:]); ` +
		`sp.save_npz("NEW.npz", sp.csr_array((x[n+m:] or np.ones(m, int), x[n:n+m], x[:n] + [m]), shape=(n, n)))`
	matlab = inPython + `scipy.io, scipy.sparse as sp; ` +
		`sp.save_npz("NEW.npz", sp.csr_array(scipy.io.loadmat("FILE")["NAME"]))`
	// MATLAB writes columns where HDF5 has rows.
	matlab7 = inPython + `h5py, scipy.sparse as sp; A = h5py.File("FILE")["NAME"]; sp.save_npz("NEW.npz", ` +
		`sp.csc_array((A["data"][:], A["ir"][:], A["jc"][:]), shape=[len(A["jc"]) - 1] * 2) ` +
		`if isinstance(A, h5py.Group) else sp.csr_array(A[:].T))`
	square = inPython + `json, pandas as pd; m = pd.DataFrame(json.load(` + text + `)["KEY"], dtype=float); ` +
		`assert len(m) == len(m.columns); m.stack().dropna()` +
		`.to_csv("NEW.csv", index_label=["from", "to"], header=["weight"])`
)

// formats lists them: a line each, the more special ones first. An edge list passes for none of them, but for one whose
// vertices are tuples.
var formats = []format{
	{"GraphML", like(`(?is)^\s*<.*<graphml[\s>]|^\s*<graphml[\s>]`), nx(`read_graphml("FILE")`)},
	{"GEXF", like(`(?is)^\s*<.*<gexf[\s>]|^\s*<gexf[\s>]`), nx(`read_gexf("FILE")`)},
	{"OpenStreetMap XML", like(`(?is)^\s*<.*<osm[\s>]|^\s*<osm[\s>]`),
		fmt.Sprintf(osm, "FILE")},
	{"a web page", like(`(?is)^\s*(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)[\s>]`), `download the file itself`},
	{"XML", like(`(?i)^\s*<(\?xml|!doctype)\s`), export},
	// Several edges between two vertices are taken even if nothing announces them, and labels only if no two are alike.
	{"GML", like(`(?i)^\s*(#.*\n\s*|(creator|version|comment)\s+("[^"]*"|\S+)\s+)*graph\s*\[\s*(#|\]|[a-z]+\s)`),
		nx(`parse_gml(` + text + `.read().replace("[", "[ multigraph 1 ", 1), label="id"); ` +
			`n = {v: a.get("label", a.get("name")) for v, a in G.nodes(data=True)}; ` +
			`G = nx.relabel_nodes(G, n) if None not in n.values() and len(set(n.values())) == len(G) else G`)},
	{"Pajek", like(`(?i)^\s*(%.*\n\s*)*\*(vertices|network)\s`), pajek},
	{"UCINET's DL", like(`(?i)^\s*dl\b[\s,]*(n|format)\s*=`), dl},
	{"DOT (Graphviz)", like(`(?i)^\s*((//|#).*\n\s*|/\*(?s:.*?)\*/\s*)*(strict\s+)?(di)?graph\s*("(\\.|[^"\\])*"|[\w.-]+)?\s*\{`),
		graph("", `G = nx.nx_pydot.read_dot("FILE")`, one+`.replace('"', "", regex=True)`)},
	{"LEDA", like(`^\s*(#.*\n\s*)*LEDA\.GRAPH\s`), graph("", `G = nx.read_leda("FILE")`, `.rename(columns={"label": "weight"})`)},
	{"LGL", isLGL, lgl},
	{"a multiline adjacency list of networkx", like(`^#.*\n# GMT .*\n(#.*\n)*\S+ \d+\n(\S+ \d+\n)*\S+( \{.*\})?\n`),
		adjacency + nx(`read_multiline_adjlist("FILE")`)},
	{"an adjacency list of networkx", like(`^#.*\n# GMT .*\n`), adjacency + nx(`read_adjlist("FILE")`)},
	{"an edge list with tuples as vertices", like(
		`^\s*(#.*\n\s*)*(` + tuple + `[ ,;]+(\(|[^()\s]+[ ,;])|[^\s"(,;]+ ` + tuple + `( |\r?\n))`),
		`in the shell: sed -E 's/\(([^()]|\([^()]*\))*\)/"&"/g' FILE > NEW.txt`},
	{"graph6", starts(">>graph6<<"), nx(`read_graph6("FILE")`)},
	{"sparse6", starts(">>sparse6<<"), nx(`read_sparse6("FILE")`)},
	{"TSPLIB", like(tsplib + `EDGE_WEIGHT_SECTION`), `with numbers from 0 for the vertices, ` + tsp},
	{"TSPLIB", like(tsplib + `(NODE_COORD|DISPLAY_DATA|EDGE_DATA|EDGE_WEIGHT_TYPE)`),
		`it has places: write the distances between them as a table of from, to and weight, NEW.csv`},
	{"SteinLib", like(`(?i)^\s*(33D32945\s+STP|section\s+(comment|graph)\s)`), stein},
	{"a DIMACS graph for other problems than paths", like(`^(c.*\n|\s*\n)*p\s+(edges?|col|tw|td|vc|ds)\s`), dimacs},
	{"Ligra's adjacency graph", like(`^(Weighted)?AdjacencyGraph\s`), `with numbers from 0 for the vertices, ` + ligra},
	{"a pointer of Git LFS", starts("version https://git-lfs.github.com/spec/"), `in its repository, git lfs pull gets the file`},
	{"GeoJSON", holds(`"FeatureCollection"`), table + `(f["properties"] for f in json.load(` + text + `)["features"]), dtype=object)` + csv},
	{"JSON lines", holds(`^\{[^\n]*\}[ \t\r]*\n\s*\{|^\{[^\[{]*\}\s*$`), table + byLine + csv},
	{"JSON lines", holds(`^\[[^\n]*\][ \t\r]*\n\s*\[`), table + byLine + bare},
	{"JSON of OpenStreetMap's Overpass", holds(`"elements"\s*:\s*\[\s*\{\s*"type"\s*:\s*"(node|way|relation)"`),
		`ask for [out:xml], NEW.osm, instead; ` + fmt.Sprintf(osm, "NEW.osm")},
	{"JSON of Cytoscape", holds(`"elements"\s*:\s*\{`), links(`d = {**d, **d["elements"]}; `, undirected, `e["data"]`, ``)},
	{"JSON of Graphology", holds(`"nodes"\s*:\s*\[\s*\{\s*"key"`),
		links(``, `d.get("options", {}).get("type") != "undirected"`, `{**e, **e.get("attributes", {})}`, `, name="key"`)},
	{"JSON Graph Format", holds(`^\{\s*"graph"\s*:\s*\{\s*"`),
		links(`d = d["graph"]; `, `d.get("directed", True)`, `{**e, **e.get("metadata", {})}`, ``)},
	{"JSON of vis.js", holds(`"nodes"\s*:(?s:.*)` + visEdges + `|` + visEdges + `(?s:.*)"nodes"`),
		links(``, undirected, `e`, `, source="from", target="to"`)},
	{"JSON", holds(`"adjacency"\s*:\s*\[\s*\[\s*(\{|\])`), values(`G = nx.adjacency_graph(d)`)},
	{"JSON", holds(`"nodes"\s*:\s*\[`), links(``, undirected,
		`e if isinstance(e, dict) else dict(zip(["source", "target", "weight"], e))`, ``)},
	{"JSON", holds(`"(edges|links|arcs)"\s*:\s*\[\s*\[\s*["\d-]`), strings.Replace(
		tableOf(`d[next(k for k in ("edges", "links", "arcs") if k in d)]`), csv, bare, 1)},
	{"JSON", holds(`^\[\s*\{`), table + `json.load(` + text + `), dtype=object)` + csv},
	{"JSON", holds(`^\[\s*\[\s*"`), table + `json.load(` + text + `), dtype=object)` + bare},
	{"JSON", holds(`^\[\s*\[`), `if it is a matrix, ` + inPython + `json, numpy as np; np.save("NEW.npy", ` +
		`np.nan_to_num(np.array(json.load(` + text + `), float), nan=np.inf)); if its rows are edges, ` + table + `json.load(` + text + `), dtype=object)` + bare},
	{"JSON", holds(`^\{\s*"columns"\s*:\s*\[`), tableOf(`d["data"], columns=d["columns"]`)},
	{"JSON", holds(`^\{\s*"schema"\s*:`), tableOf(`d["data"]`)},
	{"JSON", holds(names + `[\[{]|^\{\s*"[^"]*[^"\d][^"]*"\s*:\s*\{\s*"\d+"\s*:`), tableOf(`d`)},
	{"JSON", holds(`^\{\s*"[^"]*"\s*:\s*\{[^}]*` + names + `["\d]`), tableOf(`d.values()`)},
	{"JSON", holds(keyOfRows), tableOf(`d["KEY"]`)},
	{"JSON", holds(keyOfMatrix), square},
	{"JSON", holds(`^\{\s*(` + empty + `)*"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*-?\d`), neighbours(`a.items()`)},
	{"JSON", holds(`^\{\s*(` + empty + `)*"[^"]*"\s*:\s*\[\s*\[`), neighbours(`a`)},
	{"JSON", holds(`^\{\s*(` + empty + `)*"[^"]*"\s*:\s*(\{\s*"[^"]*"\s*:\s*\{|\[\s*["\d])`), values(`G = nx.DiGraph(d)`)},
	{"JSON", isJSON, `write its edges as a table with the columns from, to and weight: NEW.csv`},
	{"an Excel workbook (.xlsx)", zipOf("[Content_Types].xml", "_rels/", "xl/", "docProps/"), sheet},
	{"an old Excel workbook (.xls)", starts("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), sheet},
	{"an OpenDocument spreadsheet (.ods)", zipOf("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), sheet},
	{"a zip file", starts("PK\x03\x04"), `unpack it: unzip FILE -d NEW.d`},
	{"xz data", starts("\xfd7zXZ\x00"), `unpack it: xz -dc FILE > NEW.txt`},
	{"bzip2 data", func(head []byte) bool {
		return len(head) > 4 && starts("BZh")(head) && starts("1AY&SY", "\x17rE8P\x90")(head[4:])
	}, `unpack it: bzip2 -dc FILE > NEW.txt`},
	{"lz4 data", starts("\x04\x22\x4d\x18"), `unpack it: lz4 -dc FILE > NEW.txt`},
	{"lzip data", starts("LZIP\x01"), `unpack it: lzip -dc FILE > NEW.txt`},
	{"data of compress (.Z)", starts("\x1f\x9d"), `unpack it: gzip -dc FILE > NEW.txt`},
	{"a 7z archive", starts("7z\xbc\xaf\x27\x1c"), `unpack it: 7z x FILE -oNEW.d`},
	{"a tar archive", func(head []byte) bool { return len(head) > 262 && starts("ustar")(head[257:]) },
		`unpack it: mkdir NEW.d && tar -xf FILE -C NEW.d`},
	{"a Parquet file", starts("PAR1"), pandas + `d = pd.read_parquet` + file},
	{"a Feather file", starts("ARROW1\x00\x00", "FEA1"), pandas + `d = pd.read_feather` + file},
	{"a pickle of Python", starts("\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"), `if you trust who made it, for a table, ` +
		pandas + `d = pd.read_pickle` + file + `; for a graph of networkx, ` + graph("", `G = pd.read_pickle("FILE")`, "")},
	{"a shapefile (.shp)", starts("\x00\x00\x27\x0a"), geo},
	{"a GeoPackage", isGeoPackage, geo},
	{"an SQLite database", starts("SQLite format 3\x00"),
		inPython + `sqlite3, pandas as pd; pd.read_sql("SELECT * FROM TABLE", sqlite3.connect("FILE"))` + csv},
	{"a file of MATLAB", starts("MATLAB 5.0 MAT-file"), matlab},
	{"a file of MATLAB", starts("MATLAB 7.3 MAT-file"), matlab7},
	{"an HDF5 file", starts("\x89HDF\r\n\x1a\n"), inPython + `h5py, numpy; numpy.save("NEW.npy", h5py.File("FILE")["NAME"])`},
	{"a table or graph of R (.rds)", starts("X\n\x00\x00\x00\x02", "X\n\x00\x00\x00\x03"), `vertices without edges are lost unless ` +
		`NEW.csv gets a line VERTEX,VERTEX,0 for each; in R: d <- readRDS("FILE"); write.csv(if (inherits(d, "igraph")) ` +
		`igraph::as_data_frame(igraph::as_directed(d)) else d, "NEW.csv", row.names=FALSE)`},
	{"a file of R (.RData)", starts("RDX2\n", "RDX3\n", "RDA2\n", "RDA3\n"),
		`in R, for a table in it: load("FILE"); write.csv(NAME, "NEW.csv", row.names=FALSE)`},
	{"OpenStreetMap (.pbf)", func(head []byte) bool { return len(head) > 4 && starts("\x0a\x09OSMHeader")(head[4:]) },
		`with the program osmium: osmium cat FILE -o NEW.osm; ` + fmt.Sprintf(osm, "NEW.osm")},
	{"binary data", func(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }, export}, // no text has a zero byte
}

var (
	jsonKeys = []*regexp.Regexp{regexp.MustCompile(keyOfRows), regexp.MustCompile(keyOfMatrix)}
)

// Recognise returns the format of an input that begins with head, and what to do about it; "" if it is none of these.
func Recognise(head []byte) (name, remedy string) {
	for _, f := range formats {
		if !f.detect(head) {
			continue
		}
		remedy = f.remedy
		for _, key := range jsonKeys {
			if k := key.FindSubmatch(head); k != nil {
				remedy = strings.Replace(remedy, "KEY", string(k[1]), 1)
			}
		}
		return f.name, remedy
	}
	return "", ""
}

// like makes a pattern of bytes a test.
func like(pattern string) func(head []byte) bool { return regexp.MustCompile(pattern).Match }

// holds makes a pattern a test for JSON, which it sees without blanks before it.
func holds(pattern string) func(head []byte) bool {
	test := like(pattern)
	return func(head []byte) bool { return isJSON(head) && test(bytes.TrimLeft(head, " \t\r\n")) }
}

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
