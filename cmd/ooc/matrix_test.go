package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"ooc/tiles/crashtest"
)

// matrix is an int32 array of n×n, in C order.
func matrix(n int, at func(u, v int) int32) []byte {
	file := matrixHead(n)
	for u := range n {
		for v := range n {
			x := at(u, v)
			file = append(file, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
		}
	}
	return file
}

func matrixHead(n int) []byte {
	head := fmt.Sprintf("{'descr': '<i4', 'fortran_order': False, 'shape': (%d, %d), }\n", n, n)
	return append(append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8)), head...)
}

func randomMatrix(r *rand.Rand, n int) []byte {
	return matrix(n, func(u, v int) int32 {
		if r.IntN(3) == 0 {
			return -1
		}
		return r.Int32N(10000)
	})
}

// four is 0 → 1 → 2 → 0 and a longer way from 0 to 2; 3 has only an arc away from it. -1 is no arc.
var four = matrix(4, func(u, v int) int32 {
	return [4][4]int32{{0, 4, 9, -1}, {-1, 7, 3, -1}, {0, -1, 0, -1}, {1, -1, -1, 0}}[u][v]
})

// fourAnswers are the distances of four, as query prints them.
const fourAnswers = "0\t0\t0\n0\t1\t4\n0\t2\t7\n0\t3\tunreachable\n"

func TestMatrix(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "D.npy", string(four))
	ooc(t, dir, "solve", "D.npy", "--no-arc", "-1").want(t, 0, "(npy): 4 vertices, 5 arcs, weights 0…9, i32",
		"solved D.ooc")
	ooc(t, dir, "solve", "D.npy").want(t, 0, "already solved")
	ooc(t, dir, "solve", "D.npy", "--no-arc", "-1.0").want(t, 0, "already solved")
	ooc(t, dir, "solve", "D.npy", "--no-arc", "-1.0", "--out", "same.ooc").want(t, 0,
		"4 vertices, 5 arcs, weights 0…9, i32")
	ooc(t, dir, "solve", "D.npy", "--no-arc", "-1", "--restart").want(t, 0, "solved D.ooc: rounds")
	ooc(t, dir, "solve", "D.npy", "--no-arc", "7").want(t, 3, "made with --no-arc -1, and this asks for --no-arc 7")
	if r := ooc(t, dir, "query", "D.ooc", "--row", "0").want(t, 0); r.stdout != fourAnswers {
		t.Errorf("query printed\n%s", r.stdout)
	}
	ooc(t, dir, "status", "D.ooc").want(t, 0, "solved", "(npy, ", "4 vertices, 5 arcs, directed")
	ooc(t, dir, "verify", "D.ooc").want(t, 0, "1 tile checksum matches; 4 of 4 rows (16 distances) agree with Dijkstra")
	ooc(t, dir, "plan", "D.npy", "--no-arc", "-1").want(t, 0, "4 vertices, 5 arcs", "rounds", "time")
	ooc(t, dir, "plan", "D.ooc").want(t, 0, "4 vertices")
	ooc(t, dir, "export", "D.ooc", "out.npy").want(t, 0)
	ooc(t, dir, "solve", "D.npy", "--no-arc", "-1", "--base", "1", "--kind", "f32", "--out", "one.ooc").want(t, 0)
	ooc(t, dir, "query", "one.ooc", "1", "3").want(t, 0, "1\t3\t7\n")
	if b := readFile(t, dir, "D.ooc", "dist.npy"); len(b) != 4096+64*64*4 {
		t.Errorf("dist.npy has %d bytes", len(b))
	}
	if _, err := os.Stat(filepath.Join(dir, "D.ooc", "graph.csr")); !os.IsNotExist(err) {
		t.Errorf("a matrix's store has a graph: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "D.npy")); err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "verify", "D.ooc").want(t, 0, "1 tile checksum matches; no row was compared", "D.npy", "no such file")
	ooc(t, dir, "query", "D.ooc", "0", "2").want(t, 0, "0\t2\t7\n")
	ooc(t, dir, "solve", "D.ooc").want(t, 0, "already solved")
	ooc(t, dir, "solve", "D.ooc", "--restart").want(t, 3, "the input is needed again")
	ooc(t, dir, "solve", "D.ooc").want(t, 0, "already solved") // the refusal has cost nothing
}

// TestMatrixPacked solves matrices that come compressed or by standard input. No copy is left.
func TestMatrixPacked(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	var gz, zst bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write(four)
	w.Close()
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(four)
	z.Close()
	writeFile(t, dir, "D.npy.gz", gz.String())
	writeFile(t, dir, "E.npy.zst", zst.String())
	for _, name := range []string{"D.npy.gz", "E.npy.zst"} {
		store := strings.TrimSuffix(name[:5], ".npy") + ".ooc"
		ooc(t, dir, "solve", name, "--no-arc", "-1").want(t, 0, "solved "+store)
		ooc(t, dir, "solve", name).want(t, 0, "already solved")
		ooc(t, dir, "verify", store).want(t, 0, "4 of 4 rows")
		if r := ooc(t, dir, "query", store, "--row", "0").want(t, 0); r.stdout != fourAnswers {
			t.Errorf("%s: query printed\n%s", name, r.stdout)
		}
	}
	for name, content := range map[string][]byte{"plain": four, "gz": gz.Bytes(), "zst": zst.Bytes()} {
		cmd := command(t, dir, "solve", "-", "--no-arc", "-1", "--out", name+".ooc")
		cmd.Stdin = bytes.NewReader(content)
		finish(t, cmd).want(t, 0, "solved "+name+".ooc")
		if r := ooc(t, dir, "query", name+".ooc", "--row", "0").want(t, 0); r.stdout != fourAnswers {
			t.Errorf("%s: query printed\n%s", name, r.stdout)
		}
		ooc(t, dir, "verify", name+".ooc").want(t, 0, "no row was compared", "standard input")
		ooc(t, dir, "solve", name+".ooc").want(t, 0, "already solved")
		ooc(t, dir, "solve", name+".ooc", "--restart").want(t, 3, "standard input, which is not kept")
	}
	noSpools(t, dir)
}

func noSpools(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".ooc-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v, left behind: %v", err, left)
	}
}

func TestBadMatrixCodes(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "good.npy", string(four))
	writeFile(t, dir, "good.txt", "0 1 2\n")
	writeFile(t, dir, "cut.npy", string(four[:len(four)-1]))
	writeFile(t, dir, "negative.npy", string(matrix(3, func(u, v int) int32 { return int32(u - 2*v) })))
	writeFile(t, dir, "loop.npy", string(matrix(3, func(u, v int) int32 { return int32(2 - u - v) })))
	writeFile(t, dir, "far.npy", string(matrix(3, func(u, v int) int32 { return 1 << 30 })))
	writeFile(t, dir, "huge.npy", string(append(matrixHead(9999999), 0, 0, 0, 0)))
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write(append(matrixHead(9999999), 0, 0, 0, 0))
	w.Close()
	writeFile(t, dir, "huge.npy.gz", gz.String())
	for _, c := range []struct {
		code  int
		text  string
		words string
	}{
		{2, "--no-arc", "solve good.npy --no-arc none"},
		{2, "no value of the matrix's type", "solve good.npy --no-arc 1e12"},
		{3, "it was cut", "solve cut.npy"},
		{3, "does not begin with", "solve --format npy good.txt"},
		{3, "not symmetric", "solve good.npy --undirected --no-arc inf"},
		{3, "--kind f64", "solve far.npy"},
		{3, "it was cut", "solve huge.npy"},
		{3, "1 of the 12 entries off the diagonal are 0: if 0 means no arc, say --no-arc 0", "solve good.npy"},
		{4, "negative cycle of length -4", "solve good.npy --no-arc inf"},
		{4, "negative cycle", "solve loop.npy --no-arc inf"},
		{4, "negative cycle", "solve negative.npy --no-arc inf"},
		{5, "no space", "solve huge.npy.gz"},
	} {
		ooc(t, dir, strings.Fields(c.words)...).want(t, c.code, c.text)
	}
	stores, err := filepath.Glob(filepath.Join(dir, "*.ooc"))
	if err != nil || len(stores) > 0 {
		t.Errorf("%v, stores of what was refused: %v", err, stores)
	}
	noSpools(t, dir)
}

// TestKilledMatrix kills solves before their first restore point, where the next run needs the input again:
// as it was, or it is refused by name.
func TestKilledMatrix(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	dir := t.TempDir()
	n := 700 + r.IntN(300)
	file := randomMatrix(r, n)
	writeFile(t, dir, "m.npy", string(file))
	ooc(t, dir, "solve", "m.npy", "--no-arc", "-1", "--out", "whole.ooc").want(t, 0)
	args := []string{"solve", "m.npy", "--no-arc", "-1", "--tile", "64", "--checkpoint", "1h", "--streams", "1",
		"--device", "cpu"}

	killAtStart(t, dir, args)
	if err := os.Rename(filepath.Join(dir, "m.npy"), filepath.Join(dir, "away.npy")); err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "solve", "m.ooc").want(t, 3, "the input is needed again", "m.npy", "no such file")
	other := bytes.Clone(file)
	other[len(other)-2] ^= 1
	writeFile(t, dir, "m.npy", string(other))
	ooc(t, dir, "solve", "m.ooc").want(t, 3, "the input is needed again", "m.npy is not what it was at the import")
	ooc(t, dir, "solve", "m.npy").want(t, 3, "made from another file")
	ooc(t, dir, "status", "m.ooc").want(t, 0, "new")
	ooc(t, dir, "query", "m.ooc", "0", "1").want(t, 1, "not solved yet")
	// The same content from elsewhere will do, and so will a later copy in the same place.
	ooc(t, dir, "solve", "away.npy", "--out", "m.ooc").want(t, 0, "solved m.ooc")
	sameDistances(t, dir, n)

	for range crashtest.Repeats(1, 6) {
		writeFile(t, dir, "m.npy", string(file))
		killAtStart(t, dir, args)
		ooc(t, dir, "solve", "m.npy").want(t, 0)
		sameDistances(t, dir, n)
	}
	ooc(t, dir, "verify", "m.ooc", "--rows", "20").want(t, 0, "20 of")
}

// killAtStart starts solves and kills each once it has imported its input, until one has nothing of its matrix.
func killAtStart(t *testing.T, dir string, args []string) {
	t.Helper()
	for range 50 {
		if err := os.RemoveAll(filepath.Join(dir, "m.ooc")); err != nil {
			t.Fatal(err)
		}
		cmd := command(t, dir, args...)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if strings.Contains(lines.Text(), "imported") {
				_ = cmd.Process.Kill() // it may have ended
			}
		}
		_ = cmd.Wait() // the status says how it ended
		if r := ooc(t, dir, "status", "m.ooc"); r.code == 0 && strings.Contains(r.stdout, "state     new") {
			return
		}
	}
	t.Fatal("no solve could be killed before its first restore point")
}

func sameDistances(t *testing.T, dir string, n int) {
	t.Helper()
	ooc(t, dir, "export", "m.ooc", "m.out.npy", "--overwrite").want(t, 0)
	ooc(t, dir, "export", "whole.ooc", "whole.out.npy", "--overwrite").want(t, 0)
	if !bytes.Equal(readFile(t, dir, "m.out.npy"), readFile(t, dir, "whole.out.npy")) {
		t.Fatalf("n=%d: the distances differ", n)
	}
}

// TestMatricesEqualSciPy compares matrices of every type, byte order, memory order and version.
func TestMatricesEqualSciPy(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	list := strings.Fields(scipy(t, dir, "matrices.py", "make", fmt.Sprint(seeded(t).Uint32())))
	for i := 0; i+1 < len(list); i += 2 {
		ooc(t, dir, "solve", list[i], "--no-arc", list[i+1]).want(t, 0)
		ooc(t, dir, "verify", strings.TrimSuffix(list[i], ".npy")+".ooc", "--rows", "10").want(t, 0, "agree with")
	}
	scipy(t, dir, "matrices.py", "check")
}
