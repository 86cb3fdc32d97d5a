package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/tiles/crashtest"
)

// zeroMatrix is a random matrix with many arcs of weight 0, both ways among them, and with gaps.
func zeroMatrix(r *rand.Rand, n int) []byte {
	return matrix(n, func(u, v int) int32 {
		if r.IntN(n) > 6 {
			return -1
		}
		return r.Int32N(2) * r.Int32N(10)
	})
}

// TestMatrixPredecessors solves a matrix with predecessors, and asks for paths.
func TestMatrixPredecessors(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "D.npy", string(four))
	ooc(t, dir, "solve", "D.npy", "--no-arc", "-1", "--predecessors").want(t, 0, "solved D.ooc: rounds")
	ooc(t, dir, "solve", "D.npy", "--no-arc", "-1").want(t, 0, "already solved")
	ooc(t, dir, "status", "D.ooc").want(t, 0, "distances with predecessors", "solved")
	if r := ooc(t, dir, "query", "D.ooc", "--row", "0").want(t, 0); r.stdout != fourAnswers {
		t.Errorf("query printed\n%s", r.stdout)
	}
	if r := ooc(t, dir, "path", "D.ooc", "0", "2").want(t, 0); r.stdout != "0\t2\t7\t2\n\t0\t1\t4\n\t1\t2\t3\n" {
		t.Errorf("path printed\n%s", r.stdout)
	}
	ooc(t, dir, "path", "D.ooc", "0", "3").want(t, 0, "0\t3\tunreachable")
	ooc(t, dir, "path", "D.ooc", "1", "1").want(t, 0, "1\t1\t0\t0")
	ooc(t, dir, "verify", "D.ooc").want(t, 0, "the predecessors of 4 rows lead back")
	ooc(t, dir, "scrub", "D.ooc").want(t, 0)
	ooc(t, dir, "stats", "D.ooc").want(t, 0)
	ooc(t, dir, "plan", "D.ooc").want(t, 0, "4 vertices")
	ooc(t, dir, "plan", "D.npy", "--no-arc", "-1", "--predecessors").want(t, 0, "32 KiB each")
	if b := readFile(t, dir, "D.ooc", "dist.npy"); len(b) != 4096+64*64*8 {
		t.Errorf("dist.npy has %d bytes", len(b))
	}
	ooc(t, dir, "solve", "D.ooc", "--restart").want(t, 0, "solved D.ooc: rounds")
	ooc(t, dir, "path", "D.ooc", "0", "2").want(t, 0, "0\t2\t7\t2")

	ooc(t, dir, "solve", "D.npy", "--no-arc", "-1", "--out", "plain.ooc").want(t, 0)
	ooc(t, dir, "path", "plain.ooc", "0", "2").want(t, 3, "--predecessors")
	ooc(t, dir, "export", "plain.ooc", "x.npy", "--predecessors").want(t, 3,
		"solve the matrix again with --predecessors")
	ooc(t, dir, "solve", "D.npy", "--no-arc", "-1", "--out", "plain.ooc", "--predecessors").want(t, 3,
		"made with no --predecessors", "--restart")
	ooc(t, dir, "solve", "D.npy", "--no-arc", "-1", "--out", "plain.ooc", "--predecessors", "--restart").want(t, 0)
	ooc(t, dir, "path", "plain.ooc", "0", "2").want(t, 0, "0\t2\t7\t2")
}

// TestPredecessorRefusals names what cannot go with predecessors.
func TestPredecessorRefusals(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.txt", "0 1 2\n1 2 3\n2 0 1\n")
	ooc(t, dir, "solve", "g.txt", "--predecessors", "--algorithm", "squaring").want(t, 2, "keeps no predecessors",
		"ooc path")
	ooc(t, dir, "solve", "g.txt", "--predecessors", "--sources", "1").want(t, 2, "predecessors", "every row")
	if _, err := os.Stat(filepath.Join(dir, "g.ooc")); !os.IsNotExist(err) {
		t.Errorf("a store of what was refused: %v", err)
	}
	ooc(t, dir, "solve", "g.txt", "--predecessors").want(t, 0, "rows by eliminate")
	ooc(t, dir, "solve", "g.ooc", "--restart", "--algorithm", "squaring").want(t, 2, "keeps no predecessors")
	ooc(t, dir, "verify", "g.ooc", "--full").want(t, 0, "the predecessors of each row lead back")
	ooc(t, dir, "path", "g.ooc", "0", "2").want(t, 0, "0\t2\t5\t2")
	ooc(t, dir, "plan", "g.ooc", "--predecessors").want(t, 2)
}

// TestTreesAreSciPys has SciPy and networkx rebuild the shortest paths of matrices full of cycles of length 0.
func TestTreesAreSciPys(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "scipy")
	r := seeded(t)
	_, program, ok := strings.Cut(string(readFile(t, "../../docs", "format.md")), "\ndef path(")
	program, _, ok2 := strings.Cut(program, "```")
	if !ok || !ok2 {
		t.Fatal("docs/format.md has no such program")
	}
	for i, kind := range [][]string{{"i32", "f32"}, {"f64"}} {
		dir, n := t.TempDir(), 100+r.IntN(200)
		writeFile(t, dir, "path.py", "def path("+program)
		writeFile(t, dir, "m.npy", string(zeroMatrix(r, n)))
		args := []string{"solve", "m.npy", "--no-arc", "-1", "--predecessors", "--tile", fmt.Sprint(64 << i), "--kind",
			kind[r.IntN(len(kind))]}
		ooc(t, dir, args...).want(t, 0)
		ooc(t, dir, "export", "m.ooc", "d.npy").want(t, 0)
		ooc(t, dir, "export", "m.ooc", "p.npy", "--predecessors").want(t, 0, "wrote p.npy")
		if out := scipy(t, dir, "trees.py", "m.npy", "d.npy", "p.npy", "m.ooc", "path.py"); !strings.Contains(out,
			fmt.Sprintf("%d trees", n)) {
			t.Error(out)
		}
	}
}

// sameExport compares the distances of a store with those of whole.ooc; predecessors may differ.
func sameExport(t *testing.T, dir, store string) {
	t.Helper()
	ooc(t, dir, "export", store, "killed.npy", "--overwrite").want(t, 0)
	ooc(t, dir, "export", "whole.ooc", "whole.npy", "--overwrite").want(t, 0)
	if !bytes.Equal(readFile(t, dir, "killed.npy"), readFile(t, dir, "whole.npy")) {
		t.Fatalf("the distances of %s differ", store)
	}
}
