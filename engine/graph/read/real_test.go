package read

import (
	"os"
	"testing"

	"ooc/kernels/entry"
)

func TestRome99(t *testing.T) {
	g, source, err := readFile("../testdata/rome99.gr", Options{Sum: true})
	if err != nil {
		t.Fatal(err)
	}
	// 8,870 lines, of which 11 repeat an arc.
	if g.N != 3353 || g.Arcs() != 8859 || g.Parallel != 11 || g.Kind != entry.KindI32 || !g.Directed {
		t.Errorf("%d vertices, %d arcs, %d merged, kind %s, directed %v", g.N, g.Arcs(), g.Parallel, g.Kind, g.Directed)
	}
	if g.MinWeight != 1 || g.MaxWeight != 12711 || g.Name(0) != "1" || g.Name(3352) != "3353" {
		t.Errorf("weights %v…%v, names %s…%s", g.MinWeight, g.MaxWeight, g.Name(0), g.Name(3352))
	}
	const sum = "cbc914b1d02327c2ea788b6f68a332995feadbdc97c1c7890c5e6272152f099d" // sha256sum
	if source.SHA256 != sum || source.Size != 135634 || source.Format != "dimacs" {
		t.Errorf("source %+v", *source)
	}
	if err := g.Validate(); err != nil {
		t.Error(err)
	}
	if err := g.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCalifornia(t *testing.T) {
	path := os.Getenv("OOC_CAL_CEDGE")
	if path == "" {
		t.Skip("OOC_CAL_CEDGE does not name cal.cedge")
	}
	undirected := false
	g, _, err := readFile(path, Options{Directed: &undirected})
	if err != nil {
		t.Fatal(err)
	}
	if g.N != 21048 || g.Arcs() != 2*21693 || g.Kind != entry.KindF32 || g.Directed || !g.IDs.Consecutive() {
		t.Errorf("%d vertices, %d arcs, kind %s, directed %v", g.N, g.Arcs(), g.Kind, g.Directed)
	}
	if err := g.Validate(); err != nil {
		t.Error(err)
	}
	scaled, _, err := readFile(path, Options{Directed: &undirected, Scale: 1000000})
	if err != nil {
		t.Fatal(err)
	}
	if scaled.Kind != entry.KindI32 || scaled.MinWeight != 502 || scaled.MaxWeight != 299789 {
		t.Errorf("scaled: kind %s, weights %v…%v", scaled.Kind, scaled.MinWeight, scaled.MaxWeight)
	}
	if err := scaled.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
