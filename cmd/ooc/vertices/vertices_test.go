package vertices

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ooc/engine/graph"
)

// TestListsOfPandas reads tables whose first column, without a name, numbers the lines with what are ids too.
func TestListsOfPandas(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list.csv")
	of := Of{IDs: graph.IDs{Base: 0}, N: 9, Name: "x.ooc"}
	for flag, column := range map[string]string{"rows": "row", "cols": "column", "source": "source",
		"sources": "source"} {
		for _, name := range []string{column, "id", "node"} {
			if err := os.WriteFile(file, []byte(","+name+"\n0,5\n1,3\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := of.Selection(flag, "@"+file); err != nil || !slices.Equal(got, []int{5, 3}) {
				t.Errorf("--%s, column %s: %v, %v", flag, name, got, err)
			}
		}
		if err := os.WriteFile(file, []byte(",other\n0,5\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := of.Selection(flag, "@"+file); err == nil {
			t.Errorf("--%s: a column of an unknown name gives %v", flag, got)
		}
	}
}
