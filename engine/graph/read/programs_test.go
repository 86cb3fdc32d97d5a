package read

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
)

// streetArcs and streetEdges are the network that testdata/programs/make.py has had written: 9 streets both ways, of
// which streetEdges is each once, and two that are one way.
var (
	streetEdges = []graph.Arc{{From: 0, To: 1, Weight: 12.5}, {From: 1, To: 2, Weight: 20},
		{From: 0, To: 3, Weight: 7.25}, {From: 1, To: 4, Weight: 31},
		{From: 3, To: 4, Weight: 11}, {From: 4, To: 5, Weight: 9.5}, {From: 5, To: 8, Weight: 14},
		{From: 3, To: 6, Weight: 40}, {From: 8, To: 7, Weight: 6}}
	streetArcs = append(bothWays(streetEdges), graph.Arc{From: 6, To: 7, Weight: 13},
		graph.Arc{From: 8, To: 4, Weight: 2.5})
)

func bothWays(edges []graph.Arc) (arcs []graph.Arc) {
	for _, e := range edges {
		arcs = append(arcs, e, graph.Arc{From: e.To, To: e.From, Weight: e.Weight})
	}
	return arcs
}

// arcsText is what graphtest.ArcsOf prints, with ids from base.
func arcsText(arcs []graph.Arc, base int32, unit bool) string {
	arcs = slices.Clone(arcs)
	slices.SortFunc(arcs, func(a,
		b graph.Arc) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	var text []string
	for _, a := range arcs {
		if unit {
			a.Weight = 1
		}
		text = append(text, fmt.Sprintf("%d>%d=%v", a.From+base, a.To+base, a.Weight))
	}
	return strings.Join(text, " ")
}

// TestPrograms reads what other programs have written of one network: as that network, or not at all, and then with the
// remedy. Each file is here.
func TestPrograms(t *testing.T) {
	streets, unit, one := arcsText(streetArcs, 0, false), arcsText(streetArcs, 0, true), arcsText(streetArcs, 1, false)
	const python, comma = "which is not read; in Python: ",
		"has a comma, but decimals are written with a point; where no comma stands for anything else, tr , . "
	pick := func(columns string) Options { return Options{Columns: columns} }
	type file struct {
		o    Options
		want string // the arcs; or where there is none, what the error says
		said string // among remarks
	}
	files := map[string][]file{
		"calc-semicolon.csv": {{want: streets}},
		"calc.csv":           {{want: streets}},
		"calc.ods": {{want: "an OpenDocument spreadsheet (.ods), which is not read; save it as " +
			"CSV, or in Python: "}},
		"calc.xls":  {{want: "an old Excel workbook (.xls), which is not read; save it as CSV"}},
		"count.txt": {{want: streets, said: `line 1, "9", is read as the number of vertices`}},
		"counts-unweighted.txt": {{want: unit,
			said: `line 1, "9 20", is read as the numbers of vertices and edges; --columns from=1,to=2 reads it as an arc`}},
		"counts.txt": {{want: streets,
			said: `line 1, "9 20", is read as the numbers of vertices and edges`}},
		"dimacs.gr":                  {{want: one}},
		"excel-comma.csv":            {{want: comma}},
		"excel-unicode.txt":          {{want: "iconv -f UTF-16 -t UTF-8 FILE"}},
		"excel.csv":                  {{want: streets}},
		"igraph.dimacs":              {{want: `a problem of type "max", not of type sp`}},
		"igraph.dot":                 {{want: "it is DOT (Graphviz), " + python}},
		"igraph.edgelist":            {{want: unit}},
		"igraph.gml":                 {{want: "nx.parse_gml("}},
		"igraph.graphml":             {{want: "it is GraphML, " + python}},
		"igraph.leda":                {{want: "it is LEDA, " + python}},
		"igraph.lgl":                 {{want: "it is LGL, which is not read; "}},
		"igraph.ncol":                {{want: streets}},
		"igraph.pajek":               {{want: "it is Pajek, which is not read; in the shell: awk "}},
		"networkx-comma.edgelist":    {{want: streets}},
		"networkx-multiline.adjlist": {{want: "nx.read_multiline_adjlist("}},
		"networkx-nodata.edgelist":   {{want: unit}},
		"networkx-undirected.edgelist": {{want: arcsText(streetEdges, 0, false),
			said: "--undirected makes every arc an edge both ways. No arc here has its reverse"},
			{o: Options{Directed: new(false)}, want: arcsText(bothWays(streetEdges), 0, false)}},
		"networkx-weighted.edgelist": {{want: streets}},
		"networkx.adjlist":           {{want: "nx.read_adjlist("}},
		"networkx.dot":               {{want: "it is DOT (Graphviz), " + python}},
		"networkx.edgelist":          {{want: streets}, {o: pick("from=1,to=2"), want: unit}},
		"networkx.gexf":              {{want: "it is GEXF, " + python}},
		"networkx.gml":               {{want: "nx.parse_gml("}},
		"networkx.graphml":           {{want: "it is GraphML, " + python}},
		"networkx.json":              {{want: "it is JSON, " + python}},
		"networkx.net":               {{want: "it is Pajek, which is not read; in the shell: awk "}},
		"networkx.pickle":            {{want: "pd.read_pickle("}},
		"numpy.npz":                  {{want: `no sparse matrix, but "D"; where one is a matrix, in Python: import numpy; numpy.save("NEW.npy", numpy.load("FILE")["NAME"])`}},
		"osmnx.csv":                  {{want: streets}},
		"osmnx.graphml":              {{want: "it is GraphML, " + python}},
		"out.konect":                 {{want: streets}},
		"out.konect-bip":             {{want: "are two vertices; give them two names"}},
		"out.konect-sym": {{want: arcsText(bothWays(streetEdges), 0, false),
			said: `undirected, as line 1 says: "% sym weighted"; --directed`}},
		"out.konect-time": {{want: unit, said: "columns not used: 4, the time of each arc"},
			{o: pick("from=1,to=2,weight=3"), want: unit}},
		"pandas-comma.csv": {{want: comma}},
		"pandas-vw.csv":    {{want: streets}},
		"pandas.csv":       {{want: streets}},
		"pandas.feather":   {{want: "pd.read_feather("}},
		"pandas.parquet":   {{want: "pd.read_parquet("}},
		"pandas.pickle":    {{want: "pd.read_pickle("}},
		"pandas.xlsx":      {{want: "an Excel workbook (.xlsx), which is not read; save it as CSV"}},
		"qgis-oneway.csv": {{want: "--columns from=fromnode,to=tonode,weight=length_m"},
			{o: pick("from=fromnode,to=tonode,weight=length_m"), want: `column "oneway" seems to say`},
			{o: Options{Columns: "from=fromnode,to=tonode,weight=length_m", Directed: new(true)}, want: streets}},
		"qgis.csv": {{want: "--columns from=fromnode,to=tonode,weight=length_m"},
			{o: pick("from=fromnode,to=tonode,weight=length_m"), want: streets}},
		"qgis.geojson":     {{want: "it is GeoJSON, " + python}},
		"qgis.shp":         {{want: "gpd.read_file("}},
		"r-igraph.graphml": {{want: "it is GraphML, " + python}},
		"r-igraph.ncol":    {{want: streets}},
		"r-igraph.txt":     {{want: unit}},
		"r-norow.csv":      {{want: streets}},
		"r-norow.txt":      {{want: streets}},
		"r-plain.txt":      {{want: streets}},
		"r.RData":          {{want: "a file of R (.RData), which is not read; in R"}},
		"r.csv":            {{want: streets}},
		"r.rds":            {{want: "in R: d <- readRDS("}},
		"r.txt": {{want: "--columns from=2,to=3,weight=4"},
			{o: pick("from=2,to=3,weight=4"), want: streets}},
		"r2.csv":        {{want: comma}},
		"scipy-bsr.npz": {{want: "in BSR format, " + python}},
		"scipy-coo.npz": {{want: streets}},
		"scipy-csc.npz": {{want: streets}},
		"scipy-csr.npz": {{want: streets}},
		"scipy.mat":     {{want: "a file of MATLAB, " + python}},
		"scipy.mtx":     {{want: one}},
		"snap-undirected.txt": {{want: arcsText(bothWays(streetEdges), 0, true), said: "undirected, as line 1 says"},
			{o: Options{Directed: new(true)}, want: arcsText(streetEdges, 0, true)}},
		"snap.txt":    {{want: unit}},
		"streets.csv": {{want: streets}},
	}
	there, err := os.ReadDir("testdata/programs")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		if name := f.Name(); files[name] == nil && !strings.HasPrefix(name, "make.") && name != ".gitattributes" {
			t.Errorf("nothing says what to do with %s", name)
		}
	}
	for name, cases := range files {
		raw, err := os.ReadFile(filepath.Join("testdata/programs", name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, c := range cases {
			g, err := readBoth(t, name, string(raw), c.o)
			switch {
			case err != nil && !strings.Contains(c.want, ">"):
				graphtest.WantError(t, err, graph.ErrBadInput, name, c.want)
			case err != nil:
				t.Error(err)
			case graphtest.ArcsOf(g) != c.want:
				t.Errorf("%s, %+v: %s\nwant %s", name, c.o, graphtest.ArcsOf(g), c.want)
			case c.said != "" && !strings.Contains(remarks(t, name, string(raw), c.o), c.said):
				t.Errorf("%s: said was %q, not %q", name, remarks(t, name, string(raw), c.o), c.said)
			}
		}
	}
}
