package read

import (
	"compress/gzip"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

const tntpFile = "<NUMBER OF ZONES> 3\n<NUMBER OF NODES> 5\n<FIRST THRU NODE> 1\n<NUMBER OF LINKS> 6\n<END OF " +
	"METADATA>\n\n\n" +
	"~ \tInit node \tTerm node \tCapacity \tLength \tFree Flow Time \tB\tPower\tSpeed limit \tToll \tType\t;\n" +
	"\t1\t4\t25900.2\t6\t6\t0.15\t4\t0\t0\t1\t;\n\t4\t1\t23403.4\t4\t4\t0.15\t4\t0\t0\t1\t;\n\t4\t5\t25900.2\t3\t2\t0.15\t4\t0\t0\t1\t;\n" +
	"\t5\t2\t4958\t5\t5\t0.15\t4\t0\t0\t1\t;\n\t2\t3\t4958\t1\t1\t0.15\t4\t0\t0\t1\t;\n\t5\t3\t4958\t9\t9\t0.15\t4\t0\t0\t1\t;\n"

const squareArcs = "0>1=3 0>2=8 0>3=9 1>0=3 1>2=1 1>3=9 2>0=8 2>1=1 2>3=2 3>0=9 3>1=9 3>2=2"

var tableInputs = []goodInput{
	{"arrows", "x.txt", "1 -> 2\n2 -> 3\n", Options{}, 3, entry.KindI32, "1>2=1 2>3=1"},
	{"arrows and weights", "x.txt", "a --> b 3\nb --> c 4\n", Options{}, 3, entry.KindI32, "a>b=3 b>c=4"},
	{"arrows between commas", "x.csv", "a,->,b\nb,->,c\n", Options{}, 3, entry.KindI32, "a>b=1 b>c=1"},
	{"lines between vertices", "x.txt", "a -- b 3;\nb -- c 4;\n", Options{}, 3, entry.KindI32,
		"a>b=3 b>a=3 b>c=4 c>b=4"},
	{"a header of two genes", "x.csv", "gene1,gene2\nTP53,MDM2\nMDM2,ATM\n", Options{}, 3, entry.KindI32,
		"TP53>MDM2=1 MDM2>ATM=1"},
	{"a header of two words", "x.csv", "\"Person A\",\"Person B\"\n\"Smith, J\",Doe\nDoe,Roe\n", Options{}, 3,
		entry.KindI32, "Smith, J>Doe=1 Doe>Roe=1"},
	{"a header above one column of numbers", "x.csv", "who,what\nalice,5\nbob,7\n", Options{}, 4, entry.KindI32,
		"alice>5=1 bob>7=1"},
	{"a first arc whose end comes again", "x.csv", "paris,lyon\nlyon,nice\n", Options{}, 3, entry.KindI32,
		"paris>lyon=1 lyon>nice=1"},
	{"a first arc whose end comes again at the end", "x.csv", "paris,lyon\n" + strings.Repeat("rome,pisa\n", 100_000) +
		"lyon,nice\n", Options{}, 5, entry.KindI32, "paris>lyon=1 lyon>nice=1 rome>pisa=1"},
	{"vertices that are called node", "x.txt", "node1 node2\nnode2 node3\n", Options{}, 3, entry.KindI32,
		"node1>node2=1 node2>node3=1"},
	{"to before from", "x.csv", "dest,orig,dist\n1,2,3\n2,3,4\n", Options{}, 3, entry.KindI32, "2>1=3 3>2=4"},
	{"followers", "x.csv", "follower,followee\nann,bob\nbob,cid\n", Options{}, 3, entry.KindI32, "ann>bob=1 bob>cid=1"},
	{"only the ends have a name", "x.csv", ",source,target\n0,a,b\n1,b,c\n", Options{}, 3, entry.KindI32,
		"a>b=1 b>c=1"},

	{"names with blanks and commas between tabs", "x.tsv", "from\tto\tkm\nNew York, NY\tBoston\t306\nLos " +
		"Angeles\tDenver\t830\n", Options{}, 4, entry.KindI32, "New York, NY>Boston=306 Los Angeles>Denver=830"},
	{"semicolons at the ends of lines", "x.csv", "1;2;3;\n2;3;4;\n", Options{}, 3, entry.KindI32, "1>2=3 2>3=4"},
	{"semicolons behind blanks", "x.txt", "1 2 3;\n2 3 4 ;\n", Options{}, 3, entry.KindI32, "1>2=3 2>3=4"},
	{"commas at the ends of lines", "x.csv", "from,to,weight,\n1,2,3,\n2,3,4,\n", Options{}, 3, entry.KindI32,
		"1>2=3 2>3=4"},
	{"carriage returns", "x.csv", "source,target,weight\r1,2,3\r2,3,4\r", Options{}, 3, entry.KindI32, "1>2=3 2>3=4"},
	{"numbers between blanks and a tab", "x.txt", "1 2\t5\n2 3\t6\n", Options{}, 3, entry.KindI32, "1>2=5 2>3=6"},
	{"a separator that the first line has twice", "x.csv", "a;1,b,5\nb,c,6\nc,d,7\n", Options{}, 4, entry.KindI32,
		"a;1>b=5 b>c=6 c>d=7"},
	{"floats as ids", "x.csv", "from,to,w\n1.0,2,5\n2,3.0,6\n", Options{}, 3, entry.KindI32, "1>2=5 2>3=6"},

	{"pgRouting", "x.csv", "id,source,target,cost,reverse_cost\n1,1,2,5,5\n2,2,3,4,-1\n3,4,3,-1,2\n", Options{}, 4,
		entry.KindI32, "1>2=5 2>1=5 2>3=4 3>4=2"},
	{"TNTP", "X_net.tntp", tntpFile, Options{}, 5, entry.KindI32, "1>4=6 2>3=1 4>1=4 4>5=2 5>2=5 5>3=9"},
	{"TNTP, the lengths", "x", tntpFile, Options{Columns: "from=1,to=2,weight=4"}, 5, entry.KindI32,
		"1>4=6 2>3=1 4>1=4 4>5=3 5>2=5 5>3=9"},
	{"TNTP, isolated nodes", "x.tntp", "<NUMBER OF NODES> 9\n<NUMBER OF LINKS> 1\n<END OF METADATA>\n~ a b c d e " +
		";\n1 3 1 2 7 ;\n", Options{}, 9, entry.KindI32, "1>3=7"},
	{"KONECT, four columns", "out.x", "% asym posweighted\n1 2 3 1000\n2 3 1 1001\n", Options{}, 3, entry.KindI32,
		"1>2=3 2>3=1"},
	{"a banner with one %", "x.edges", "%MatrixMarket matrix coordinate real symmetric\n4 4 4\n2 1 2.5\n3 1 1\n3 2 " +
		"1\n4 3 2\n", Options{}, 4, entry.KindF32, "1>2=2.5 1>3=1 2>1=2.5 2>3=1 3>1=1 3>2=1 3>4=2 4>3=2"},

	{"a matrix", "x.csv", "0,3,8,9\n3,0,1,9\n8,1,0,2\n9,9,2,0\n", Options{}, 4, entry.KindI32, squareArcs},
	{"a matrix between blanks", "x.txt", "0 3 8 9\n3 0 1 9\n8 1 0 2\n9 9 2 0\n", Options{}, 4, entry.KindI32,
		squareArcs},
	{"a matrix of three", "x.csv", "0,3,8\n3,0,1\n8,1,0\n", Options{}, 3, entry.KindI32,
		"0>1=3 0>2=8 1>0=3 1>2=1 2>0=8 2>1=1"},
	{"three arcs", "x.csv", "0,1,5\n1,2,3\n2,0,4\n", Options{}, 3, entry.KindI32, "0>1=5 1>2=3 2>0=4"},
	{"three arcs below a header", "x.csv", "from,to,weight\n0,3,8\n3,0,1\n8,1,0\n", Options{}, 4, entry.KindI32,
		"0>3=8 3>0=1 8>1=0"},
	{"a matrix of two", "x.txt", "0 2.5\n2.5 0\n", Options{}, 2, entry.KindF32, "0>1=2.5 1>0=2.5"},
	{"a matrix with labels", "x.csv", ",A,B,C\nA,0,3,8\nB,3,0,inf\nC,8,1,0\n", Options{}, 3, entry.KindI32,
		"A>B=3 A>C=8 B>A=3 C>A=8 C>B=1"},
	{"a matrix as R writes it", "x.txt", "\"A\" \"B\"\n\"A\" 0 3\n\"B\" 4 0\n", Options{}, 2, entry.KindI32,
		"A>B=3 B>A=4"},
	{"a matrix below labels", "x.csv", "a,b,c\n0,3,8\n3,0,1\n8,1,0\n", Options{}, 3, entry.KindI32,
		"a>b=3 a>c=8 b>a=3 b>c=1 c>a=8 c>b=1"},
	{"a matrix with numbers as labels", "x.csv", ",10,7,30\n10,0,3,inf\n7,3,0,1\n30,8,1,0\n", Options{}, 3,
		entry.KindI32, "7>10=3 7>30=1 10>7=3 30>7=1 30>10=8"},
	{"a matrix with empty cells", "x.csv", ",A,B\nA,,3\nB,,0\n", Options{NoArc: "nan"}, 2, entry.KindI32, "A>B=3"},
	{"a matrix, undirected", "x.csv", "0,3,8,9\n3,0,1,9\n8,1,0,2\n9,9,2,0\n", Options{Directed: new(false)}, 4,
		entry.KindI32, squareArcs},
	{"a matrix, from 1", "x.csv", "0,3\n4,0\n", Options{Format: "matrix", Base: new(1)}, 2, entry.KindI32,
		"1>2=3 2>1=4"},
}

var badTables = []badInput{
	{"a header or an arc", "x.csv", "# c\nparis,lyon\nrome,pisa\npisa,bari\n", Options{}, 2,
		`"paris,lyon" may be a header or an arc: --columns from=paris,to=lyon if it is a header, --columns from=1,to=2 if it is an arc`},
	{"a header whose words come again", "x.csv", "source,target\nsource,a\na,sink\n", Options{}, 1,
		`"source,target" may be a header, but also an arc`},
	{"a header twice", "x.csv", "from,to\na,b\nfrom,to\nb,c\n", Options{}, 1, "may be a header, but also an arc"},
	{"only a separator", "x.csv", "sep=;\n", Options{}, 0, "no vertices"},
	{"an arrow", "x.txt", "a b\nb -> c\n", Options{}, 2, "the line has 3 columns"},
	{"an arrow as a vertex", "x.txt", "a b 1\nb -> 2\n", Options{}, 2, `vertex "->" is an arrow`},
	{"an empty cell between tabs", "x.tsv", "a\tb\t3\t7\na\tc\t\t9\n", Options{Columns: "from=1,to=2,weight=3"}, 2,
		"the weight is missing"},
	{"a column of directions", "x.csv", "from,to,length,bidirectional\n1,2,5,1\n", Options{}, 1,
		`column "bidirectional" seems to say which lines are one way`},
	{"likeness", "x.txt", "protein1 protein2 combined_score\na b 900\n", Options{}, 1,
		`column "combined_score" seems to be no length`},
	{"a column of directions as the weight", "x.csv", "from,to,directed\n1,2,true\n", Options{}, 1,
		`column "directed" seems to say which lines are one way`},
	{"one way as the weight", "x.csv", "from,to,oneway\n1,2,0\n", Options{Directed: new(false)}, 1,
		`column "oneway" seems to be no length`},
	{"KONECT, multiplicities", "out.x", "% asym positive\n1 2 3\n", Options{}, 2, "counts parallel arcs"},
	{"TNTP, nodes that no path passes", "x.tntp", strings.Replace(tntpFile, "THRU NODE> 1", "THRU NODE> 4", 1),
		Options{}, 0, "no path passes through nodes 1…3"},
	{"TNTP, cut", "x.tntp", strings.Replace(tntpFile, "LINKS> 6", "LINKS> 7", 1), Options{}, 0,
		"<NUMBER OF LINKS> says 7, but 6 follow"},
	{"TNTP without an end", "x.tntp", "<NUMBER OF NODES> 3\n", Options{}, 0, "no line <END OF METADATA>"},
	{"a size without a banner", "x.mtx", "4 4 2\n2 1\n3 1\n", Options{}, 1,
		"{ echo '%%MatrixMarket matrix coordinate pattern general'; sed '1s/^[^0-9%]*//' FILE; } > NEW.mtx"},
	{"a size in a list", "x.edges", "4 4 2\n2 1 5\n3 1 6\n", Options{}, 1,
		"may be the size of a matrix of Matrix Market, or an arc"},
	{"a capacity", "x.csv", "source,target,capacity\n1,2,3\n", Options{}, 1,
		`column "capacity" seems to be no length: ` +
			"--columns from=source,to=target gives every arc weight 1, --columns " +
			"from=source,to=target,weight=capacity takes it"},
	{"a capacity, cut short", "x.csv", "from,to,Cap\n1,2,3\n", Options{}, 1, `column "Cap" seems to be no length`},
	{"a matrix with labels of rows only", "x.txt", "a 0 1 2\nb 1 0 3\nc 2 3 0\n", Options{}, 1,
		"; if it is a matrix, say --format matrix"},
	{"a matrix or arcs", "x.csv", "0,5,2\n1,0,3\n4,2,0\n", Options{}, 0, "say --format matrix, or --format edgelist"},
	{"a matrix without a diagonal of zeros", "x.csv", "1,2,3,4\n5,6,7,8\n9,1,2,3\n4,5,6,7\n", Options{}, 0,
		"say --format matrix, or --format edgelist --columns"},
	{"a matrix that is cut", "x.csv", "0,3\n3\n", Options{Format: "matrix"}, 0, "no square of numbers"},
	{"part of a matrix", "x.csv", ",a,b\nc,1,2\nd,3,4\n", Options{}, 1, "it is not clear what the columns are"},
	{"a matrix with decimal commas", "x.csv", "0;1,5;2\n1,5;0;3\n2;3;0\n", Options{}, 1,
		"has a comma, but decimals are written with a point"},
	{"a matrix with an empty cell", "x.csv", ",A,B\nA,0,\nB,3,0\n", Options{}, 2, "--no-arc nan makes NaN no arc"},
	{"a matrix with a label twice", "x.csv", ",A,A\nA,0,1\nA,3,0\n", Options{}, 0, `two columns are called "A"`},
	{"no path as the largest number", "x.csv", "0,3,2147483647\n3,0,1\n2147483647,1,0\n", Options{}, 0,
		"2147483647 is there 2 time(s), and is how programs write no path: if it means no arc, say --no-arc " +
			"2147483647"},
	{"no path as 1e9", "x.mtx", banner + "array real general\n2 2\n0\n1e9\n2\n0\n", Options{}, 0, "say --no-arc 1e9"},
	{"no path as the largest double", "x.mtx", banner +
		"coordinate real general\n2 2 2\n1 2 1.7976931348623157e308\n2 1 5\n", Options{}, 0,
		"say --no-arc 1.7976931348623157e308"},
	{"no path as -1", "x.txt", "0 3 -1\n3 0 1\n-1 1 0\n", Options{}, 0, "say --no-arc -1"},
	{"one column", "x.txt", "a->b\nb->c\n", Options{}, 1, "sed 's/->/ & /g' FILE > NEW"},
	{"two separators", "x.txt", "a b\t5\nb c\t6\n", Options{}, 1,
		"one arc if only the tab separates columns, and another if the blank does too"},
}

// TestLargeMatrix reads a symmetric matrix of which what is looked at first is a part: its first column is no labels,
// though it is the same as its first row. What follows that part is checked too.
func TestLargeMatrix(t *testing.T) {
	const n = 400 // of 800 KB
	var lines []string
	for u := range n {
		var row []string
		for v := range n {
			row = append(row, strconv.Itoa((1000+max(u, v)+3*min(u, v))*btoi(u != v)))
		}
		lines = append(lines, strings.Join(row, " ")+"\n")
	}
	g, err := readBoth(t, "x.txt", strings.Join(lines, ""), Options{})
	if err != nil || g.N != n || g.Arcs() != n*(n-1) || g.InputWeight(g.Find(399, 2)) != "1405" {
		t.Error(g, err)
	}
	_, err = readBoth(t, "x.txt", strings.Join(lines[1:], ""), Options{Format: "matrix"})
	graphtest.WantError(t, err, graph.ErrBadInput, "a matrix of 400 columns has 400 rows, but the file ends after 399")
	_, err = readBoth(t, "x.txt", strings.Join(lines, "")+lines[0], Options{})
	graphtest.WantError(t, err, graph.ErrBadInput, ":401: ", "this line has 400 entries in row 401")
}

// TestUnusedColumnsAreSaid lists what a header has beside from, to and weight, and says what was a guess.
func TestUnusedColumnsAreSaid(t *testing.T) {
	for text, want := range map[string]string{
		"id,from,to,weight,name\n1,2,3,4,x\n":             `columns not used: "id", "name"`,
		"id,source,target,cost,reverse_cost\n1,1,2,5,5\n": `columns not used: "id"`,
		"from,to,capacity,length\n1,2,3,4\n":              `columns not used: "capacity"`,
		"gene1,gene2\na,b\nb,c\n":                         `columns "gene1", "gene2" are taken for from and to; --columns from=A,to=B picks them by name`,
		"from,to,weight\n1,2,3\n":                         "",
		"% asym weighted\n1 2 3 4\n":                      "columns not used: 4, the time of each arc",
		strings.Replace(tntpFile, "~ \tInit", "~ \tInit", 1): "the weight is the free flow time, column 5; " +
			"--columns from=1,to=2,weight=4 takes the length. Columns not used: all others",
	} {
		if got := remarks(t, "x.csv", text, Options{Directed: new(true)}); got != want && (want == "" ||
			!strings.Contains(got, want)) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestRemedies follows the remedies that messages print: flags, and commands of the shell. Each must be in the message
// as it is here, and then give the right graph.
func TestRemedies(t *testing.T) {
	utf16le := "\xff\xfe"
	for _, u := range utf16.Encode([]rune("a,b,1\n")) {
		utf16le += string([]byte{byte(u), byte(u >> 8)})
	}
	var zipped strings.Builder
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte("a b 5\n")); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	turn := []string{ // an arrow between blanks, or without any
		`sed -E 's/("[^"]*"|[^[:space:]"]+) +<- +("[^"]*"|[^[:space:]"]+)/\2 -> \1/' FILE > NEW`,
		`sed -E 's/([^[:space:]]+)<-+([^[:space:]]+)/\2 -> \1/' FILE > NEW`,
	}
	left := `awk 'NF && !/^%/ {$1 = "L" $1; $2 = "R" $2; print}' FILE > NEW.txt, and read NEW.txt with --undirected `
	for _, c := range []struct{ name, text, remedy, arcs string }{
		{"x.csv", "paris,lyon\nrome,pisa\npisa,bari\n", "--columns from=paris,to=lyon", "rome>pisa=1 pisa>bari=1"},
		{"x.csv", "paris,lyon\nrome,pisa\npisa,bari\n", "--columns from=1,to=2",
			"paris>lyon=1 rome>pisa=1 pisa>bari=1"},
		{"x.csv", "source,target\nsource,a\n", "--columns from=source,to=target", "source>a=1"},
		{"x.csv", "source,target\nsource,a\n", "--columns from=1,to=2", "source>target=1 source>a=1"},
		{"x.txt", "a->b\nb->c\n", "sed 's/->/ & /g' FILE > NEW", "a>b=1 b>c=1"},
		{"x.txt", "a|b|4\nb|c|5\n", "sed 's/|/;/g' FILE > NEW", "a>b=4 b>c=5"},
		{"x.txt", "source|target|cost\nNew York|LA|3\n", "sed 's/|/;/g' FILE > NEW", "New York>LA=3"},
		{"x.txt", "a--b\nb--c\n", "sed 's/--/ & /g' FILE > NEW", "a>b=1 b>a=1 b>c=1 c>b=1"},
		{"x.txt", "1--2\n2--3\n", "sed 's/--/ & /g' FILE > NEW", "1>2=1 2>1=1 2>3=1 3>2=1"},
		{"x.txt", "a<->b\nb<->c\n", "sed 's/<->/ & /g' FILE > NEW", "a>b=1 b>a=1 b>c=1 c>b=1"},
		{"x.txt", "a-->b\nb-->c\n", "sed 's/-->/ & /g' FILE > NEW", "a>b=1 b>c=1"},
		{"x.txt", "a==>b\nb==>c\n", "sed 's/==>/ => /g' FILE > NEW", "a>b=1 b>c=1"},
		{"x.txt", "a<-b\r\nb<-c\r\n", turn[1], "b>a=1 c>b=1"},
		{"x.txt", "a<--b\nb<--c\n", turn[1], "b>a=1 c>b=1"},
		{"x.txt", "a <- b\nb <- c\n", turn[0], "b>a=1 c>b=1"},
		{"x.txt", "a -> b\nb <- c\n", turn[0], "a>b=1 c>b=1"},
		{"x.txt", "1 <- 2 5\n2 <- 3 6\n", turn[0], "2>1=5 3>2=6"},
		{"x.txt", "1 <- 2\r\n2 <- 3\r\n", turn[0], "2>1=1 3>2=1"},
		{"x.txt", "\"a x\" <- b 5\nb <- c 6\n", turn[0], "b>a x=5 c>b=6"},
		{"x.txt", "a b 2\nb -> c 3\n", "", ""},
		{"x.txt", "a b\t5\nb c\t6\n", `tr '\t' ' ' < FILE > NEW`, "a>b=5 b>c=6"},
		{"x.txt", "a b\t5\nb c\t6\n", `tr '\t' ';' < FILE > NEW`, "a b>5=1 b c>6=1"},
		{"x.csv", "1;2;3,5\n2;3;4,5\n", "tr , . < FILE > NEW", "1>2=3.5 2>3=4.5"},
		{"x.csv", "K\xf6ln,Bonn,3\n", "iconv -f LATIN1 -t UTF-8 FILE > NEW", "Köln>Bonn=3"},
		{"x.csv", utf16le, "iconv -f UTF-16 -t UTF-8 FILE > NEW", "a>b=1"},
		{"x.csv", utf16le[2:], "iconv -f UTF-16LE -t UTF-8 FILE > NEW", "a>b=1"},
		{"x.csv", "\x00" + utf16le[2:len(utf16le)-1], "iconv -f UTF-16BE -t UTF-8 FILE > NEW", "a>b=1"},
		{"x.txt", "% bip unweighted\n1 1\n2 1\n\n", left + "--columns from=1,to=2",
			"L1>R1=1 R1>L1=1 R1>L2=1 L2>R1=1"},
		{"x.txt", "% bip weighted\n1 1 3 1000\n2 1 4 1001\n", left + "--columns from=1,to=2,weight=3",
			"L1>R1=3 R1>L1=3 R1>L2=4 L2>R1=4"},
		{"x.txt", "% bip positive\n1 1 3\n", left + "--columns from=1,to=2", "L1>R1=1 R1>L1=1"},
		{"x.txt.gz", zipped.String() + strings.Repeat("\x00", 100), "gzip -dc FILE > NEW", "a>b=5"},
		{"x.csv", "protein1,protein2,score\na,b,900\n", "--columns from=protein1,to=protein2", "a>b=1"},
		{"x.csv", "protein1,protein2,score\na,b,900\n", "--columns from=protein1,to=protein2,weight=score", "a>b=900"},
		{"x.csv", "from,to,weight,oneway\na,b,2,0\n", "--undirected", "a>b=2 b>a=2"},
		{"x.csv", "from,to,weight,oneway\na,b,2,0\nb,a,2,0\n", "--directed", "a>b=2 b>a=2"},
		{"x.txt", "\"from\" \"to\" \"weight\"\n\"1\" 1 2 3\n", "--columns from=2,to=3,weight=4", "1>2=3"},
		{"x.csv", "fromnode,tonode,length_m,freespeed\n1,2,3,4\n", "--columns from=fromnode,to=tonode,weight=length_m",
			"1>2=3"},
		{"x.txt", "5 4\n1 2\n2 3\n3 4\n4 5\n", "--columns from=1,to=2", "1>2=1 2>3=1 3>4=1 4>5=1 5>4=1"},
		{"out.x", "% asym positive\n1 2 3\n", "--columns from=1,to=2,weight=3", "1>2=3"},
		{"out.x", "% asym positive\n1 2 3\n", "--columns from=1,to=2", "1>2=1"},
		{"x.txt", "0 1 {'km': 3, 'length': 4, 'cost': 5}\n", "--columns from=1,to=2", "0>1=1"},
		{"x.csv", "7,3\nKöln,e\nant,6\n1,6\n", "--columns from=1,to=2", "7>3=1 Köln>e=1 ant>6=1 1>6=1"},
		{"x.txt", "5\n1 2\n2 3\n", "--base 0", "1>2=1 2>3=1"},
		{"x.gr", "p sp 2 1\na 0 1 3\n", "--base 0", "0>1=3"},
		{"x.mtx", "3 3 2\n2 1\n3 2\n", "{ echo '%%MatrixMarket matrix coordinate pattern general'; " +
			"sed '1s/^[^0-9%]*//' FILE; } > NEW.mtx", "2>1=1 3>2=1"},
		{"x.mtx", "3 3 2\n2 1 4\n3 2 5\n", "{ echo '%%MatrixMarket matrix coordinate real general'; " +
			"sed '1s/^[^0-9%]*//' FILE; } > NEW.mtx", "2>1=4 3>2=5"},
		{"x.txt", "3 3 2\n2 1 4\n3 2 5\n", "{ echo '%%MatrixMarket matrix coordinate real general'; " +
			"sed '1s/^[^0-9%]*//' FILE; } > NEW.mtx", "2>1=4 3>2=5"},
		{"x.mtx", "\xef\xbb\xbf3 3 2\r\n2 1 4\r\n3 2 5\r\n",
			"{ echo '%%MatrixMarket matrix coordinate real general'; " +
				"sed '1s/^[^0-9%]*//' FILE; } > NEW.mtx", "2>1=4 3>2=5"},
		{"x.txt", "3 3 2\n2 1 4\n3 2 5\n", "--columns from=1,to=2,weight=3", "2>1=4 3>2=5"},
		{"x.txt", "a 0 1 2\nb 1 0 3\nc 2 3 0\n", "--format matrix", "a>b=1 a>c=2 b>a=1 b>c=3 c>a=2 c>b=3"},
		{"x.csv", "from,to,capacity\n1,2,3\n", "--columns from=from,to=to", "1>2=1"},
		{"x.csv", "from,to,cap\n1,2,3\n", "--columns from=from,to=to,weight=cap", "1>2=3"},
		{"x.csv", "0,5,2\n1,0,3\n4,2,0\n", "--format matrix", "0>1=5 0>2=2 1>0=1 1>2=3 2>0=4 2>1=2"},
		{"x.csv", "0,5,2\n1,0,3\n4,2,0\n", "--format edgelist", "0>5=2 1>0=3 4>2=0"},
		{"x.csv", "0,3,-1\n3,0,1\n-1,1,0\n", "--no-arc -1", "0>1=3 1>0=3 1>2=1 2>1=1"},
		{"x.csv", "0,3,2147483647\n3,0,1\n2147483647,1,0\n", "--no-arc 2147483647", "0>1=3 1>0=3 1>2=1 2>1=1"},
		{"x.csv", "0,3,1000000000\n3,0,1\n1000000000,1,0\n", "--no-arc inf",
			"0>1=3 0>2=1e+09 1>0=3 1>2=1 2>0=1e+09 2>1=1"},
		{"x.csv", "0,3.5,1.7976931348623157e308\n3.5,0,1\n4,1,0\n", "--no-arc 1.7976931348623157e308",
			"0>1=3.5 1>0=3.5 1>2=1 2>0=4 2>1=1"},
		{"x.csv", "0,3,0,0\n3,0,1,0\n0,1,0,2\n0,0,2,0\n", "--no-arc 0", "0>1=3 1>0=3 1>2=1 2>1=1 2>3=2 3>2=2"},
		{"x.csv", ",A,B\nA,0,\nB,3,0\n", "--no-arc nan", "B>A=3"},
		{"x.mtx", banner + "coordinate real general\n2 2 2\n1 2 nan\n2 1 4\n", "--no-arc nan", "2>1=4"},
		{"x.tntp", strings.Replace(tntpFile, "THRU NODE> 1", "THRU NODE> 4", 1),
			"sed 's/<FIRST THRU NODE>.*/<FIRST THRU NODE> 1/' FILE > NEW.tntp", "1>4=6 2>3=1 4>1=4 4>5=2 5>2=5 5>3=9"},
		{"x.txt", "1 2 0.5\n", "--kind f32", ""},
	} {
		if c.remedy == "" || c.arcs == "" {
			continue
		}
		_, err := readBoth(t, c.name, c.text, Options{})
		if err == nil || !strings.Contains(err.Error(), c.remedy) {
			t.Errorf("%q: %v, which lacks %q", c.text, err, c.remedy)
			continue
		}
		path, o := graphtest.WriteFile(t, c.name, []byte(c.text)), Options{}
		command, flags, _ := strings.Cut(c.remedy, ", and read NEW.txt with ")
		if strings.HasPrefix(c.remedy, "--") {
			command, flags = "", c.remedy
		}
		if command != "" {
			path = inShell(t, path, command)
		}
		for _, flag := range strings.SplitAfter(" "+flags, " --")[1:] {
			follow(t, &o, "--"+strings.TrimSuffix(flag, " --"))
		}
		g, _, err := readFile(path, o)
		if err != nil || graphtest.ArcsOf(g) != c.arcs {
			t.Errorf("%q, %s: %v, %v, want %s", c.text, c.remedy, err, g, c.arcs)
		}
	}
}

// follow sets what a flag says.
func follow(t *testing.T, o *Options, flag string) {
	switch name, value, _ := strings.Cut(flag, " "); name {
	case "--columns":
		o.Columns = value
	case "--format":
		o.Format = value
	case "--no-arc":
		o.NoArc = value
	case "--base":
		base, err := strconv.Atoi(value)
		if err != nil {
			t.Fatal(err)
		}
		o.Base = &base
	case "--directed", "--undirected":
		o.Directed = new(name == "--directed")
	default:
		t.Fatalf("no flag: %q", flag)
	}
}

// inShell runs a command on a file, and returns the file that it has written.
func inShell(t *testing.T, file, command string) string {
	made := filepath.Join(t.TempDir(), "new"+regexp.MustCompile(`> NEW(\.\w+)?`).FindStringSubmatch(command)[1])
	command = strings.ReplaceAll(command, "FILE", "'"+file+"'")
	command = regexp.MustCompile(`> NEW(\.\w+)?`).ReplaceAllString(command, "> '"+made+"'")
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v, %s", command, err, out)
	}
	if _, err := os.Stat(made); err != nil {
		t.Fatal(err)
	}
	return made
}

// TestRandomTables writes arcs as tables of every kind and reads them back: no table may be another graph, and few may
// be refused.
func TestRandomTables(t *testing.T) {
	r := seeds.New(t)
	refused, all := 0, crashtest.Repeats(200, 1000)
	for range all {
		m := randomTable(r)
		g, err := From(strings.NewReader(m.text), "x.txt", m.o)
		if err != nil {
			if graphtest.Kinds(err) != 1 {
				t.Fatalf("%v, of no kind, in\n%q", err, m.text)
			}
			refused++
			continue
		}
		got := map[string]float64{}
		for u := range g.N {
			for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
				got[g.Name(u)+">"+g.Name(int(g.Targets[k]))] = g.Weight(k)
			}
		}
		if !maps.Equal(got, m.want) {
			t.Fatalf("%v\nwant %v\nin %+v\n%s", got, m.want, m.o, m.text)
		}
	}
	t.Logf("%d of %d are refused", refused, all)
	if refused > all/5 {
		t.Errorf("%d of %d tables are refused", refused, all)
	}
}

// madeTable is a table, how it is to be read, and its arcs.
type madeTable struct {
	text string
	o    Options
	want map[string]float64
}

// randomTable returns a table with columns in any order, between any separators, in any quotes.
func randomTable(r *rand.Rand) madeTable {
	m := madeTable{want: map[string]float64{}}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	separator := pick(" ", "\t", ",", ";", ", ", " ; ")
	sep := strings.TrimSpace(separator)
	if separator == "\t" {
		sep = separator
	}
	end, last := pick("\n", "\r\n", "\r"), ""
	if sep != "" && r.IntN(6) == 0 {
		last = sep
	} else if r.IntN(8) == 0 {
		last = ";"
	}
	names := [][3]string{{"from", "to", "weight"}, {"Source", "Target", "cost"}, {"orig", "dest", "dist"}, {"u", "v",
		"length"}, {"gene1", "gene2", "len"}}[r.IntN(5)]
	kinds := []string{"from", "to"} // of columns
	if r.IntN(4) > 0 {
		kinds = append(kinds, "weight")
	}
	for range []int{0, 0, 1, 2}[r.IntN(4)] {
		kinds = append(kinds, pick("note", "number"))
	}
	header := r.IntN(3) > 0
	if header || r.IntN(2) == 0 {
		r.Shuffle(len(kinds), func(i, k int) { kinds[i], kinds[k] = kinds[k], kinds[i] })
	}
	at := func(kind string) int { return 1 + slices.Index(kinds, kind) }
	if !header && (!slices.Equal(kinds, []string{"from", "to"}) && !slices.Equal(kinds, []string{"from", "to",
		"weight"}) || r.IntN(4) == 0) {
		m.o.Columns = fmt.Sprintf("from=%d,to=%d", at("from"), at("to"))
		if at("weight") > 0 {
			m.o.Columns += fmt.Sprintf(",weight=%d", at("weight"))
		}
	}
	if header && at("weight") == 0 && len(kinds) > 2 {
		m.o.Columns = fmt.Sprintf("from=%s,to=%s", names[0], names[1])
	}
	texts := r.IntN(3)
	id := func() string {
		switch {
		case texts == 0 || texts == 1 && r.IntN(2) == 0:
			return strconv.Itoa(r.IntN(30))
		case sep == "\t" && r.IntN(3) == 0:
			return pick("New York, NY", "a;b", "Köln am Rhein", "x y")
		}
		return pick("ant", "bee", "Köln", "dog's", "e-5x", "f_g", "h.i", "東京")
	}
	cell := func(text string) string {
		if r.IntN(5) == 0 && !strings.Contains(text, "\"") {
			return `"` + text + `"`
		}
		return text
	}
	var b strings.Builder
	if r.IntN(5) == 0 {
		b.WriteString("\ufeff")
	}
	if r.IntN(4) == 0 {
		b.WriteString("# made at random" + end)
	}
	line := func(of func(kind string) string) {
		cells := make([]string, len(kinds))
		for i, kind := range kinds {
			cells[i] = cell(of(kind))
		}
		b.WriteString(strings.Join(cells, separator) + last + end)
	}
	if header {
		others := 0
		line(func(kind string) string {
			if i := slices.Index([]string{"from", "to", "weight"}, kind); i >= 0 {
				return names[i]
			}
			others++
			return fmt.Sprint("other", others)
		})
	}
	first, lines := [2]string{}, 2+r.IntN(30)
	for i := range lines {
		u, v, w := id(), id(), float64(r.IntN(200))/4
		if i == 0 {
			first = [2]string{u, v}
		} else if i == lines-1 && !header { // two words above numbers alone would be one
			u, v = first[0], first[1]
		}
		line(func(kind string) string {
			switch kind {
			case "from":
				return u
			case "to":
				return v
			case "weight":
				return strconv.FormatFloat(w, 'f', -1, 64)
			case "note":
				return pick("red", "blue", "x-1")
			}
			return strconv.Itoa(r.IntN(5000))
		})
		if at("weight") == 0 {
			w = 1
		}
		if old, ok := m.want[u+">"+v]; u != v && (!ok || w < old) {
			m.want[u+">"+v] = w
		}
	}
	m.text = b.String()
	return m
}
