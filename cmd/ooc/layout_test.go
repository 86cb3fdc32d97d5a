package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// TestLayout solves an undirected graph, and a directed one whose arcs all have their equal reverse: one half of the
// matrix is kept, unless all of it is asked for, and answers are the same.
func TestLayout(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "both.csv", "from,to,length\na,b,3\nb,a,3\nb,c,4\nc,b,4\n")
	ooc(t, dir, "gen", "random", "-n", "200", "--undirected", "g.csv").want(t, 0)
	ooc(t, dir, "plan", "both.csv").want(t, 0, "the upper half of them")
	if r := ooc(t, dir, "solve", "both.csv"); r.code != 0 ||
		!bytes.Contains([]byte(r.stderr),
			[]byte("directed, each arc with its equal reverse: one half of the matrix is kept")) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	ooc(t, dir, "query", "both.ooc", "c", "a").want(t, 0, "c\ta\t7")
	ooc(t, dir, "path", "both.ooc", "c", "a").want(t, 0, "c\ta\t7")
	for _, algorithm := range []string{"blocked", "eliminate"} {
		var exports [][]byte
		for _, layout := range []string{"upper", "square"} {
			store := algorithm + layout + ".ooc"
			ooc(t, dir, "solve", "g.csv", "--undirected", "--algorithm", algorithm, "--layout", layout, "--tile", "64",
				"--out", store).want(t, 0)
			if held := readFile(t, filepath.Join(dir, store, "dist.npy")); len(held) != 4096+map[string]int{"upper": 10,
				"square": 16}[layout]*64*64*4 {
				t.Errorf("%s: %d bytes", store, len(held))
			}
			for _, command := range [][]string{{"verify"}, {"verify", "--full"}, {"scrub"}, {"stats"}, {"status"}} {
				ooc(t, dir, append(command, store)...).want(t, 0)
			}
			for _, file := range []string{"d.npy", "d.csv", "d.mtx"} {
				ooc(t, dir, "export", store, file, "--overwrite").want(t, 0)
				exports = append(exports, readFile(t, filepath.Join(dir, file)))
			}
			ooc(t, dir, "export", store, "p.npy", "--predecessors", "--overwrite").want(t, 0)
			exports = append(exports, readFile(t, filepath.Join(dir, "p.npy")))
		}
		for i := range len(exports) / 2 {
			if !bytes.Equal(exports[i], exports[i+len(exports)/2]) {
				t.Errorf("%s: export %d of one half is not that of all", algorithm, i)
			}
		}
	}
	ooc(t, dir, "status", "blockedupper.ooc").want(t, 0, "4×4 tiles of 64×64, the upper half of them")
	ooc(t, dir, "solve", "g.csv", "--undirected", "--layout", "square", "--out", "blockedupper.ooc").want(t,
		class.Input, "--layout upper")
	ooc(t, dir, "solve", "g.csv", "--undirected", "--out", "blockedupper.ooc").want(t, 0)
}

// TestLayoutRefused asks for one half of what is not symmetric, and of what is kept in no halves.
func TestLayoutRefused(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", "from,to,length\n1,2,3\n2,1,4\n2,3,4\n")
	for _, flags := range [][]string{
		{},
		{"--undirected", "--sources", "1"},
		{"--undirected", "--predecessors"},
		{"--undirected", "--algorithm", "squaring"},
		{"--undirected", "--algorithm", "single-stage"},
	} {
		ooc(t, dir, append([]string{"solve", "g.csv", "--layout", "upper"}, flags...)...).want(t, class.Usage,
			"layout upper")
	}
	ooc(t, dir, "solve", "g.csv", "--layout", "lower").want(t, class.Usage, "upper")
	if left, _ := filepath.Glob(filepath.Join(dir, "*.ooc")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	ooc(t, dir, "solve", "g.csv", "--undirected", "--algorithm", "squaring").want(t, 0)
	ooc(t, dir, "solve", "g.ooc", "--algorithm", "single-stage", "--restart").want(t, 0)
	ooc(t, dir, "solve", "g.ooc", "--restart", "--layout", "upper").want(t, class.Input,
		"g.ooc was made with --layout square, and this asks for --layout upper; it stays as it is: solve its graph, ",
		"g.csv, into another store with --out, or over this one with --restart")
}
