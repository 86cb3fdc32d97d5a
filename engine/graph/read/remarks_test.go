package read

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph/internal/graphtest"
	"ooc/kernels/entry"
)

// remarks reads a text, and returns what is said of guesses, a line each.
func remarks(t *testing.T, name, text string, o Options) string {
	t.Helper()
	if _, err := readBoth(t, name, text, o); err != nil {
		t.Fatal(err)
	}
	_, src, err := readFile(graphtest.WriteFile(t, name, []byte(text)), o)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(src.Remarks, "\n")
}

// TestDirectionIsSaid says that an input is taken for directed, where neither it nor the user has said so.
func TestDirectionIsSaid(t *testing.T) {
	const said, alone = "directed by default; --undirected", "No arc here has its reverse"
	for _, c := range []struct {
		name, text string
		o          Options
		want       []string // of said and alone
	}{
		{"x.txt", "0 1 5\n1 2 6\n0 2 1\n", Options{}, []string{said, alone}},
		{"x.txt", "0 1 5\n2 0 6\n2 1 3\n0 2 1\n", Options{}, []string{said}},
		{"x.gr", "p sp 3 2\na 1 2 5\na 2 3 5\n", Options{}, []string{said, alone}},
		{"x.mtx", banner + "coordinate integer general\n2 2 1\n1 2 3\n", Options{}, []string{said, alone}},
		{"x.mtx", banner + "coordinate integer symmetric\n2 2 1\n2 1 3\n", Options{}, nil},
		{"x.mtx", banner + "array integer general\n2 2\n0\n4\n1\n0\n", Options{}, nil},
		{"x.graph", "2 1\n2\n1\n", Options{}, nil},
		{"x.txt", "0 1 5\n", Options{Directed: new(true)}, nil},
		{"x.txt", "0 1 5\n", Options{Directed: new(false)}, nil},
		{"x.gr", "p sp 3 2\na 1 2 5\na 2 3 5\n", Options{Directed: new(true)}, nil},
		{"x.gr", "p sp 3 2\na 1 2 5\na 2 3 5\n", Options{Directed: new(false)}, nil},
		{"x.txt", "0 0 5\n", Options{}, nil},
	} {
		got := remarks(t, c.name, c.text, c.o)
		for _, s := range []string{said, alone} {
			if strings.Contains(got, s) != slices.Contains(c.want, s) {
				t.Errorf("%s %q: %q, want %q", filepath.Base(c.name), c.text, got, c.want)
			}
		}
	}
}

// TestCountsAreSaid says what a first line was taken for that may hold no arc.
func TestCountsAreSaid(t *testing.T) {
	const two, one = `line 1, "2 4", is read as the numbers of vertices and edges; --columns from=1,to=2 reads it as an arc`, "is read as the number of "
	for _, c := range []struct{ text, want string }{
		{"2 4\n1 2\n2 1\n1 1\n2 2\n", two},
		{"2 4\n1 2\n2 1\n", `line 1, "2 4", is read as an arc, though no other line has vertex 4`},
		{"2 4 \n1 2 5\n2 1 6\n1 2 5\n2 1 6\n", `line 1, "2 4", is read as the numbers of vertices and edges`},
		{"3 3\n1 2 3\n2 3 1\n3 1 2\n", `line 1, "3 3", is read as the numbers of vertices and edges`}, // not METIS
		{"3 2\n0 1 1\n1 2 1\n", `line 1, "3 2", is read as the numbers of vertices and edges`},
		{"3\n0 1\n1 2\n", one + "vertices"},
		{"3\n0 1\n1 0\n0 0\n", one + "edges"},
		{"2\n7 8\n8 9\n", one + "edges"},
		{"5 4\n1 2\n2 3\n3 4\n", ""},
		{"from to\n5 4\n1 2\n2 3\n3 4\n4 5\n", ""},
	} {
		got, _, _ := strings.Cut(remarks(t, "x.txt", c.text, Options{}), "\n")
		if !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "line 1") {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

// TestStoredZerosAreSaid counts entries of 0 in every way in which they are read.
func TestStoredZerosAreSaid(t *testing.T) {
	var text strings.Builder
	text.WriteString(banner + "coordinate real general\n99 99 70\n1 2 0\n2 1 0.0\n3 1 -0e0 \n3 3 0\n")
	for v := 4; v < 70; v++ {
		fmt.Fprintf(&text, "1 %d %d\n", v, v)
	}
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} {
		if got := remarks(t, "x.mtx", text.String(),
			Options{Kind: kind, Directed: new(true)}); got != "3 of the stored entries are 0 and are arcs of length "+
			"0, as in scipy.sparse.csgraph; --no-arc 0 leaves them out" {
			t.Errorf("%s: %q", kind, got)
		}
		if got := remarks(t, "x.mtx", text.String(), Options{Kind: kind, Directed: new(true), NoArc: "0"}); got != "" {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

// TestSpellingsAreSaid says where texts are among integers, since most of them are integers to the eye, and where a
// first line may be no arc.
func TestSpellingsAreSaid(t *testing.T) {
	const ids, columns = `1 of 3 ids are texts, such as %s, the others integers: each spelling is a vertex of its own`,
		"is read as an arc; if it only numbers the columns"
	for _, c := range []struct{ text, want string }{
		{"7,8,1\n007,8,2\n", strings.Replace(ids, "%s", `"007"`, 1)},
		{"7,8,1\n\"NaN\",8,2\n", strings.Replace(ids, "%s", `"NaN"`, 1)},
		{"a,b,1\nb,007,2\n", ""},
		{"7,8,1\n8,9,2\n", ""},
		{"caf\u00e9,b,1\ncafe\u0301,c,2\nb,c,3\n",
			`"caf\u00e9" and "cafe\u0301" are vertices of their own, though they differ only in their form of Unicode; to make`},
		{"e\u0323\u0302,b,1\ne\u0302\u0323,c,2\nx\u0323\u0302,x\u0302\u0323,3\n",
			`"e\u0323\u0302" and "e\u0302\u0323", and 1 more such ids, are vertices`},
		{"cafe\u0301,b,1\n", ""},
		{"0,1,2\n5,6,3\n", `line 1, "0,1,2", ` + columns},
		{"0,1\n5,6\n", `line 1, "0,1", ` + columns},
		{"0,1,3\n5,6,3\n", ""},
		{"child,parent\n5,6\n", `columns "child", "parent" are taken for from and to; --columns from=A,to=B picks them by name`},
		{"from,to\n5,6\n", ""},
		{"0 1 2\n5 6 3\n", ""},
		{"a,b,1\n#a,c,2\nb,#c,2\n\t#d,c,7\n",
			`line 2, "#a,c,2", and 1 more like it, are comments; an id that begins with # stands in double quotes`},
		{"from,to,weight\n#a,c,2\nb,c,2\n", `line 2, "#a,c,2", is a comment; an id`},
		{"from to\n#a c\n1 2\n", `line 2, "#a c", is a comment; an id`},
		{"#from,to,weight\na,b,1\n# a,c,2\n#\n#a\n\"#a\",b,2\n", ""},
	} {
		got := remarks(t, "x.csv", c.text, Options{Directed: new(true)})
		if got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestTabsAndBlanks reads what is the same arc whatever separates columns.
func TestTabsAndBlanks(t *testing.T) {
	for _, text := range []string{"1\t\t2\t7\n", "1 \t2\t 7\n", "\t1 2\t7\n", "1\t2\t7\tand more\n", "1 2 7\n"} {
		g, err := readBoth(t, "x.txt", "3 4 5\n"+text, Options{Columns: "from=1,to=2,weight=3"})
		if err != nil || g.N != 4 || g.IDs.Name(1) != "2" {
			t.Errorf("%q: %v, %v", text, g, err)
		}
	}
}
