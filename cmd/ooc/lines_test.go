package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine/text"
	"ooc/tiles/crashtest"
)

// hard is a graph whose ids hold all that separates, quotes and begins comments.
const hard = "from,to,weight\n\"New York\",\"a \"\"b\"\", c\",0.1\n\"a \"\"b\"\", " +
	"c\",\"#x\",0.25\n\"#x\",\"x,y\",1\n\"x,y\",b c,2\nb c,a,1\na,b,1\nb,c,1\nx,y,1\ny c,x,1\n"

func TestQueryReadsWhatItWrote(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", hard)
	ooc(t, dir, "solve", "g.csv", "--undirected").want(t, 0)
	rows := ooc(t, dir, "query", "g.ooc", "--row", "New York").want(t, 0).stdout + ooc(t, dir, "query", "g.ooc",
		"--col", "#x").want(t, 0).stdout
	if strings.Count(rows, "\n") != 2*11 {
		t.Fatalf("two lines of vertices:\n%s", rows)
	}
	for head, separate := range map[string]string{"": "\t", "from\tto\tdistance\n": "\t", "source,target,d\n": ",",
		"u;v;w\n": ";", "\ufeffto from x\n": " "} {
		file, want := head+strings.ReplaceAll(rows, "\t", separate), rows
		if strings.HasPrefix(head, "\ufeffto") { // graphs that are undirected say the same the other way
			want = ""
			for line := range strings.Lines(rows) {
				c, err := text.Split(strings.TrimSpace(line), '\t')
				if err != nil {
					t.Fatal(err)
				}
				want += text.CellOf(c[1].Text) + "\t" + text.CellOf(c[0].Text) + "\t" + c[2].Text + "\n"
			}
		}
		writeFile(t, dir, "pairs", file)
		if got := ooc(t, dir, "query", "g.ooc", "--pairs", "pairs").want(t, 0).stdout; got != want {
			t.Errorf("%q: printed\n%swant\n%s", head, got, want)
		}
		paths := ooc(t, dir, "path", "g.ooc", "--pairs", "pairs").want(t, 0).stdout
		if got := strings.Count("\n"+paths, "\n\"") + strings.Count("\n"+paths, "\na") + strings.Count("\n"+paths,
			"\nb\t") + strings.Count("\n"+paths, "\nc\t") +
			strings.Count("\n"+paths, "\nx\t") + strings.Count("\n"+paths, "\ny\t"); got != 22 {
			t.Errorf("%q: %d paths\n%s", head, got, paths)
		}
	}
}

func TestPairs(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "hard.csv", hard)
	writeFile(t, dir, "towns.csv", small)
	ooc(t, dir, "solve", "hard.csv", "--undirected").want(t, 0)
	ooc(t, dir, "solve", "towns.csv").want(t, 0)
	for _, c := range []struct {
		store, pairs string
		code         int
		want         string
	}{
		{"towns", "# paris nice\nparis nice\n", 0, "paris\tnice\t7\n"},
		{"towns", "paris, nice\nparis\tnice\nparis;nice\n\"paris\" nice 12\n", 0,
			strings.Repeat("paris\tnice\t7\n", 4)},
		{"towns", "from,to\nparis,nice\n", 0, "paris\tnice\t7\n"},
		{"towns", "id,name,from,to\n1,x,paris,nice\n", 0, "paris\tnice\t7\n"},
		{"towns", "Pariss nice\nparis nice\n", 3, `pairs:1: towns.ooc has no vertex "Pariss"`},
		{"towns", "paris nice\nfrom to\n", 3, `pairs:2: towns.ooc has no vertex "from"`},
		{"towns", "paris nice lyon\n", 3, "pairs:1: want two vertices, found 3 words"},
		{"towns", "from,to,x\nparis,nice\n", 3, "pairs:2: want 3 columns, as the header has, found 2"},
		{"towns", "paris \"nice\n", 3, "pairs:1: a quote is not closed"},
		{"towns", "paris,\n", 3, `pairs:1: towns.ooc has no vertex ""`},
		{"hard", "#x New York\n", 3, "no comment"},
		{"hard", "#x,New York\n#x\tx,y\n", 0, "\"#x\"\t\"New York\"\t0.35\n\"#x\"\t\"x,y\"\t1\n"},
		{"hard", "# comment\nNew York,b\n", 3, "it is no comment, since there are ids that begin with #"},
		{"hard", "x,y c\n", 3, "pairs:1: it may mean different vertices: write ids in double quotes"},
		{"hard", "a,\"b c\"\n", 0, "a\t\"b c\"\t1\n"},
		{"hard", "x y\n", 0, "x\ty\t1\n"},
	} {
		writeFile(t, dir, "pairs", c.pairs)
		r := ooc(t, dir, "query", c.store+".ooc", "--pairs", "pairs").want(t, c.code)
		if c.code == 0 && r.stdout != c.want || c.code != 0 && !strings.Contains(r.stderr, c.want) {
			t.Errorf("%q: printed %s%swant %s", c.pairs, r.stdout, r.stderr, c.want)
		}
	}
	for pairs, says := range map[string]string{
		"paris nice 7\nisle nice 8.0\nnice,isle,unreachable\nnice isle inf\n": "",
		// The header says that it is something else.
		"from,to,x\nparis,nice,12\n": "",
		"paris nice 7\nparis lyon 1\nisle nice 1": "pairs: of 2 lines only the two vertices are read, and not the " +
			"number behind them, which is not their distance; the first is paris lyon 1, where the distance is 4\n",
	} {
		writeFile(t, dir, "pairs", pairs)
		for _, words := range [][]string{{"query", "towns.ooc"}, {"path", "towns.ooc", "--json"}} {
			if r := ooc(t, dir, append(words, "--pairs", "pairs")...).want(t, 0); r.stderr != says {
				t.Errorf("%s %q: %q, want %q", words[0], pairs, r.stderr, says)
			}
		}
	}
}

// TestLists gives lists of vertices in every form, for rows, columns and sources.
func TestLists(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", hard)
	ooc(t, dir, "solve", "g.csv", "--undirected").want(t, 0)
	writeFile(t, dir, "lines", "New York\n\na..c\n")
	writeFile(t, dir, "quoted", "\"x,y\", \"New York\"\n")
	writeFile(t, dir, "table.csv", "size,vertex\n1,#x\n2,\"b c\"\n")
	for list, want := range map[string]string{
		`"New York","x,y",#x`: `"New York" "x,y" "#x"`,
		"x,y":                 `"x,y"`,
		"@lines,#x":           `"New York" a b c "#x"`,
		"@quoted":             `"x,y" "New York"`,
		"@table.csv":          `"#x" "b c"`,
		`"a ""b"", c"`:        `"a ""b"", c"`,
	} {
		rows := ooc(t, dir, "export", "g.ooc", "-", "--rows", list, "--cols", "a").want(t, 0).stdout
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(rows), "\n")[1:] {
			c, err := text.Split(line, ',')
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, text.CellOf(c[0].Text))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("--rows %s: %s, want %s", list, got, want)
		}
		columns := strings.TrimPrefix(strings.SplitN(ooc(t, dir, "export", "g.ooc", "-", "--cols", list, "--rows",
			"a").want(t, 0).stdout, "\n", 2)[0], ",")
		if columns != strings.Join(got, ",") {
			t.Errorf("--cols %s: %s, want %s", list, columns, got)
		}
		ooc(t, dir, "sssp", "g.ooc", "--source", list).want(t, 0)
		ooc(t, dir, "solve", "g.csv", "--undirected", "--sources", list, "--out", "some.ooc", "--restart").want(t, 0)
	}
	writeFile(t, dir, "bad", "a\nNew Yorq\n")
	ooc(t, dir, "export", "g.ooc", "-", "--rows", "@bad").want(t, 3, "bad:2: g.ooc has no vertex", "New")
	ooc(t, dir, "export", "g.ooc", "-", "--rows", `"a`).want(t, 2, "a quote is not closed")
	ooc(t, dir, "export", "g.ooc", "-", "--rows", "c..a").want(t, 2, "ends before it starts")
}

// TestExportIDs writes ids of rows and columns, and picks rows and columns by them.
func TestExportIDs(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", hard)
	writeFile(t, dir, "n.csv", "7,-3,1\n-3,900000000000,2\n")
	ooc(t, dir, "solve", "g.csv", "--undirected").want(t, 0)
	ooc(t, dir, "solve", "n.csv", "--undirected").want(t, 0)
	ooc(t, dir, "export", "g.ooc", "d.csv", "--rows", `#x,"New York"`, "--cols", "a,b,c", "--ids", "ids.csv").want(t, 0,
		"wrote d.csv")
	if got, want := string(readFile(t, dir, "ids.csv")),
		"index,row,column\n0,\"#x\",a\n1,\"New York\",b\n2,,c\n"; got != want {
		t.Errorf("ids\n%swant\n%s", got, want)
	}
	if got := ooc(t, dir, "export", "g.ooc", "-", "--rows", "@ids.csv", "--cols", "@ids.csv").want(t,
		0).stdout; got != string(readFile(t, dir, "d.csv")) {
		t.Errorf("by the ids: %s", got)
	}
	ooc(t, dir, "export", "g.ooc", "--ids", "ids.npy").want(t, 0, "wrote ids.npy")
	if got := string(readFile(t, dir, "ids.npy")); !strings.Contains(got,
		"'descr': '<U8', 'fortran_order': False, 'shape': (11,)") || len(got) != 128+11*8*4 {
		t.Errorf("an array of texts: %q", got)
	}
	ooc(t, dir, "export", "n.ooc", "--ids", "numbers.npy").want(t, 0)
	if got := string(readFile(t, dir, "numbers.npy")); !strings.Contains(got, "'<i8'") ||
		got[len(got)-24:len(got)-8] != "\xfd\xff\xff\xff\xff\xff\xff\xff\x07\x00\x00\x00\x00\x00\x00\x00" {
		t.Errorf("an array of numbers: %q", got)
	}
	was := readFile(t, dir, "ids.csv")
	for line, want := range map[string]string{
		"export g.ooc new.npy --ids ids.csv":           "already exists",
		"export g.ooc new.npy --ids new.npy":           "the command itself uses",
		"export g.ooc new.npy --ids g.ooc/ids.csv":     "g.ooc",
		"export g.ooc new.npy --ids ids.txt":           "there are .csv and .npy",
		"export g.ooc new.npy --rows a --ids new2.npy": "not the same vertices",
		"export g.ooc": "name a FILE",
		"export g.ooc new.npy --ids g.csv --overwrite":    "g.csv",
		"export g.ooc new.npy --rows nowhere --ids i.csv": "nowhere",
	} {
		if r := ooc(t, dir, strings.Fields(line)...); r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit code %d, %s", line, r.code, r.stderr)
		}
	}
	if string(readFile(t, dir, "ids.csv")) != string(was) {
		t.Error("a refused command changed the ids")
	}
	for _, name := range []string{"new.npy", "new2.npy", "i.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("a refused command left %s", name)
		}
	}
}
