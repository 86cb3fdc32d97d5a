package main

import (
	"bytes"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"ooc/tiles/crashtest"
)

// square is one graph in every format that is text: the edges 1–2 of length 5, 2–3 of 0.5, 3–4 of 0 and 4–1 of
// 2, and vertex 5 alone.
var square = map[string]string{
	"gr": "c square\np sp 5 8\na 1 2 5\na 2 1 5\na 2 3 0.5\na 3 2 0.5\na 3 4 0\na 4 3 0\na 4 1 2\na 1 4 2\n",
	"mtx": "%%MatrixMarket matrix coordinate real symmetric\n% square\n5 5 5\n2 1 5\n3 2 0.5\n4 3 0\n4 1 " +
		"2\n5 5 1\n",
	"graph": "% square\n5 4 001\n2 5 4 2\n1 5 3 0.5\n2 0.5 4 0\n3 0 1 2\n\n",
	"csv":   "\xef\xbb\xbffrom,to,weight\r\n\"1\",2,5\r\n2,1,5\r\n2,3,0.5\r\n3,2,0.5\r\n3,4,0\r\n4,3,0\r\n4,1,2\r\n1,4,2\r\n5,5,1\r\n",
	"txt": "# square\n// " +
		"FromNodeId\tToNodeId\n1\t2\t5\n2\t1\t5\n2\t3\t0.5\n3\t2\t0.5\n3\t4\t0\n4\t3\t0\n4\t1\t2\n1\t4\t2\n5\t5\t1\n",
	"array.mtx": "%%MatrixMarket matrix array real symmetric\n5 " +
		"5\n0\n5\ninf\n2\ninf\n0\n0.5\ninf\ninf\n0\n0\ninf\n0\ninf\n0\n",
}

const squareAnswers = "1\t1\t0\n1\t2\t2.5\n1\t3\t2\n1\t4\t2\n1\t5\tunreachable\n"

func pack(t testing.TB, ext, text string) string {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch ext {
	case "":
		return text
	case ".gz":
		w = gzip.NewWriter(&out)
	default:
		z, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestFormats solves one graph from every format, plain and compressed, as a file, by standard input, found
// by its content and forced.
func TestFormats(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	dir := t.TempDir()
	names := map[string]string{"gr": "dimacs", "mtx": "mtx", "graph": "metis", "csv": "edgelist", "txt": "edgelist",
		"array.mtx": "mtx"}
	for ext, text := range square {
		var zeros []string
		if strings.HasSuffix(ext, "mtx") {
			zeros = []string{"--no-arc=inf"} // a tenth of its entries are 0, or more
		}
		for _, packed := range crashtest.Some(r, 1, []string{"", ".gz", ".zst"}) {
			name := "s." + ext + packed
			content := pack(t, packed, text)
			writeFile(t, dir, name, content)
			ooc(t, dir, append([]string{"solve", name, "--out", name + ".ooc"}, zeros...)...).want(t, 0, "("+names[ext]+
				"): 5 vertices, 8 arcs, weights 0…5, f32")
			sameAnswers(t, dir, name+".ooc")
			cmd := command(t, dir, append([]string{"solve", "-", "--out", name + "-in.ooc"}, zeros...)...)
			cmd.Stdin = strings.NewReader(content)
			finish(t, cmd).want(t, 0, "imported standard input ("+names[ext]+"): 5 vertices, 8 arcs")
			sameAnswers(t, dir, name+"-in.ooc")
		}
		writeFile(t, dir, ext+".bin", text)
		ooc(t, dir, append([]string{"solve", ext + ".bin", "--format", names[ext], "--scale", "10"},
			zeros...)...).want(t, 0, "5 vertices, 8 arcs, weights 0…5, i32")
		sameAnswers(t, dir, ext+".bin.ooc")
	}
}

func sameAnswers(t *testing.T, dir, store string) {
	t.Helper()
	if r := ooc(t, dir, "query", store, "--row", "1").want(t, 0); r.stdout != squareAnswers {
		t.Errorf("%s: query printed\n%s", store, r.stdout)
	}
}

// TestDroppedArcsAreCounted reads what no arc comes of, in every format that can say it.
func TestDroppedArcsAreCounted(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"d.gr":    "p sp 2 6\na 1 2 5\na 1 2 3\na 1 2 4\na 1 1 1\na 2 1 inf\na 2 2 0\n",
		"d.mtx":   "%%MatrixMarket matrix coordinate real general\n2 2 6\n1 2 5\n1 2 3\n1 2 4\n1 1 1\n2 1 inf\n2 2 0\n",
		"d.txt":   "1 2 5\n1 2 3\n1 2 4\n1 1 1\n2 1 inf\n2 2 0\n",
		"d.graph": "2 5 1\n1 1 2 3 2 4 2 5 2 inf\n2 0 1 3 1 4 1 5 1 inf\n",
	} {
		writeFile(t, dir, name, text)
		ooc(t, dir, "solve", name, "--out", name+".ooc").want(t, 0, "  2 self-loops dropped\n",
			"  2 parallel arcs merged into the shortest\n", "  1 infinite weight dropped\n")
		ooc(t, dir, "query", name+".ooc", "1", "2").want(t, 0, "1\t2\t3\n")
	}
}

// TestSmallestGraphs solves what has hardly anything in it.
func TestSmallestGraphs(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	const mtx, array = "%%MatrixMarket matrix coordinate integer general\n",
		"%%MatrixMarket matrix array integer general\n"
	for name, c := range map[string]struct{ text, row, answers string }{
		"one.gr":           {"p sp 1 0\n", "1", "1\t1\t0\n"},
		"one.mtx":          {mtx + "1 1 0\n", "1", "1\t1\t0\n"},
		"one-array.mtx":    {array + "1 1\n7\n", "1", "1\t1\t0\n"},
		"one.graph":        {"1 0\n\n", "1", "1\t1\t0\n"},
		"loop.gr":          {"p sp 1 1\na 1 1 5\n", "1", "1\t1\t0\n"},
		"loop.mtx":         {mtx + "1 1 1\n1 1 5\n", "1", "1\t1\t0\n"},
		"loop.txt":         {"7 7 5\n", "7", "7\t7\t0\n"},
		"loop.csv":         {"here,here,5\n", "here", "here\there\t0\n"},
		"none.gr":          {"p sp 3 0\n", "2", "2\t1\tunreachable\n2\t2\t0\n2\t3\tunreachable\n"},
		"none.mtx":         {mtx + "2 2 0\n", "1", "1\t1\t0\n1\t2\tunreachable\n"},
		"none.graph":       {"2 0\n\n\n", "1", "1\t1\t0\n1\t2\tunreachable\n"},
		"none.txt":         {"1 2 inf\n", "1", "1\t1\t0\n1\t2\tunreachable\n"},
		"disconnected.txt": {"1 2 3\n3 4 5\n", "1", "1\t1\t0\n1\t2\t3\n1\t3\tunreachable\n1\t4\tunreachable\n"},
		"zeros.txt":        {"1 2 0\n2 1 0.0\n2 3 -0.0\n", "1", "1\t1\t0\n1\t2\t0\n1\t3\t0\n"},
		"zeros-f32.txt":    {"1 2 0\n2 1 0.5\n2 3 -0.0\n", "1", "1\t1\t0\n1\t2\t0\n1\t3\t0\n"},
	} {
		writeFile(t, dir, name, c.text)
		ooc(t, dir, "solve", name, "--out", name+".ooc").want(t, 0, "solved "+name+".ooc")
		if r := ooc(t, dir, "query", name+".ooc", "--row", c.row).want(t, 0); r.stdout != c.answers {
			t.Errorf("%s: query printed\n%s", name, r.stdout)
		}
		ooc(t, dir, "verify", name+".ooc").want(t, 0)
	}
}

// TestBadInputCodes has the command refuse what package graph's tests refuse in every variety: one of each kind.
func TestBadInputCodes(t *testing.T) {
	dir := t.TempDir()
	const mtx = "%%MatrixMarket matrix coordinate real general\n"
	whole := pack(t, ".gz", square["gr"])
	for name, c := range map[string]struct {
		text, reason string
		code         int
	}{
		"nan.gr":      {"p sp 2 1\na 1 2 nan\n", `nan.gr:2: weight "nan": weights are finite`, 3},
		"inf.mtx":     {mtx + "2 2 1\n1 2 -inf\n", `inf.mtx:3: weight "-inf": weights are finite`, 3},
		"missing.txt": {"1 2 3\r\n1 2\r\n", "missing.txt:2: the weight is missing", 3},
		"range.mtx": {mtx + "2 2 1\n1 0 5\n",
			`range.mtx:3: vertex "0" is outside 1…2; if ids start at 0, say --base 0`, 3},
		"range.graph": {"2 1\n1\n0\n", `range.graph:3: vertex "0" is outside 1…2; if ids start at 0, say --base 0`,
			3},
		"short.gr":     {"p sp 2 2\na 1 2 5\n", "short.gr:1: 2 arcs are announced, but the file ends after 1", 3},
		"long.mtx":     {mtx + "2 2 0\n1 2 5\n", "long.mtx:3: line 2 announces 0 entries", 3},
		"count.graph":  {"2 7\n2\n1\n", "count.graph:1: 7 edges are announced", 3},
		"oneway.graph": {"% c\n3 1\n\n1\n1\n", "oneway.graph:4: vertex 2 lists 1", 3},
		"complex.mtx": {"%%MatrixMarket matrix coordinate complex general\n1 1 0\n",
			"complex.mtx:1: a complex matrix", 3},
		"nothing.txt": {"# nothing\n", "no vertices", 3},
		"zero.gr":     {"p sp 0 0\n", "zero.gr:1: the graph has no vertices", 3},
		"digits.txt":  {"1 2 " + strings.Repeat("9", 100000) + "\n", "digits.txt:1: weight \"9999999999", 3},
		"fraction.txt": {"1 2 0.12345\n", `fraction.txt:1: weight "0.12345" times the scale 1000 is not an integer`,
			3},
		"cut.gr.gz":      {whole[:len(whole)-12], "cut.gr.gz:", 3},
		"damaged.gr.gz":  {whole[:40] + "\x00\xff\x00\xff" + whole[44:], "damaged.gr.gz:", 3},
		"garbage.gr.zst": {"\x28\xb5\x2f\xfd" + strings.Repeat("garbage", 100), "garbage.gr.zst: cannot be read", 3},
		"binary.bin":     {"\x7fELF\x02\x01\x01\x00\x00\x00", "binary.bin: it is binary data, which is not read", 3},
		"loop.txt":       {"1 2 3\n2 2 -1\n", "loop.txt:2: negative cycle of length -1: 2 → 2", 4},
		"cycle.mtx":      {mtx + "2 2 2\n1 2 3\n2 1 -3.5\n", "negative cycle of length -0.5: 1 → 2 → 1", 4},
		"edge.graph":     {"2 1 1\n2 -1\n1 -1\n", "negative cycle of length -2", 4},
	} {
		writeFile(t, dir, name, c.text)
		args := []string{"solve", name}
		if name == "fraction.txt" {
			args = append(args, "--scale", "1000")
		}
		ooc(t, dir, args...).want(t, c.code, c.reason)
		cmd := command(t, dir, append([]string{"solve", "-", "--out", "in.ooc"}, args[2:]...)...)
		cmd.Stdin = strings.NewReader(c.text)
		if r := finish(t, cmd); filepath.Ext(name) != ".graph" && r.code != c.code { // that is known by its name only
			t.Errorf("%s by standard input: exit code %d: %s", name, r.code, r.stderr)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.ooc")); len(left) != 0 {
		t.Errorf("stores of what was refused: %v", left)
	}
}

// TestHugeHeaders reads three lines that announce ten million vertices: a graph like any other, of which nothing
// but the distances is large.
func TestHugeHeaders(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, flag string }{
		"h.gr":  {"c\np sp 10000000 1\na 1 10000000 3\n", ""},
		"h.mtx": {"%%MatrixMarket matrix coordinate real general\n10000000 10000000 1\n1 10000000 3\n", ""},
		"h.txt": {"# from to weight\n1 2 3\n9 10000000 3\n", "--base=1"},
	} {
		writeFile(t, dir, name, c.text)
		// A GPU's driver takes memory of its own.
		cmd := command(t, dir, append([]string{"solve", name, "--device", "cpu"}, strings.Fields(c.flag)...)...)
		finish(t, cmd).want(t, 5, "no space", "TiB needed")
		// 80 MB of it are where each vertex's arcs begin.
		if most, ok := maxRSS(cmd.ProcessState); ok && most > 200<<20 {
			t.Errorf("%s took %d MiB", name, most>>20)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.ooc")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// endless repeats a text without end.
type endless struct {
	head, text string
	at         int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.head != "" {
		n := copy(p, e.head)
		e.head = e.head[n:]
		return n, nil
	}
	n := 0
	for n < len(p) {
		k := copy(p[n:], e.text[e.at:])
		n, e.at = n+k, (e.at+k)%len(e.text)
	}
	return n, nil
}

// TestBombs feeds compressed input without end: the command ends it, in bounded memory.
func TestBombs(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	dir := t.TempDir()
	zeros, sevens := strings.Repeat("\x00", 1<<16), strings.Repeat("7", 1<<16)
	for what, c := range map[string]struct {
		e      endless
		flags  string
		reason string
	}{
		"zeros": {endless{"", zeros, 0}, "", "binary data"},
		"zeros, forced": {endless{"", zeros, 0}, "--format=mtx",
			"standard input:1: cannot be read: the line is longer than"},
		"one line": {endless{"", sevens, 0}, "", "standard input:1: cannot be read: the line is longer than"},
		"one weight": {endless{"p sp 2 1\na 1 2 ", sevens, 0}, "",
			"standard input:2: cannot be read: the line is longer than"},
		"one list": {endless{"9 9\n", "1 2 3 4 5 6 7 8 ", 0}, "--format=metis",
			"standard input:2: cannot be read: the line is longer than"},
		"too many arcs": {endless{"p sp 9 9\n", "a 1 2 3\n", 0}, "", "standard input:11: line 1 announces 9 arcs"},
		"too many entries": {endless{"%%MatrixMarket matrix coordinate pattern general\n9 9 9\n", "1 2\n", 0}, "",
			"standard input:12: line 2 announces 9"},
		"too many lists": {endless{"9 9\n", "1\n", 0}, "--format=metis",
			"standard input:11: line 1 announces 9 vertices"},
	} {
		for _, packed := range crashtest.Some(r, 1, []string{".gz", ".zst"}) {
			t.Run(what+packed, func(t *testing.T) {
				cmd := command(t, dir, append([]string{"solve", "-", "--out", "bomb.ooc"},
					strings.Fields(c.flags)...)...)
				e := c.e
				r := compressTo(t, cmd, packed, &e)
				r.want(t, 3, c.reason)
				if most, ok := maxRSS(cmd.ProcessState); ok && most > 500<<20 {
					t.Errorf("it took %d MiB", most>>20)
				}
			})
		}
	}
}

// compressTo compresses a stream into a command's standard input until it does not want any more.
func compressTo(t *testing.T, cmd *exec.Cmd, packed string, from io.Reader) result {
	t.Helper()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer pipe.Close()
		if packed == ".gz" {
			w, _ := gzip.NewWriterLevel(pipe, gzip.BestSpeed)
			_, _ = io.Copy(w, from) // it fails when the command has ended
			return
		}
		if w, err := zstd.NewWriter(pipe, zstd.WithEncoderConcurrency(1)); err == nil {
			_, _ = io.Copy(w, from)
		}
	}()
	return finish(t, cmd)
}
