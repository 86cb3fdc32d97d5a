package read

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/graph/internal/input"
)

// readBoth reads text as a file and as a stream, and line by line where the others may read ahead. All must
// agree, to the line of an error.
func readBoth(t *testing.T, name, text string, o Options) (*graph.Graph, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, _, err := File(path, o)
	stream, errStream := From(strings.NewReader(text), path, o)
	lines, errLines := readCarefully(path, text, o)
	if fmt.Sprint(err) != fmt.Sprint(errStream) || fmt.Sprint(err) != fmt.Sprint(errLines) {
		t.Fatalf("file: %v; stream: %v; line by line: %v", err, errStream, errLines)
	}
	if err != nil {
		return nil, err
	}
	graphtest.SameGraph(t, file, stream)
	graphtest.SameGraph(t, file, lines)
	if err := file.Validate(); err != nil {
		t.Fatal(err)
	}
	return file, nil
}

// readCarefully takes the slow way for every line.
func readCarefully(name, text string, o Options) (*graph.Graph, error) {
	if npy.Detect([]byte(text)) == yes || o.Format == npy.Name { // which has no lines
		return From(strings.NewReader(text), name, o)
	}
	return (&reading{Input: input.New(strings.NewReader(text), name), options: o, careful: true}).collect()
}
