package read

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/kernels/entry"
)

// badInput is a text, and what is wrong with it.
type badInput struct {
	what, name, text string
	options          Options
	line             int64
	reason           string
}

var badInputs = slices.Concat(badLists, badTables, badMTX, badMETIS)

var badLists = []badInput{
	{"empty", "x.gr", "", Options{}, 0, "empty"},
	{"binary", "x", "\x00\x01\x02\x03", Options{}, 0, "binary data"},
	{"not UTF-8", "x", "1 2 3\nM\xfcnchen Ulm 3\n", Options{}, 2, `vertex "M\xfcnchen" is not UTF-8 text`},
	{"UTF-16", "x", "\xff\xfe1\x00 \x002\x00\n", Options{}, 0,
		"it is UTF-16 text, which is not read; convert it: iconv -f UTF-16"},
	{"UTF-16 without a mark", "x.csv", "1\x00,\x002\x00\n\x00", Options{Columns: "from,to"}, 0, "it is UTF-16 text"},

	{"columns in another order", "x.csv", "weight,from,to\n9,1,2\n", Options{Columns: "from,to,weight"}, 1,
		"the header has from and to elsewhere than --columns has them"},
	{"likely columns in another order", "x.csv", "fromnode,tonode,length_m,freespeed\n1,2,3,4\n",
		Options{Columns: "id,from,to,weight"}, 1, "the header has from and to elsewhere"},
	{"a column of directions", "x.csv", "source,target,directed,weight\n1,2,False,5\n", Options{}, 1,
		`column "directed" seems to say which lines are one way`},
	{"ids with commas", "x.txt", "0,0 0,1\n0,1 1,1\n", Options{}, 1,
		`"0,0 0,1" may be two ids, or columns between ','`},

	{"no problem line", "x.gr", "c hello\n", Options{}, 0, "no problem line"},
	{"arc first", "x.gr", "c hello\na 1 2 3\np sp 2 1\n", Options{}, 2, "before the problem line"},
	{"two problem lines", "x.gr", "p sp 2 1\np sp 2 1\na 1 2 3\n", Options{}, 2,
		"second problem line; the first is line 1"},
	{"other problem", "x.gr", "p max 2 1\n", Options{}, 1, "not of type sp"},
	{"problem without counts", "x.gr", "p sp 2\n", Options{}, 1, "not \"p sp VERTICES ARCS\""},
	{"negative count", "x.gr", "p sp -2 1\n", Options{}, 1, "not numbers that a graph can have"},
	{"huge count", "x.gr", "p sp 99999999999999999999999 1\n", Options{}, 1, "not numbers that a graph can have"},
	{"too many vertices", "x.gr", "p sp 2147483648 0\n", Options{}, 1, "the most is 2147483647"},
	{"unbelievable vertices", "x.gr", "p sp 2147483647 1\na 1 2 3\n", Options{}, 0, "2147483647 vertices, but only"},
	{"n = 0", "x.gr", "p sp 0 0\n", Options{}, 1, "no vertices"},
	{"too few arcs", "x.gr", "c\np sp 2 3\na 1 2 3\n", Options{}, 2, "3 arcs are announced, but the file ends after 1"},
	{"too many arcs", "x.gr", "p sp 2 1\na 1 2 3\na 2 1 3\n", Options{}, 3,
		"line 1 announces 1 arcs, and this is one more"},
	{"vertex 0", "x.gr", "p sp 2 1\na 0 2 3\n", Options{}, 2,
		`vertex "0" is outside 1…2; if ids start at 0, say --base 0`},
	{"vertex too large", "x.gr", "p sp 2 1\na 1 3 3\n", Options{}, 2, `vertex "3" is outside 1…2`},
	{"vertex of 30 digits", "x.gr", "p sp 2 1\na 1 222222222222222222222222222222 3\n", Options{}, 2, "outside 1…2"},
	{"vertex 2 with base 0", "x.gr", "p sp 2 1\na 0 2 3\n", Options{Base: new(0)}, 2,
		`vertex "2" is outside 0…1; if ids start at 1, leave --base 0 away`},
	{"negative vertex", "x.gr", "p sp 2 1\na 1 -1 3\n", Options{}, 2, `outside 1…2`},
	{"fractional vertex", "x.gr", "p sp 2 1\na 1 1.5 3\n", Options{}, 2, "not an integer"},
	{"vertex of letters", "x.gr", "p sp 2 1\na 1 b 3\n", Options{}, 2, `vertex "b" is not a number`},
	{"weight missing", "x.gr", "p sp 2 1\na 1 2\n", Options{}, 2, "weight is missing"},
	{"weight missing, blank", "x.gr", "p sp 2 1\na 1 2 \n", Options{}, 2, "weight is missing"},
	{"only an a", "x.gr", "p sp 2 1\na\n", Options{}, 2, "but the line has 1 columns"},
	{"a field too many", "x.gr", "p sp 2 1\na 1 2 3 4\n", Options{}, 2, "but the line has 5 columns"},
	{"weight of letters", "x.gr", "p sp 2 1\na 1 2 three\n", Options{}, 2, `weight "three" is not a number`},
	{"hexadecimal weight", "x.gr", "p sp 2 1\na 1 2 0x10\n", Options{}, 2, "is not a number"},
	{"underscores", "x.gr", "p sp 2 1\na 1 2 1_000\n", Options{}, 2, "is not a number"},
	{"NaN", "x.gr", "p sp 2 1\na 1 2 nan\n", Options{}, 2, "weights are finite"},
	{"-Inf", "x.gr", "p sp 2 1\na 1 2 -Infinity\n", Options{}, 2, "weights are finite"},
	{"other line", "x.gr", "p sp 2 1\nx 1 2 3\n", Options{}, 2, `not with "x"`},
	{"CRLF", "x.gr", "p sp 2 1\r\na 1 2 x\r\n", Options{}, 2, `weight "x" is not a number`},
	{"fraction in i32", "x.gr", "p sp 2 1\na 1 2 0.5\n", Options{Kind: entry.KindI32}, 2, "--kind f32, or --scale"},
	{"fraction after scaling", "x.gr", "p sp 2 1\na 1 2 0.0125\n", Options{Scale: 1000}, 2,
		"times the scale 1000 is not an integer"},
	{"fraction under an integer header", "x.mtx",
		"%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 7\n2 3 .5\n", Options{Scale: 1000}, 4,
		"is not an integer, as the header says it is"},
	{"weight beyond i32", "x.gr", "p sp 2 1\na 1 2 3000000000\n", Options{}, 2, "--kind f64"},
	{"weight beyond int64", "x.gr", "p sp 2 1\na 1 2 " + strings.Repeat("9", 400) + "\n", Options{Kind: entry.KindI32},
		2, "--kind f64"},
	{"weight beyond f32", "x.gr", "p sp 2 1\na 1 2 1e39\n", Options{Kind: entry.KindF32}, 2, "too large for kind f32"},
	{"weight below f32", "x.gr", "p sp 2 1\na 1 2 -1e39\n", Options{Kind: entry.KindF32}, 2, "too large for kind f32"},
	{"weight beyond f64, of integers", "x.gr", "p sp 2 1\na 1 2 1e400\n", Options{Kind: entry.KindI32}, 2,
		`the magnitude of weight "1e400" is inf, and distances`},

	{"no arcs", "x.txt", "# nothing\n", Options{}, 0, "no vertices"},
	{"one column", "x.txt", "1\n", Options{}, 1, "at least the two columns"},
	{"four columns", "x.txt", "0 1 2 0.5\n", Options{}, 1,
		"--columns from=A,to=B,weight=C with A, B and C from 1 to 4"},
	{"five columns", "x.csv", "\n0,1,2,3,4\n", Options{}, 2,
		"--columns from=A,to=B,weight=C with A, B and C from 1 to 5"},
	{"a number of nothing", "x.txt", "7\n0 1\n8 2\n", Options{}, 1,
		"7 is the number neither of vertices (ids 0…8) nor of lines that follow (2)"},
	{"a number of too few names", "x.txt", "2\na b 5\nb c 6\nc d 1\n", Options{}, 1,
		"2 is the number neither of vertices (4 names) nor of lines that follow (3)"},
	{"isolated vertices of unclear ids", "x.txt", "5\n1 2\n2 3\n", Options{}, 1,
		"say --base 0 if they are 0…4, --base 1 if they are 1…5"},
	{"only a number", "x.txt", "# c\n5\n", Options{}, 2, "at least the two columns from and to"},
	{"numbers that lie about edges", "x.txt", "3 3\n0 1 5\n1 2 6\n", Options{}, 1,
		"if it is the numbers of vertices and edges, 2 lines follow, not 3"},
	{"numbers that lie about vertices", "x.txt", "2 2\n0 1 5\n1 2 6\n", Options{}, 1, "there are more: ids 0…2"},
	{"too many vertices by a number", "x.txt", "3000000000\n0 1\n", Options{}, 1, "the most is 2147483647"},
	{"unbelievable vertices by a number", "x.txt", "2147483647\n0 1\n", Options{}, 0, "seems damaged"},
	{"an arc or numbers", "x.txt", "5 4\n1 2\n2 3\n3 4\n4 5\n", Options{}, 1,
		"both fit. If it is an arc, say --columns from=1,to=2; if not, remove the line"},
	{"an arc or numbers, in commas", "x.csv", "# c\n5,4\n0,1\n1,1\n2,3\n3,4\n", Options{}, 2, "both fit"},
	{"an arc or numbers above names", "x.csv", "5,3\na,b\nb,c\nc,d\n", Options{}, 1, "both fit"},
	{"an arc or numbers, and an arc or a header", "x.csv", "27,3\nKöln,e\nant,26\n11,10\n27,3\n", Options{}, 2,
		`"Köln,e" may be a header, or an arc as the line above it: if it is a header, remove line 1; if both are ` +
			"arcs, say --columns from=1,to=2"},
	{"an arc above a header", "x.csv", "5,2\nfrom,to\n1,9\n", Options{}, 2, "may be a header"},
	{"a weight with its unit", "x.csv", "1,2,3\n2,3,4 km\n", Options{Columns: "from,to,weight"}, 2,
		`weight "4 km" is not a number`},
	{"ragged", "x.txt", "1 2 3\n1 2 3\n1 2 3 4\n", Options{}, 3, "the line has 4 columns, not 3"},
	{"missing weight", "x.txt", "1 2 3\n1 2\n", Options{}, 2, "the weight is missing"},
	{"missing weight, comma", "x.csv", "1,2,3\n1,2,\n", Options{}, 2, "the weight is missing"},
	{"missing vertex", "x.csv", "1,2,3\n,2,3\n", Options{}, 2, "the from vertex is missing"},
	{"missing target", "x.csv", "1;2;3\n1;;3\n", Options{}, 2, "the to vertex is missing"},
	{"bad weight", "x.csv", "1,2,3\n1,2,x\n", Options{}, 2, `weight "x" is not a number`},
	{"bad first weight", "x.csv", "1,2,x\n1,2,3\n", Options{}, 1, `weight "x" is not a number`},
	{"NaN in a list", "x.txt", "1 2 3\n1 2 NaN\n", Options{}, 2, "weights are finite"},
	{"fractional ids", "x.txt", "0.5 1 2\n", Options{}, 1, "name the columns with --columns"},
	{"open quote", "x.csv", "\"a,b,3\n", Options{}, 1, "quote"},
	{"text after a quote", "x.csv", "\"a\"b,c,3\n", Options{}, 1, "quote"},
	{"control character", "x.csv", "a,b,3\na\x7f,b,3\n", Options{}, 2, "cannot be shown"},
	{"header without weight", "x.csv", "to,from,capacity\n1,2,3\n", Options{}, 1, "names no weight"},
	{"header with two", "x.csv", "from,to,cost,length\n1,2,3,4\n", Options{}, 1, "two columns name the weight"},
	{"header of other names", "x.csv", "fromnode,tonode,length_m,freespeed\n1,2,3,4\n", Options{}, 1,
		"the line has 4 columns: pick them by name, maybe --columns from=fromnode,to=tonode,weight=length_m"},
	{"header of strange names", "x.csv", "a,b,c d,e\n1,2,3,4\n", Options{}, 1,
		`pick them by name, --columns from=A,to=B,weight=C with A, B and C of "a", "b", "c d", "e"`},
	{"header that is not in order", "x.csv", "length_m,fromnode,tonode\n1,2,3\n", Options{}, 1,
		"it is not clear what the columns are: pick them by name, maybe --columns " +
			"from=fromnode,to=tonode,weight=length_m"},
	{"header that is not in order, two columns", "x.csv", "target,x\n1,2\n", Options{}, 1,
		"it is not clear what the columns are"},
	{"header with an unnamed column", "x.csv", ",a,b\n0,2,3\n", Options{}, 1, "it is not clear what the columns are"},
	{"picked and not there", "x.csv", "a,b,c\n1,2,3\n", Options{Columns: "from=a,to=d"}, 1,
		`no column is named "d" in the first line: "a", "b", "c"`},
	{"picked and there twice", "x.csv", "a,b,a\n1,2,3\n", Options{Columns: "from=a,to=b"}, 1,
		`two columns have the name "a": pick one by its number, 1 or 3`},
	{"picked twice", "x.csv", "a,b,c\n1,2,3\n", Options{Columns: "from=a,to=a"}, 1, "one column is picked twice"},
	{"picked, ragged", "x.txt", "a b c\n1 2 3\n9 1 2 3\n", Options{Columns: "from=a,to=b,weight=c"}, 3,
		"the line has 4 columns, not 3 as the first; if its first column only numbers the lines, say --columns " +
			"from=2,to=3,weight=4"},
	{"as R's write.table", "x.txt", "\"from\" \"to\" \"weight\"\n\"1\" 1 2 3\n", Options{}, 2,
		"say --columns from=2,to=3,weight=4"},
	{"one way", "x.csv", "from,to,length,OneWay\n1,2,3,0\n", Options{}, 1,
		`column "OneWay" seems to say which lines are one way`},
	{"one way, picked", "x.csv", "a,b,is_one_way\n1,2,0\n", Options{Columns: "from=a,to=b"}, 1,
		`column "is_one_way" seems`},
	{"one way, by number", "x.csv", "# c\na,b,oneway\n1,2,0\n", Options{Columns: "from,to"}, 2,
		`column "oneway" seems`},
	{"one way, by number, with words", "x.csv", "a,b,oneway\n1,2,no\n", Options{Columns: "from=1,to=2"}, 1,
		`column "oneway" seems`},
	{"a comma before three digits", "x.csv", "1;2;1,234\n", Options{}, 1,
		"\"1,234\" has a comma: if it separates thousands, remove it; if it is a decimal comma, write a point"},
	{"networkx without a weight", "x.txt", "0 1 {'color': 'red', 'k': 5}\n", Options{}, 1,
		`--columns from=1,to=2,weight=KEY with KEY of "color", "k", or --columns from=1,to=2 if`},
	{"networkx with two weights", "x.txt", "0 1 {'length': 4, 'cost': 5}\n", Options{}, 1,
		"it is not clear what the weight is"},
	{"networkx, a weight late", "x.txt", "0 1 {}\n1 2 {'weight': 5}\n", Options{}, 2,
		`the line has "weight", but the first line has no weight`},
	{"networkx, no weight late", "x.txt", "0 1 {'weight': 5}\n1 2 {}\n", Options{}, 2, "the weight is missing"},
	{"networkx, no number", "x.txt", "0 1 {'weight': None}\n", Options{}, 1, `weight "None" is not a number`},
	{"networkx, a text", "x.txt", "0 1 {'weight': '5'}\n", Options{}, 1, `weight "'5'" is not a number`},
	{"networkx, no braces late", "x.txt", "0 1 {'weight': 5}\n1 2 5\n", Options{}, 2,
		"no data in braces ends the line"},
	{"networkx, braces that do not match", "x.txt", "0 1 {'weight': 5}\n1 2 {'a': [5}\n", Options{}, 2,
		"no dictionary of Python"},
	{"networkx, names with blanks", "x.txt", "0 1 {'weight': 5}\nNew York {'weight': 5}\nNew York Rome {'weight': 5}\n",
		Options{}, 3, "3 columns stand before the braces, not 2"},
	{"networkx, other columns", "x.txt", "0 1 {'weight': 5}\n", Options{Columns: "from=1,to=3"}, 1,
		"--columns from=1,to=2,weight=KEY"},
	{"KONECT, bipartite", "out.x", "% bip unweighted\n1 1\n", Options{}, 1,
		"two vertices; give them two names, as in awk 'NF && !/^%/ {"},
	{"KONECT, bipartite, and no more", "out.x", "%bip\n1 1\n", Options{}, 1, "two vertices; give them two names"},
	{"a column of Gephi", "x.csv", "Source,Target,Type,Id,Label,Weight\n1,2,Undirected,0,,3\n", Options{}, 2,
		`column 3, "Undirected", seems to say which lines are one way`},
	{"a column of Gephi, picked", "x.csv", "from,to,type\n\n1,2,directed\n", Options{Columns: "from=1,to=2"}, 3,
		`column 3, "directed", seems to say`},
	{"a column of Gephi without a header", "x.csv", "1,2,Mixed\n", Options{Columns: "from=1,to=2"}, 1,
		`column 3, "Mixed", seems to say`},
	{"a column of Gephi below a likely header", "x.csv", "a,b,kind\n1,2,Directed\n", Options{Columns: "from,to,kind"},
		2, `column 3, "Directed", seems to say`},
	{"header w, u, length", "x.csv", "w,u,length\n1,2,3\n", Options{}, 1, "--columns from=A,to=B,weight=C"},
	{"decimal comma", "x.csv", "1;2;3\n1;2;3,5\n", Options{}, 2,
		"\"3,5\" has a comma, but decimals are written with a point; where no comma stands for anything else, tr , . " +
			"< FILE > NEW does it"},
	{"decimal comma first", "x.csv", "a;b;3,5\n", Options{}, 1, "has a comma"},
	{"decimal comma in quotes", "x.csv", "a,b,\"3,5\"\n", Options{}, 1, "but decimals are written with a point"},
	{"decimal comma between blanks", "x.txt", "1 2 3,5\n1 3 4,5\n", Options{}, 1, "\"3,5\" has a comma"},
	{"decimal comma between tabs", "x.txt", "a\tb\t3,5\n", Options{}, 1, "\"3,5\" has a comma"},
	{"another separator", "x.csv", "sep=|\n1|2|3\n", Options{}, 1, "columns between \"|\" are not read"},
	{"Latin-1", "x.csv", "K\xf6ln,Bonn,3\n", Options{}, 1,
		"is not UTF-8 text; if it is Latin-1, convert it: iconv -f LATIN1"},
	{"fewer than named", "x.txt", "1 2\n", Options{Columns: "id,from,to,weight"}, 1, "the line has 2 columns, not 4"},
	{"below the base", "x.txt", "1 2 3\n0 1 3\n", Options{Base: new(1)}, 2, "vertex 0 is below the base 1"},
	{"text with a base", "x.txt", "1 2 3\n1 b 3\n", Options{Base: new(1)}, 2, "not an integer"},
	{"unbelievable id", "x.txt", "0 2000000000 3\n", Options{Base: new(0)}, 0, "2000000001 vertices, but only"},
	{"truncated gzip", "x.gr.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x2b", Options{}, 0,
		"cannot be read: unexpected EOF"},
	{"bad zstd", "x.gr.zst", "\x28\xb5\x2f\xfdgarbage", Options{}, 0, "cannot be read: "},
}

func TestBadInputs(t *testing.T) {
	for _, c := range badInputs {
		t.Run(c.what, func(t *testing.T) {
			g, err := readBoth(t, c.name, c.text, c.options)
			if g != nil {
				t.Fatalf("read as a graph of %d vertices", g.N)
			}
			graphtest.WantError(t, err, graph.ErrBadInput, c.reason)
			file, line := "", int64(0)
			var input *graph.InputError
			var rng *graph.RangeError
			switch {
			case errors.As(err, &input):
				file, line = input.File, input.Line
			case errors.As(err, &rng):
				file, line = rng.File, rng.Line
			}
			if filepath.Base(file) != c.name || line != c.line {
				t.Errorf("error %v names %s:%d, not %s:%d", err, file, line, c.name, c.line)
			}
		})
	}
}

func TestBadOptions(t *testing.T) {
	for _, o := range []Options{
		{Format: "xml"}, {Kind: "i8"}, {Scale: -1}, {Columns: "from,weight"},
		{Columns: "from,from,to"}, {Columns: "length,cost,from,to"}, {Base: new(-1)},
	} {
		_, err := readBoth(t, "x.txt", "1 2 3\n", o)
		graphtest.WantError(t, err, graph.ErrOptions)
	}
	for _, text := range []string{"1 2 3\n", "p sp 2 1\na 1 2 3\n",
		"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 3\n"} {
		// It says nothing there.
		if g, err := readBoth(t, "x", text, Options{NoArc: "inf"}); err != nil || g.Arcs() != 1 {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, c := range []struct {
		text, says string
		o          Options
	}{
		{"1 2 3\n", "x is read as edgelist, and --no-arc", Options{NoArc: "0"}},
		{"p sp 2 1\na 1 2 3\n", "x is read as dimacs, and --no-arc", Options{NoArc: "0"}},
		{"p sp 2 1\na 1 2 3\n", "x is read as dimacs, and --columns", Options{Format: "dimacs", Columns: "from,to"}},
		{"\x93NUMPY", "x is read as npy, and --columns", Options{Columns: "from,to"}},
	} {
		_, err := readBoth(t, "x", c.text, c.o)
		graphtest.WantError(t, err, graph.ErrOptions, c.says)
	}
}

func TestNegativeSelfLoop(t *testing.T) {
	_, err := readBoth(t, "x.csv", "a,b,3\nb,b,-2.5\nb,b,-1\n", Options{Scale: 10})
	graphtest.WantError(t, err, graph.ErrNegativeCycle, "x.csv:2:", "length -2.5", "b → b")
}
