package graph

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestGenerateIsFixed pins the text of a seed: stores and benchmarks name graphs by it.
func TestGenerateIsFixed(t *testing.T) {
	o := GenerateOptions{N: 1000, M: 5000, Seed: 42}
	for name, want := range map[string]string{
		"x.gr":  "e3eaba3d0b9182d4213f0ee988c00dc7e1a9aa768372772b5c93792cfbf3548a",
		"x.csv": "8766f7eebb4141e6383e522ac38aba2eefc2e0b525f8af6b8af96a46be948914",
	} {
		var text bytes.Buffer
		if err := GenerateTo(context.Background(), "random", o, name, &text); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text.Bytes())
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s has SHA-256 %s, not %s; it starts\n%s", name, got, want, text.Bytes()[:100])
		}
	}
}

func TestGenerateIsRead(t *testing.T) {
	dir := t.TempDir()
	var first *Graph
	for _, name := range []string{"x.gr", "x.gr.gz", "x.gr.zst", "x.csv", "x.txt.GZ", "x.tsv"} {
		path := filepath.Join(dir, name)
		if err := Generate(context.Background(), "random", GenerateOptions{N: 50, M: 2000, Seed: 7}, path); err != nil {
			t.Fatal(err)
		}
		g, source, err := ReadFile(path, Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		if g.N != 50 || g.Arcs()+g.Parallel != 2000 || g.SelfLoops != 0 || g.MinWeight < 1 || g.MaxWeight > 1000 {
			t.Errorf("%s: %d vertices, %d+%d arcs, weights %v…%v", name, g.N, g.Arcs(), g.Parallel, g.MinWeight, g.MaxWeight)
		}
		if wantFormat := map[bool]string{true: "dimacs", false: "edgelist"}[g.IDs.Base == 1]; source.Format != wantFormat {
			t.Errorf("%s is of format %s", name, source.Format)
		}
		g.IDs = IDs{} // .gr counts from 1, lists from 0
		if first == nil {
			first = g
		}
		sameGraph(t, g, first)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestGenerateSeedsDiffer(t *testing.T) {
	var a, b bytes.Buffer
	for seed, w := range []*bytes.Buffer{&a, &b} {
		if err := GenerateTo(context.Background(), "random", GenerateOptions{N: 10, M: 10, Seed: uint64(seed)}, "x.csv", w); err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two seeds gave one graph")
	}
}

func TestGenerateErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.gr")
	for what, c := range map[string]struct {
		kind, path string
		o          GenerateOptions
	}{
		"kind":             {"lattice", path, GenerateOptions{N: 2}},
		"no vertices":      {"random", path, GenerateOptions{}},
		"too many":         {"random", path, GenerateOptions{N: MaxVertices + 1}},
		"negative":         {"random", path, GenerateOptions{N: 2, M: -1}},
		"one with arcs":    {"random", path, GenerateOptions{N: 1, M: 1}},
		"format":           {"random", path + ".xyz", GenerateOptions{N: 2}},
		"compression only": {"random", filepath.Dir(path) + "/x.gz", GenerateOptions{N: 2}},
	} {
		if err := Generate(context.Background(), c.kind, c.o, c.path); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestGenerateKeepsFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.gr")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := GenerateOptions{N: 2, M: 1}
	if err := Generate(context.Background(), "random", o, path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	o.Overwrite, o.M = true, 1<<20
	if err := Generate(stopped, "random", o, path); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "precious" {
		t.Errorf("the file holds %.20q, %v", text, err)
	}
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	if err := Generate(context.Background(), "random", o, path); err != nil {
		t.Error(err)
	}
}

// failing accepts some bytes and then is full.
type failing struct{ room int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	f.room -= len(p)
	if f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestGenerateToAFullDisk(t *testing.T) {
	for _, name := range []string{"x.gr", "x.gr.gz", "x.gr.zst"} {
		err := GenerateTo(context.Background(), "random", GenerateOptions{N: 1000, M: 1 << 19}, name, &failing{room: 1 << 20})
		if !errors.Is(err, errFull) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestDice(t *testing.T) {
	d := newDice(1)
	const n, draws = 7, 70000
	var counts [n]int
	for range draws {
		counts[d.below(n)]++
	}
	for x, count := range counts {
		if count < draws/n*9/10 || count > draws/n*11/10 { // 11 standard deviations; the seed is fixed
			t.Errorf("%d was drawn %d times of %d", x, count, draws)
		}
	}
	if d.below(1) != 0 {
		t.Error("the only number was not drawn")
	}
}
