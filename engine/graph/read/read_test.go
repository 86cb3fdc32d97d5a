package read

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/graph/packed"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// goodInput is a text, and the graph that it is.
type goodInput struct {
	what, name, text string
	options          Options
	n                int
	kind             entry.Kind
	arcs             string
}

var goodInputs = slices.Concat(listInputs, tableInputs, mtxInputs, metisInputs)

var listInputs = []goodInput{
	{"DIMACS", "x.gr", "c hi\np sp 3 2\na 1 2 5\na 3 1 7\n", Options{}, 3, entry.KindI32, "1>2=5 3>1=7"},
	{"by content", "x", "c hi\nc\n\np sp 3 1\na 1 2 5\n", Options{}, 3, entry.KindI32, "1>2=5"},
	{"blanks, tabs, CRLF, BOM", "x.gr", "\xef\xbb\xbfc hi\r\n\r\n p\tsp 3  2 \r\na\t1  2\t5 \r\n  a 3 1 +7\r\n",
		Options{}, 3, entry.KindI32, "1>2=5 3>1=7"},
	{"no newline at the end", "x.gr", "p sp 2 1\na 1 2 5", Options{}, 2, entry.KindI32, "1>2=5"},
	{"base 0", "x.gr", "p sp 2 1\na 0 1 5\n", Options{Base: new(0)}, 2, entry.KindI32, "0>1=5"},
	{"undirected", "x.gr", "p sp 3 2\na 1 2 5\na 2 1 4\n", Options{Directed: new(false)}, 3, entry.KindI32,
		"1>2=4 2>1=4"},
	{"one vertex", "x.gr", "p sp 1 0\n", Options{}, 1, entry.KindI32, ""},
	{"a self-loop too large for i32", "x.gr", "p sp 2 2\na 1 1 3000000000\na 1 2 5\n", Options{Kind: entry.KindI32}, 2,
		entry.KindI32, "1>2=5"},
	{"a self-loop too large for f32", "x.txt", "1 1 1e300\n1 2 0.5\n", Options{}, 2, entry.KindF32, "1>2=0.5"},
	{"a self-loop that is no integer", "x.csv", "1,2,5\n2,2,0.5\n2,2,2147483648\n", Options{}, 2, entry.KindI32,
		"1>2=5"},
	{"a self-loop that no scale makes an integer", "x.csv", "1,2,0.5\n2,2,0.125\n", Options{Scale: 10}, 2,
		entry.KindI32, "1>2=5"},
	{"a large self-loop in METIS", "x.graph", "2 2 1\n1 9999999999 2 5\n1 5\n", Options{}, 2, entry.KindI32,
		"1>2=5 2>1=5"},
	{"a large self-loop in Matrix Market", "x.mtx", banner +
		"coordinate integer general\n2 2 2\n1 1 3000000000\n1 2 5\n", Options{Kind: entry.KindI32}, 2, entry.KindI32,
		"1>2=5"},
	{"a large diagonal in Matrix Market", "x.mtx", banner +
		"array integer general\n2 2\n3000000000\n7\n5\n3000000000\n", Options{Kind: entry.KindI32}, 2, entry.KindI32,
		"1>2=5 2>1=7"},
	{"a large self-loop of SciPy", "x.npz", triplesOf(2, []int32{0, 1}, []int32{0, 0}, "<u8", []uint64{1 << 63, 7}),
		Options{}, 2, entry.KindI32, "1>0=7"},
	{"only a self-loop", "x.gr", "p sp 1 1\na 1 1 5\n", Options{}, 1, entry.KindI32, ""},
	{"zero weight, minus zero", "x.gr", "p sp 2 2\na 1 2 0\na 2 1 -0.0\n", Options{}, 2, entry.KindI32, "1>2=0 2>1=0"},
	{"minus zero in f32", "x.gr", "p sp 2 2\na 1 2 0.5\na 2 1 -0.0\n", Options{}, 2, entry.KindF32, "1>2=0.5 2>1=0"},
	{"infinite weight", "x.gr", "p sp 2 2\na 1 2 inf\na 2 1 +Infinity\n", Options{}, 2, entry.KindI32, ""},
	{"parallel arcs", "x.gr", "p sp 2 3\na 1 2 5\na 1 2 3\na 1 2 4\n", Options{}, 2, entry.KindI32, "1>2=3"},
	{"negative arcs", "x.gr", "p sp 2 2\na 1 2 -5\na 2 1 +7\n", Options{}, 2, entry.KindI32, "1>2=-5 2>1=7"},
	{"integers in disguise", "x.gr", "p sp 2 2\na 1 2 5.0\na 2 1 1.2e1\n", Options{}, 2, entry.KindI32, "1>2=5 2>1=12"},
	{"one fraction", "x.gr", "p sp 2 2\na 1 2 16777217\na 2 1 0.25\n", Options{}, 2, entry.KindF32,
		"1>2=1.6777216e+07 2>1=0.25"},
	{"a fraction after a huge one", "x.gr", "p sp 2 2\na 1 2 4294967296\na 2 1 0.25\n", Options{}, 2, entry.KindF32,
		"1>2=4.294967296e+09 2>1=0.25"},
	{"asked for f32", "x.gr", "p sp 2 1\na 1 2 5\n", Options{Kind: entry.KindF32}, 2, entry.KindF32, "1>2=5"},
	{"scaled", "x.gr", "p sp 2 2\na 1 2 0.001\na 2 1 12.5\n", Options{Scale: 1000}, 2, entry.KindI32,
		"1>2=1 2>1=12500"},
	{"scaled f32", "x.gr", "p sp 2 1\na 1 2 0.001\n", Options{Scale: 1000, Kind: entry.KindF32}, 2, entry.KindF32,
		"1>2=1"},

	{"ids as they are", "x.txt", "0 1 5\n1 2 6\n", Options{}, 3, entry.KindI32, "0>1=5 1>2=6"},
	{"ids with gaps", "x.txt", "70 5 1\n5 1000000000000 2\n-3 70 4\n", Options{}, 4, entry.KindI32,
		"-3>70=4 5>1000000000000=2 70>5=1"},
	{"ids above the limit", "x.txt", "19000000 1 1\n1 18000000 2\n", Options{}, 3, entry.KindI32,
		"1>18000000=2 19000000>1=1"},
	{"ids below zero and large", "x.txt",
		"-9 900000000000000000 1\n900000000000000000 -9 2\n9223372036854775807 -9223372036854775808 3\n", Options{}, 4,
		entry.KindI32, "-9>900000000000000000=1 900000000000000000>-9=2 9223372036854775807>-9223372036854775808=3"},
	{"long texts", "x.csv", "Llanfairpwllgwyngyll,Llanfairpwllgwyngyl,5\nLlanfairpwllgwyngyl,Llanfairpwlxgwyngyll,6\n",
		Options{}, 3, entry.KindI32,
		"Llanfairpwllgwyngyll>Llanfairpwllgwyngyl=5 Llanfairpwllgwyngyl>Llanfairpwlxgwyngyll=6"},
	{"texts in UTF-8", "x.csv", "München,Köln,5\nKöln,東京,6\n", Options{}, 3, entry.KindI32, "München>Köln=5 Köln>東京=6"},
	{"texts with blanks", "x.csv", "New York , San  José,5\nSan  José,x y z\t,6\n", Options{}, 3, entry.KindI32,
		"New York>San  José=5 San  José>x y z=6"},
	{"texts of digits and letters", "x.txt", "3f2a 0x10 5\n12ab5e3 3f2a 6\n", Options{}, 3, entry.KindI32,
		"3f2a>0x10=5 12ab5e3>3f2a=6"},
	{"texts of signs", "x.txt", "@a $b 5\n(c) +d 6\n", Options{}, 4, entry.KindI32, "@a>$b=5 (c)>+d=6"},
	{"all in quotes", "x.csv", "\"from\",\"to\",\"weight\"\r\n\"1\",\"2\",\"5.5\"\r\n\"2\",\"b\",\"-0.25\"\r\n",
		Options{}, 3, entry.KindF32, "1>2=5.5 2>b=-0.25"},
	{"quotes with separators", "x.csv", "\"a,b\",\"c;d\",5\n\"#e\",\"//f\",6\n", Options{}, 4, entry.KindI32,
		"a,b>c;d=5 #e>//f=6"},
	{"a comment where a column is that counts for nothing", "x.csv",
		"note,source,target,weight\nx,1,2,5\n#y,1,3,5\n%,1,3,5\n//,1,3,5\n\"#\",2,1,6\n", Options{}, 2, entry.KindI32,
		"1>2=5 2>1=6"},
	{"comments of three kinds", "x.txt", "# a\n1 2 5\n  // b\n% c\n//\n2 1 6\n", Options{}, 2, entry.KindI32,
		"1>2=5 2>1=6"},
	{"weights in many ways", "x.txt", "1 2 .5\n2 3 5.\n3 4 1e-3\n4 5 +2.5E+1\n5 6 00012.50\n6 1 0.30000000000000004\n",
		Options{}, 6, entry.KindF32, "1>2=0.5 2>3=5 3>4=0.0010000000474974513 4>5=25 5>6=12.5 6>1=0.30000001192092896"},
	{"a fraction late", "x.csv", "1,2,3\n2,3,4\n3,1,-7\n1,3,8.5\n", Options{}, 3, entry.KindF32,
		"1>2=3 1>3=8.5 2>3=4 3>1=-7"},
	{"named, with quotes behind", "x.csv", "1,2,3,\"a\"\n2,1,4,b\n", Options{Columns: "from,to,weight"}, 2,
		entry.KindI32, "1>2=3 2>1=4"},
	{"a last column that is used, with blanks", "x.csv", "1,2\n2,2 b\n2 b,1 \n", Options{Columns: "to,from"}, 3,
		entry.KindI32, "2>1=1 1>2 b=1 2 b>2=1"},
	{"skipped columns", "x.csv", "x;1;2019-01-01;2;a b;3\ny;2;\"q;r\";1;;4\n",
		Options{Columns: "skip,from,day,to,note,weight"}, 2, entry.KindI32, "1>2=3 2>1=4"},
	{"SNAP", "x.txt", "# Directed graph (each unordered pair of nodes is saved once): x.txt\n# Nodes: 3 Edges: 2\n# " +
		"FromNodeId\tToNodeId\n30\t1412\n1412\t5\n", Options{}, 3, entry.KindI32, "30>1412=1 1412>5=1"},
	{"KONECT", "out.x", "% sym weighted\n% 2 3 3\n1 2 5\n2 3 6\n", Options{}, 3, entry.KindI32,
		"1>2=5 2>1=5 2>3=6 3>2=6"},
	{"KONECT, directed", "out.x", "% asym unweighted\n% 2 3 3\n1 2\n2 3\n", Options{}, 3, entry.KindI32, "1>2=1 2>3=1"},
	{"KONECT, told", "out.x", "% sym unweighted\n1 2\n2 3\n", Options{Directed: new(true)}, 3, entry.KindI32,
		"1>2=1 2>3=1"},
	{"SNAP, undirected", "x.txt",
		"# Undirected graph: ../../data/output/x.txt\n# x\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n30\t14\n14\t5\n", Options{}, 3, entry.KindI32, "5>14=1 14>5=1 14>30=1 30>14=1"},
	{"number of vertices", "x.txt", "3\n0 1\n1 2\n", Options{}, 3, entry.KindI32, "0>1=1 1>2=1"},
	{"number of vertices, isolated ones", "x.csv", "4\n0,1,5\n1,2,0.5\n", Options{}, 4, entry.KindF32, "0>1=5 1>2=0.5"},
	{"number of vertices, isolated ones, from 1", "x.txt", "# c\n4\n4 2\n2 4\n4 4\n", Options{}, 4, entry.KindI32,
		"2>4=1 4>2=1"},
	{"number of vertices and a base", "x.txt", "9\n2 3 5\n3 4 6\n", Options{Base: new(1)}, 9, entry.KindI32,
		"2>3=5 3>4=6"},
	{"number of vertices, a header", "x.csv", "3\nfrom,to,weight\n7,b,5\nb,c,1\n", Options{}, 3, entry.KindI32,
		"7>b=5 b>c=1"},
	{"number of vertices, large", "x.txt", "16777217\n0 16777216 5\n1 2 4\n", Options{}, 16777217, entry.KindI32,
		"0>16777216=5 1>2=4"},
	{"number of edges", "x.txt", "2\n10 20 5\n20 30 6\n", Options{}, 3, entry.KindI32, "10>20=5 20>30=6"},
	{"number of vertices, named", "x.txt", "2\n5 1 2\n6 2 1\n", Options{Columns: "weight,from,to"}, 2, entry.KindI32,
		"1>2=5 2>1=6"},
	{"numbers of vertices and edges", "x.txt", "4 2\n0 1 5\n1 2 6\n", Options{}, 4, entry.KindI32, "0>1=5 1>2=6"},
	{"numbers of vertices and edges, each both ways", "x.txt", "3 2\n1 2 5\n2 1 5\n2 3 6\n3 2 6\n", Options{}, 3,
		entry.KindI32, "1>2=5 2>1=5 2>3=6 3>2=6"},
	{"numbers of vertices and edges, names", "x.txt", "9 2\na b 5\nb c 6\n", Options{}, 3, entry.KindI32,
		"a>b=5 b>c=6"},
	{"numbers of vertices and edges above commas", "x.txt", "3 3\n1,2\n2,3\n1,3\n", Options{}, 3, entry.KindI32,
		"1>2=1 1>3=1 2>3=1"},
	{"numbers of vertices and edges, unweighted", "x.txt", "3 6\n1 2\n2 1\n1 3\n3 1\n2 3\n3 2\n", Options{}, 3,
		entry.KindI32, "1>2=1 1>3=1 2>1=1 2>3=1 3>1=1 3>2=1"},
	{"the same as arcs", "x.txt", "3 6\n1 2\n2 1\n1 3\n3 1\n2 3\n3 2\n", Options{Columns: "from=1,to=2"}, 4,
		entry.KindI32, "1>2=1 1>3=1 2>1=1 2>3=1 3>1=1 3>2=1 3>6=1"},
	{"an arc that is no numbers", "x.txt", "3 2\n1 2\n2 4\n", Options{}, 4, entry.KindI32, "1>2=1 2>4=1 3>2=1"},
	{"an arc that is no numbers, and names", "x.txt", "3 2\nb a\na 2\n", Options{}, 4, entry.KindI32,
		"3>2=1 b>a=1 a>2=1"},
	{"a first arc of small numbers", "x.txt", "2 1\n1 2\n", Options{}, 2, entry.KindI32, "1>2=1 2>1=1"},
	{"only one arc of numbers", "x.txt", "5 4\n", Options{}, 2, entry.KindI32, "5>4=1"},
	{"texts", "x.txt", "b a 5\na 7 6\n007 b 1\n", Options{}, 4, entry.KindI32, "b>a=5 a>7=6 007>b=1"},
	{"quotes", "x.csv", "\"New York\",\"a \"\"b\"\" c\",5\n", Options{}, 2, entry.KindI32, "New York>a \"b\" c=5"},
	{"quotes between blanks", "x.txt", "\"New York\" Rome 5\n", Options{}, 2, entry.KindI32, "New York>Rome=5"},
	{"quoted number", "x.csv", "\"1\",\"2\",\"5\"\n", Options{}, 2, entry.KindI32, "1>2=5"},
	{"unit weights", "x.txt", "# SNAP\n0\t1\n1\t0\n", Options{}, 2, entry.KindI32, "0>1=1 1>0=1"},
	{"scaled unit weights", "x.txt", "0 1\n", Options{Scale: 10}, 2, entry.KindI32, "0>1=10"},
	{"percent comments", "x.txt", "% a\n1 2 3\n", Options{}, 2, entry.KindI32, "1>2=3"},
	{"commas", "x.csv", "1, 2, 3\n2 ,1 , 4 \n", Options{}, 2, entry.KindI32, "1>2=3 2>1=4"},
	{"semicolons", "x.csv", "1;2;3.5\n", Options{}, 2, entry.KindF32, "1>2=3.5"},
	{"cedge", "x.cedge", "0 0 1 0.5\n1 1 2 0.25\n", Options{}, 3, entry.KindF32, "0>1=0.5 1>2=0.25"},
	{"named columns", "x.txt", "9 0.5 7 8\n", Options{Columns: "x,weight,to,from"}, 2, entry.KindF32, "8>7=0.5"},
	{"named, unweighted", "x.txt", "1 2 3\n", Options{Columns: "from,to,time"}, 2, entry.KindI32, "1>2=1"},
	{"named, more columns", "x.txt", "1 2 3 4 5\n", Options{Columns: "from,to"}, 2, entry.KindI32, "1>2=1"},
	{"header", "x.csv", "from,to,weight\n1,2,3\n", Options{}, 2, entry.KindI32, "1>2=3"},
	{"header in another order", "x.csv", "id,Weight,Target,Source\n1,2,3,4\n", Options{}, 2, entry.KindI32, "4>3=2"},
	{"many comments", "x.csv", strings.Repeat("# comment\n", 60000) + "to,from\n1,2\n", Options{}, 2, entry.KindI32,
		"2>1=1"},
	{"header with capacity", "x.csv", "source,target,capacity\n1,2,3\n",
		Options{Columns: "from=source,to=target,weight=capacity"}, 2, entry.KindI32, "1>2=3"},
	{"header of unknown names", "x.csv", "x y z\n1 2 3\n", Options{}, 2, entry.KindI32, "1>2=3"},
	{"header of other names, picked", "x.csv", "fromnode,tonode,length_m,freespeed\n1,2,3,4\n",
		Options{Columns: "from=fromnode, to=ToNode,weight=length_m"}, 2, entry.KindI32, "1>2=3"},
	{"picked by number", "x.csv", "x,1,2,y,3\nx,2,1,y,4\n", Options{Columns: "weight=5,from=2,to=3"}, 2, entry.KindI32,
		"1>2=3 2>1=4"},
	{"picked by number below a header", "x.csv", "a,b,c\n7,1,2\n", Options{Columns: "from=2,to=3,weight=1"}, 2,
		entry.KindI32, "1>2=7"},
	{"picked by name and number", "x.csv", "a,b,2019\n7,1,2\n", Options{Columns: "from=b,to=3"}, 2, entry.KindI32,
		"1>2=1"},
	{"picked from what R's write.table writes", "x.txt", "\"from\" \"to\" \"weight\"\n\"1\" 1 2 3\n",
		Options{Columns: "from=2,to=3,weight=4"}, 2, entry.KindI32, "1>2=3"},
	{"header of pandas", "x.csv", ",source,target,weight\n0,1,2,0.5\n1,2,3,1.5\n", Options{}, 3, entry.KindF32,
		"1>2=0.5 2>3=1.5"},
	{"header of R", "x.csv", "\"\",\"from\",\"to\",\"weight\"\n\"1\",\"a\",\"b\",0.5\n", Options{}, 2, entry.KindF32,
		"a>b=0.5"},
	{"an empty column that is skipped", "x.csv", ",a,b\n,b,c\n", Options{Columns: "skip,from,to"}, 3, entry.KindI32,
		"a>b=1 b>c=1"},
	{"one way, and told", "x.csv", "from,to,oneway\n1,2,0\n", Options{Directed: new(false), Columns: "from=from,to=to"},
		2, entry.KindI32, "1>2=1 2>1=1"},
	{"OSMnx", "x.csv", "u,v,key,osmid,oneway,length\n1,2,0,5,False,7.5\n2,1,0,5,False,7.5\n", Options{}, 2,
		entry.KindF32, "1>2=7.5 2>1=7.5"},
	{"sep=;", "x.csv", "\xef\xbb\xbfsep=;\r\nfrom;to;weight\r\n1;2;3\r\n", Options{}, 2, entry.KindI32, "1>2=3"},
	{"sep=,", "x.csv", "Sep=,\n1,2,3\n", Options{}, 2, entry.KindI32, "1>2=3"},
	{"sep= and a tab", "x.csv", "sep=\t\na,x\tb\t3\n", Options{}, 2, entry.KindI32, "a,x>b=3"},
	{"header of two unknown names", "x.csv", "x y\n1 2\n2 3\n", Options{}, 3, entry.KindI32, "1>2=1 2>3=1"},
	{"header of unknown names, by number", "x.csv", "fromnode,tonode,length_m\n1,2,3.5\n2,3,1.5\n",
		Options{Columns: "from=1,to=2"}, 3, entry.KindI32, "1>2=1 2>3=1"},
	{"header of unknown names, by name and above words", "x.csv", "x,a,b\nq,1,2\nr,2,3\n",
		Options{Columns: "skip,from,to"}, 3, entry.KindI32, "1>2=1 2>3=1"},
	{"header with an unnamed column, by number", "x.csv", "a,b,c,\n1,2,3,\n2,3,1,\n", Options{Columns: "from=1,to=2"},
		3, entry.KindI32, "1>2=1 2>3=1"},
	{"texts and further columns, by number", "x.csv", "a,b,x\nb,c,3.5\n", Options{Columns: "from=1,to=2"}, 3,
		entry.KindI32, "a>b=1 b>c=1"},
	{"networkx", "x.txt", "0 1 {'weight': 3}\n1 2 {'color': 'a, {b}', 'weight': 4}\n", Options{}, 3, entry.KindI32,
		"0>1=3 1>2=4"},
	{"networkx, no data", "x.txt", "#made by\n0 1 {}\n1 b {}\n", Options{}, 3, entry.KindI32, "0>1=1 1>b=1"},
	{"networkx, numbers of NumPy", "x.txt",
		"a b {'x': np.int64(3), 'weight': np.float64(0.5)}\nb a {'weight': 1e-05}\n", Options{}, 2, entry.KindF32,
		"a>b=0.5 b>a=9.999999747378752e-06"},
	{"networkx, commas", "x.csv", "0,1,{'length': 2.5, 'k': [1, (2, 3)]}\n1,2,{'k': \"it's\", 'length': 4.5}\n",
		Options{}, 3, entry.KindF32, "0>1=2.5 1>2=4.5"},
	{"networkx, a key picked", "x.txt", "0 1 {'time': 3, 'weight': 7}\n", Options{Columns: "from=1,to=2,weight=time"},
		2, entry.KindI32, "0>1=3"},
	{"networkx, the other way", "x.txt", "0 1 {'weight': 7}\n", Options{Columns: "to,from,weight"}, 2, entry.KindI32,
		"1>0=7"},
	{"braces that are none", "x.txt", "a {b 5\n{b c} 6\n", Options{}, 3, entry.KindI32, "a>{b=5 {b>c}=6"},
	{"header v, w, length", "x.csv", "v,w,length\n1,2,5\n2,3,6\n", Options{}, 3, entry.KindI32, "1>2=5 2>3=6"},
	{"header w, v, cost", "x.csv", "w,v,cost\n1,2,5\n2,3,6\n", Options{}, 3, entry.KindI32, "1>2=5 2>3=6"},
	{"networkx, without its data", "x.txt", "# made by\n0 1 {}\n1 2 {'weight': 3}\n2 0 {'a': 3, 'b': 4}\n",
		Options{Columns: "from,to"}, 3, entry.KindI32, "0>1=1 1>2=1 2>0=1"},
	{"networkx, texts without their data", "x.txt", "u v {}\n1 2 {}\n", Options{Columns: "from=1,to=2"}, 4,
		entry.KindI32, "u>v=1 1>2=1"},
	{"header v w", "x.txt", "v w\n1 2\n2 3\n", Options{}, 3, entry.KindI32, "1>2=1 2>3=1"},
	{"header u, w", "x.csv", "u,w\n1,2\n2,3\n", Options{}, 3, entry.KindI32, "1>2=1 2>3=1"},
	{"header v, w, weight", "x.csv", "v,w,weight\n1,2,5\n2,3,6\n", Options{}, 3, entry.KindI32, "1>2=5 2>3=6"},
	{"header v, u", "x.csv", "v,u\n1,2\n2,3\n", Options{}, 3, entry.KindI32, "2>1=1 3>2=1"},
	{"vertices u, v", "x.csv", "u v\nv x\n", Options{}, 3, entry.KindI32, "u>v=1 v>x=1"},
	{"texts below a header", "x.csv", "Source,Target\na,b\n", Options{}, 2, entry.KindI32, "a>b=1"},
	{"two words and no header", "x.txt", "x y\ny z\n", Options{}, 3, entry.KindI32, "x>y=1 y>z=1"},
	{"two words alone", "x.txt", "x y\n", Options{}, 2, entry.KindI32, "x>y=1"},
	{"base 1, isolated vertices", "x.txt", "5 2 3\n", Options{Base: new(1)}, 5, entry.KindI32, "5>2=3"},
	{"forced format", "x.gr", "1 2 3\n", Options{Format: "edgelist"}, 2, entry.KindI32, "1>2=3"},
	{"undirected list", "x.txt", "2 1 3\n", Options{Directed: new(false)}, 2, entry.KindI32, "1>2=3 2>1=3"},
	{"an edge list that starts like METIS", "x.txt", "3 3\n1 2\n2 3\n3 1\n", Options{}, 3, entry.KindI32,
		"1>2=1 2>3=1 3>1=1"},
	{"ragged lines, named", "x.txt", "3 2\n1 2 9\n2 3\n", Options{Columns: "from,to"}, 3, entry.KindI32,
		"1>2=1 2>3=1 3>2=1"},
	{"a blank between tabs", "x.tsv", "1\tA\t2\t7\n1\tMain Street\t2\t7\n", Options{Columns: "from=1,to=3,weight=4"}, 2,
		entry.KindI32, "1>2=7"},
	{"nothing between tabs", "x.tsv", "1\tA\t2\t7\t9\n1\t\t2\t7\t9\n", Options{Columns: "from,name,to,weight"}, 2,
		entry.KindI32, "1>2=7"},
	{"a blank and nothing between tabs", "x.tsv", "from\tname\tto\tweight\tn\n2\tX Y\t3\t8\t\n",
		Options{Columns: "from=from,to=to"}, 2, entry.KindI32, "2>3=1"},
	{"a text that starts like DIMACS", "x.txt", "c d 5\nd c 6\n", Options{}, 2, entry.KindI32, "c>d=5 d>c=6"},
}

func TestGoodInputs(t *testing.T) {
	crashtest.Slow(t)
	for _, c := range goodInputs {
		t.Run(c.what, func(t *testing.T) {
			g, err := readBoth(t, c.name, c.text, c.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := graphtest.ArcsOf(g); g.N != c.n || g.Kind != c.kind || got != c.arcs {
				t.Errorf("%d vertices, kind %s: %s\nwant %d, %s: %s", g.N, g.Kind, got, c.n, c.kind, c.arcs)
			}
			for row := 0; row < g.N; row += 1 + g.N/100_000 {
				if back, ok := g.Row(g.Name(row)); !ok || back != row {
					t.Errorf("row %d is called %q, which is row %d, %v", row, g.Name(row), back, ok)
				}
			}
		})
	}
}

func TestCounts(t *testing.T) {
	const text = "0 1 5\n1 0 4\n0 0 1\n1 1 0\n2 0 inf\n0 1 6\n"
	directed, err := readBoth(t, "x.txt", text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	undirected, err := readBoth(t, "x.txt", text, Options{Directed: new(false)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		g                             *graph.Graph
		arcs, parallel, loops, noArcs int64
	}{{directed, 2, 1, 2, 1}, {undirected, 2, 2, 2, 1}} {
		if c.g.Arcs() != c.arcs || c.g.Parallel != c.parallel || c.g.SelfLoops != c.loops || c.g.NoArcs != c.noArcs {
			t.Errorf("%d arcs, %d parallel, %d self-loops, %d infinite; want %+v", c.g.Arcs(), c.g.Parallel,
				c.g.SelfLoops, c.g.NoArcs, c)
		}
	}
	if !reflect.DeepEqual(directed.IDs, graph.IDs{}) {
		t.Errorf("ids 0…n-1 are stored as %+v", directed.IDs)
	}
}

func TestManyIsolatedVertices(t *testing.T) {
	crashtest.Slow(t)
	g, err := readBoth(t, "x.gr", "p sp 10000000 2\na 1 10000000 3\na 10000000 1 4\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if g.N != 10000000 || graphtest.ArcsOf(g) != "1>10000000=3 10000000>1=4" {
		t.Errorf("%d vertices: %s", g.N, graphtest.ArcsOf(g))
	}
}

func TestCompressed(t *testing.T) {
	plain, err := os.ReadFile("../testdata/rome99.gr")
	if err != nil {
		t.Fatal(err)
	}
	want, err := From(bytes.NewReader(plain), "rome99.gr", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var zipped, zstandard bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(plain[:1000])
	z.Close()
	z.Reset(&zipped) // a second member, as pigz and cat make them
	z.Write(plain[1000:])
	z.Close()
	s, err := zstd.NewWriter(&zstandard)
	if err != nil {
		t.Fatal(err)
	}
	s.Write(plain)
	s.Close()
	// The content decides, not the name.
	for name, packed := range map[string]string{"a.gr": zipped.String(), "b.gr.gz": zstandard.String(),
		"c": zipped.String(),
		"d": "\x5a\x2a\x4d\x18\x02\x00\x00\x00hi" + zstandard.String()} { // a frame to be skipped

		g, err := readBoth(t, name, packed, Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		graphtest.SameGraph(t, g, want)
	}
}

// TestCompressedDetection finds the format of inputs of which the first bytes come out of a decompressor only after
// much went in: numbers that do not compress, and a long header.
func TestCompressedDetection(t *testing.T) {
	r := seeds.New(t)
	const n = 200
	matrix := []byte("\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n",
		"{'descr': '<i4', 'fortran_order': False, 'shape': (200, 200)}"))
	for range n * n {
		matrix = binary.LittleEndian.AppendUint32(matrix, 10*r.Uint32N(1e6)) // never nines alone
	}
	var text bytes.Buffer
	text.WriteString("p sp 200 40000\n")
	for range n * n {
		fmt.Fprintf(&text, "a %d %d %d\n", 1+r.IntN(n), 1+r.IntN(n), r.IntN(1e6))
	}
	var long bytes.Buffer
	z := gzip.NewWriter(&long)
	z.Extra = make([]byte, math.MaxUint16)
	z.Write(matrix)
	z.Close()
	inputs := map[string][]byte{"matrix after a long header": long.Bytes()}
	for name, data := range map[string][]byte{"matrix": matrix, "text": text.Bytes()} {
		for _, ext := range []string{"", ".gz", ".zst"} {
			var b bytes.Buffer
			w, err := packed.NewWriter(&b, name+ext)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(data)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			inputs[name+ext] = b.Bytes()
		}
	}
	for name, data := range inputs {
		path := graphtest.WriteFile(t, "x", data) // the content decides, not the name
		if _, _, err := readFile(path, Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := From(bytes.NewReader(data), "x", Options{}); err != nil {
			t.Errorf("%s as a stream: %v", name, err)
		}
		if e, err := Measure(path, Options{}); err != nil || e.N != n || e.Dense != strings.HasPrefix(name, "matrix") {
			t.Errorf("%s measured: %+v, %v", name, e, err)
		}
	}
}

func TestStoredBytesAreSummed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.gr.gz")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("p sp 2 1\na 1 2 3\n"))
	z.Close()
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, source, err := readFile(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if source.Size != int64(packed.Len()) || source.Name != path || source.ModTime.IsZero() {
		t.Errorf("source %+v of %d bytes", source, packed.Len())
	}
}

func TestStandardInput(t *testing.T) {
	f, err := os.Open("../testdata/rome99.gr")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	defer func(old *os.File) { os.Stdin = old }(os.Stdin)
	os.Stdin = f
	got, source, err := readFile("-", Options{Sum: true})
	if err != nil {
		t.Fatal(err)
	}
	want, wantSource, err := readFile("../testdata/rome99.gr", Options{Sum: true})
	if err != nil {
		t.Fatal(err)
	}
	graphtest.SameGraph(t, got, want)
	if source.Name != "standard input" || source.SHA256 != wantSource.SHA256 || source.Size != wantSource.Size {
		t.Errorf("source %+v", source)
	}
}

// TestManyArcs fills several chunks and batches, and ends in the middle of one.
func TestManyArcs(t *testing.T) {
	r := seeds.New(t)
	const n, m = 500, 200077
	text, b := []byte("c\n"), graph.New(n, graph.Named(graph.IDs{Base: 1}))
	text = fmt.Appendf(text, "p sp %d %d\n", n, m)
	for i := range m {
		u, v, w := r.IntN(n), r.IntN(n), r.IntN(100000)
		text = fmt.Appendf(text, "a %d %d %d", u+1, v+1, w)
		weight := float64(w)
		if i > m/2 { // the kind is found late
			text, weight = append(text, ".5"...), weight+0.5
		}
		text = append(text, '\n')
		b.Add(u, v, weight)
	}
	want, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	got, err := readBoth(t, "x.gr", string(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphtest.SameGraph(t, got, want)
}

func TestMissingFile(t *testing.T) {
	_, _, err := readFile(filepath.Join(t.TempDir(), "none.gr"), Options{})
	if !os.IsNotExist(err) {
		t.Errorf("error %v", err)
	}
}

// TestRandomTexts writes random arcs down in random ways and compares what is read with a map.
func TestRandomTexts(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for range crashtest.Repeats(100, 300) {
		text, options, want := randomText(r)
		g, err := readBoth(t, "x.txt", text, options)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		got := map[string]float64{}
		for u := range g.N {
			for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
				got[g.Name(u)+">"+g.Name(int(g.Targets[k]))] = g.Weight(k)
			}
		}
		if !maps.Equal(got, want) {
			t.Fatalf("%v\nwant %v\nin %+v\n%s", got, want, options, text)
		}
	}
}

// randomText returns an edge list and the arcs it stands for.
func randomText(r *rand.Rand) (string, Options, map[string]float64) {
	separator := []string{" ", "\t", ",", " ; ", "  \t"}[r.IntN(5)]
	end := []string{"\n", "\r\n", "\n\n", "\n# a comment\n"}[r.IntN(4)]
	spread := []int64{3, 50, 1 << 24, math.MaxInt64 / 2}[r.IntN(4)]
	options := Options{Directed: new(r.IntN(2) == 0)}
	fractions, texts := r.IntN(2) == 0, r.IntN(3) == 0
	id := func() string {
		if texts && r.IntN(4) == 0 {
			return "v" + strconv.Itoa(r.IntN(9))
		}
		return strconv.FormatInt(r.Int64N(spread)-spread/8, 10)
	}
	var b strings.Builder
	want := map[string]float64{}
	for i := range 1 + r.IntN(200) {
		u, v, w := id(), id(), float64(r.IntN(1000))
		if i == 0 { // "2 2 99" before 99 lines might be the size of a matrix
			w += 2000
		}
		if fractions {
			w /= 8
		}
		b.WriteString(u + separator + v + separator + strconv.FormatFloat(w, 'f', -1, 64) + end)
		if u == v {
			continue
		}
		for _, key := range []string{u + ">" + v, v + ">" + u}[:2-btoi(*options.Directed)] {
			if old, ok := want[key]; !ok || w < old {
				want[key] = w
			}
		}
	}
	return b.String(), options, want
}

func TestRowsAscendByID(t *testing.T) {
	r := seeds.New(t)
	var ids []int64
	var b strings.Builder
	seen := map[int64]bool{}
	for range 5000 {
		id := r.Int64N(1<<uint(10+r.IntN(50))) - 500
		fmt.Fprintf(&b, "%d %d 1\n", id, id+1)
		for _, x := range []int64{id, id + 1} {
			if !seen[x] {
				ids, seen[x] = append(ids, x), true
			}
		}
	}
	g, err := readBoth(t, "x.txt", b.String(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	if !slices.Equal(ids, g.IDs.Numeric) {
		t.Errorf("rows do not ascend by id")
	}
}

func TestVeryLongWeights(t *testing.T) {
	long, zeros := strings.Repeat("7", 1<<20), strings.Repeat("0", 1<<20)
	g, err := readBoth(t, "x.gr", fmt.Sprintf("p sp 2 2\na 1 2 %s5\na 2 1 0.%s\n", zeros, long), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if graphtest.ArcsOf(g) != "1>2=5 2>1=0.7777777910232544" {
		t.Error(graphtest.ArcsOf(g))
	}
}
