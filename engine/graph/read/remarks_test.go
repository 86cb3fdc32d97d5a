package read

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph/internal/graphtest"
)

// remarks reads a text, and returns what is said of guesses, a line each.
func remarks(t *testing.T, name, text string, o Options) string {
	t.Helper()
	if _, err := readBoth(t, name, text, o); err != nil {
		t.Fatal(err)
	}
	_, src, err := File(graphtest.WriteFile(t, name, []byte(text)), o)
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

// TestSpellingsAreSaid says where texts are among integers, since most of them are integers to the eye, and where a first line
// may be no arc.
func TestSpellingsAreSaid(t *testing.T) {
	const ids, columns = `1 of 3 ids are texts, such as %s, the others integers: each spelling is a vertex of its own`, "is read as an arc; if it only numbers the columns"
	for _, c := range []struct{ text, want string }{
		{"7,8,1\n007,8,2\n", strings.Replace(ids, "%s", `"007"`, 1)},
		{"7,8,1\n7\u00a0,8,2\n", strings.Replace(ids, "%s", `"7\u00a0"`, 1)},
		{"7,8,1\n\ufeff7,8,2\n", strings.Replace(ids, "%s", `"\ufeff7"`, 1)},
		{"7,8,1\nNaN,8,2\n", strings.Replace(ids, "%s", `"NaN"`, 1)},
		{"a,b,1\nb,007,2\n", ""},
		{"7,8,1\n8,9,2\n", ""},
		{"0,1,2\n5,6,3\n", `line 1, "0,1,2", ` + columns},
		{"0,1\n5,6\n", `line 1, "0,1", ` + columns},
		{"0,1,3\n5,6,3\n", ""},
		{"child,parent\n5,6\n", `columns "child", "parent" are taken for from and to; --columns from=A,to=B picks them by name`},
		{"from,to\n5,6\n", ""},
		{"0 1 2\n5 6 3\n", ""},
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
