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
