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

// TestCountsAreSuspected says so where the first line may hold no arc, but the numbers of vertices and edges.
func TestCountsAreSuspected(t *testing.T) {
	const said = "the first line, 5 4, is read as an arc; 4 lines follow it"
	for text, want := range map[string]bool{
		"5 4\n1 2\n2 3\n3 4\n4 5\n": true, "# c\n5,4\n1,2\n2,2\n3,4\n4,5\n": true,
		"5 4\n1 2\n2 3\n3 4\n": false, "from to\n5 4\n1 2\n2 3\n3 4\n4 5\n": false,
	} {
		if got := remarks(t, "x.txt", text, Options{}); strings.Contains(got, said) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
