package read

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ooc/engine/graph/internal/graphtest"
)

// remedy is what an error says to do: a command that writes NEW, or columns to name.
var remedy = regexp.MustCompile(`((?:sed|awk|tr) [^;]*?(?:'[^']*'[^;']*?)*?(?:< )?FILE > NEW)|` +
	`--columns ([a-z]+=[0-9][a-z=0-9,]*)`)

// TestDoubts refuses what was read wrong without a word, and does what the errors say.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		name, text, reason string
		arcs               []string // after each remedy; none where the user must say more
	}{
		{"x.txt", "a b NA\nb c 4\na c 10\n", `line 1: weight "NA" is not a number`, nil},
		{"x.txt", "a b 3km\nb c 4\n", `line 1: weight "3km" is not a number`, nil},
		{"x.txt", "a b 1/2\nb c 4\n", `line 1: weight "1/2" is not a number`, nil},
		{"x.txt", "a b 0x10\nc d 4\n", `line 1: weight "0x10" is not a number`, nil},
		{"x.txt", "a b ~5\nc d 4\n", `line 1: weight "~5" is not a number`, nil},
		{"x.txt", "a b n/a\nc d 4\n", `line 1: weight "n/a" is not a number`, nil},
		{"x.csv", "a,b,\"3 km\"\nb,c,4\n", `line 1: weight "3 km" is not a number`, nil},
		{"x.txt", "foo bar baz\n1 2 3\nfoo bar baz\n2 3 4\n", `weight "baz" is not a number`, nil},
		{"x.csv", "from,to,weight\na,b,3\nfrom,to,weight\nb,c,2\n", "line 3: the line is the header again",
			[]string{"a>b=3 b>c=2"}},
		{"x.csv", "A,NaN,3\nNaN,B,4\n", "line 1: the to vertex is missing (NaN)", nil},
		{"x.csv", "1,2,3\n2,nan,4\nnan,3,1\n", "line 2: the to vertex is missing (nan)", nil},
		{"x.csv", "from,to,weight\nNULL,B,4\n", "line 2: the from vertex is missing (NULL)", nil},
		{"x.csv", "a,b,1\n\\N,b,4\n", `line 2: the from vertex is missing (\N)`, nil},
		{"x.txt", "a b 3\n\ufeffb c 4\n", "line 2: vertex \"\\ufeffb\" has the character U+FEFF",
			[]string{"a>b=3 b>c=4"}},
		{"x.csv", "a;b\u00a0;3\nb;c;4\n", "U+00A0", []string{"a>b=3 b>c=4"}},
		{"x.csv", "7,8,1\n\u200b7,8,2\n", "U+200B", []string{"7>8=1"}},
		{"x.txt", "1,\t2,\t3\n2,\t3,\t4\n", `vertex "1," ends with ","`, []string{"1>2=3 2>3=4"}},
		{"x.txt", "from,\tto,\tweight\n1,\t2,\t3\n2,\t3,\t4\n", `vertex "1," ends with ","`, []string{"1>2=3 2>3=4"}},
		{"x.txt", "a -> b: 3\nb -> c: 4\n", `vertex "b:" ends with ":"`, []string{"a>b=3 b>c=4"}},
		{"x.txt", "1: 2 3\n2: 3 4\n", `vertex "1:" ends with ":"`, []string{"1>2=3 2>3=4", "1>2=1 1>3=1 2>3=1 2>4=1"}},
		{"x.txt", "1017 pp 7157\n7157 pp 672\n", `column 2 is "pp" on all lines`,
			[]string{"1017>7157=1 7157>672=1", "1017>pp=7157 7157>pp=672"}},
		{"x.txt", "a pp b\nb pp c\n", `column 2 is "pp"`, []string{"a>b=1 b>c=1", ""}},
		{"x.txt", "1 - 2\n2 - 3\n", `column 2 is "-"`, []string{"1>2=1 2>3=1", ""}},
		{"x.txt", "1 | 2\n3 & 4\n", `vertex "|" is only a mark`, []string{"1>2=1 3>4=1"}},
		{"x.txt", "0 1\n1 {}\n", `line 2: vertex "{}" is only a mark`, nil},
		{"x.txt", "a->b 3\nb->c 4\n", `"a->b" may be two vertices`, []string{"a>b=3 b>c=4"}},
		{"x.csv", "a->b,3\nb->c,4\n", `"a->b" may be two vertices`, []string{"a>b=3 b>c=4"}},
		{"x.txt", "a--b 3\nb--c 4\n", `"a--b" may be two vertices`, []string{"a>b=3 b>c=4"}},
		{"x.txt", "1,2 3\n2,3 4\n", `"1,2 3" is cut only at " "`, []string{"1>2=3 2>3=4"}},
		{"x.txt", "a b 3,5\nb c 4,25\n", "has a comma between digits", []string{"a>b=3.5 b>c=4.25", "a>b=35 b>c=425"}},
		{"x.txt", "Paris Lyon 1,250\nLyon Nice 1,500\n", "has a comma between digits",
			[]string{"Paris>Lyon=1.25 Lyon>Nice=1.5", "Paris>Lyon=1250 Lyon>Nice=1500"}},
		{"out.x", "% asym signed\n1 2 1\n2 3 -1\n", "column 3 is 1 for a friend",
			[]string{"1>2=1 2>3=1", "1>2=1 2>3=-1"}},
		{"out.x", "% asym dynamic\n1 2 1 9\n2 3 -1 9\n", "column 3 says whether an arc appears",
			[]string{"1>2=1 2>3=1", "1>2=1 2>3=-1"}},
		{"x.txt", "0 3 8 -\n3 0 2 9\n8 2 0 1\n- 9 1 0\n", `"-" in its first line may say that there is no arc`,
			[]string{"0>1=3 0>2=8 1>0=3 1>2=2 1>3=9 2>0=8 2>1=2 2>3=1 3>1=9 3>2=1"}},
		{"x.csv", "0,1,∞\n1,0,1\n∞,1,0\n", `"∞" in its first line`, []string{"0>1=1 1>0=1 1>2=1 2>1=1"}},
		{"x.csv", "NA,3,8\n3,0,2\n8,2,0\n", `"NA" in its first line`, []string{"0>1=3 0>2=8 1>0=3 1>2=2 2>0=8 2>1=2"}},
		{"x.csv", "from,to,maxspeed\n1,2,1\n", `column "maxspeed" seems to be no length`, nil},
		{"x.txt", "3\n0 4 9\n4 0 3\n9 3 0\n", "may be the size of a matrix",
			[]string{"0>1=4 0>2=9 1>0=4 1>2=3 2>0=9 2>1=3", ""}},
		{"x.txt", "3\n0 2 1\n1 0 2\n2 1 0\n", "may be the size of a matrix", []string{"", "0>2=1 1>0=2 2>1=0"}},
		{"x.txt", "0 5\n7 0\n", "2 lines of 2 numbers may be a matrix, or arcs: say --format matrix", nil},
		{"x.txt", "\"1\" 10 20\n\"2\" 20 30\n\"3\" 30 40\n", "column 1 counts the lines",
			[]string{"10>20=1 20>30=1 30>40=1", "1>10=20 2>20=30 3>30=40"}},
		{"x.csv", "from,to,ow\n1,2,1\n", `column "ow" seems to say which lines are one way`, nil},
		{"x.csv", "id,source,target,cost,reverse_cost\n1,1,2,0.5,1000000.0\n2,2,3,0.25,0.25\n",
			"some costs are 1000000", []string{"1>2=0.5 2>3=0.25 3>2=0.25"}},
	} {
		_, err := readBoth(t, c.name, c.text, Options{})
		if err == nil || !strings.Contains(err.Error(), c.reason) &&
			!strings.Contains(err.Error(), strings.TrimPrefix(c.reason, "line ")) &&
			!strings.Contains(err.Error(), strings.Replace(c.reason, "line ", c.name+":", 1)) {
			t.Errorf("%q: %v, want %s", c.text, err, c.reason)
			continue
		}
		ways := remedy.FindAllStringSubmatch(err.Error(), -1)
		if len(ways) != len(c.arcs) {
			t.Errorf("%q: %d remedies in %v", c.text, len(ways), err)
			continue
		}
		for i, want := range c.arcs {
			text, o := c.text, Options{Columns: ways[i][2]}
			if ways[i][1] != "" {
				made, err := os.ReadFile(inShell(t, graphtest.WriteFile(t, "old", []byte(text)), ways[i][1]))
				if err != nil {
					t.Fatal(err)
				}
				text = string(made)
			}
			g, err := readBoth(t, c.name, text, o)
			if want != "" && (err != nil || graphtest.ArcsOf(g) != want) {
				t.Errorf("%q, %s: %q, %v", c.text, ways[i][0], text, err)
				if err == nil {
					t.Error(graphtest.ArcsOf(g))
				}
			}
		}
	}
}

// TestNoDoubt reads what only looks like that.
func TestNoDoubt(t *testing.T) {
	for text, arcs := range map[string]string{
		"a hub 3\nb hub 4\n":            "a>hub=3 b>hub=4",
		"\"NA\",b,3\nb,c,4\n":           "NA>b=3 b>c=4",
		"\"-\",b,3\nb,c,4\n":            "->b=3 b>c=4",
		"\"1,2\" 3 4\n\"2,3\" 4 5\n":    "1,2>3=4 2,3>4=5",
		"what,ever,km\na,b,3\n":         "a>b=3",
		"from,to,5m\na,b,3\n":           "a>b=3",
		"St. John;Fort;3\nx:y;Fort;4\n": "St. John>Fort=3 x:y>Fort=4",
		"a-b,c--d,3\nx,y,4\n":           "a-b>c--d=3 x>y=4",
		"1,2;3,4;5\n3,4;5,6;7\n":        "1,2>3,4=5 3,4>5,6=7",
	} {
		g, err := readBoth(t, "x.csv", text, Options{})
		if arcs != "" && (err != nil || graphtest.ArcsOf(g) != arcs) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestDoubtIsSaid reads what may be something else, and says so.
func TestDoubtIsSaid(t *testing.T) {
	for text, says := range map[string]string{
		"3 3\n2 3\n1 3\n1 2\n":              "read as METIS",
		"#1 #2 3\n#2 #3 4\n#3 y 1\nx y 1\n": `line 1, "#1 #2 3", and 1 more like it, are comments`,
		"%a %b 3\nx y 1\n":                  `line 1, "%a %b 3", is a comment`,
		"x y 1\n%a b 3\n":                   `line 2, "%a b 3", is a comment`,
	} {
		if got := remarks(t, "x.txt", text, Options{Directed: new(true)}); !strings.Contains(got, says) {
			t.Errorf("%q: %q, want %q", text, got, says)
		}
	}
	for _, name := range []string{"von;nach", "départ;arrivée", "origen;destino", "quelle;ziel"} {
		from, to, _ := strings.Cut(name, ";")
		g, err := readBoth(t, "x.csv", to+";"+from+";weight\na;b;3\n", Options{})
		if err != nil || graphtest.ArcsOf(g) != "b>a=3" {
			t.Errorf("%s: %v, %v", name, g, err)
		}
	}
}
