package read

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
)

// readBoth reads text as a file and as a stream. Both must agree, to the line of an error.
func readBoth(t *testing.T, name, text string, o Options) (*graph.Graph, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, _, err := readFile(path, o)
	stream, errStream := From(strings.NewReader(text), path, o)
	if fmt.Sprint(err) != fmt.Sprint(errStream) {
		t.Fatalf("file: %v; stream: %v", err, errStream)
	}
	if err != nil {
		return nil, err
	}
	graphtest.SameGraph(t, file, stream)
	if err := file.Validate(); err != nil {
		t.Fatal(err)
	}
	return file, nil
}

// readFile is Open with a matrix read into memory.
func readFile(path string, o Options) (*graph.Graph, *graph.Source, error) {
	g, d, src, err := Open(path, o)
	if d != nil {
		g, err = d.Graph()
		err = errors.Join(err, d.Close())
	}
	return g, src, err
}
