package read

import (
	"ooc/kernels/entry"
)

var metisInputs = []goodInput{
	{"METIS", "x", "% a comment\n3 2\n2\n1 3\n2\n", Options{}, 3, entry.KindI32, "1>2=1 2>1=1 2>3=1 3>2=1"},
	{"METIS, isolated vertices", "x.graph", "5 1\n\n3\n2\n \n\n", Options{}, 5, entry.KindI32, "2>3=1 3>2=1"},
	{"METIS, weighted", "x.graph", "3 2 1\n2 5\n1 5 3 7\n2 7\n", Options{}, 3, entry.KindI32, "1>2=5 2>1=5 2>3=7 3>2=7"},
	{"METIS, fmt 001", "x.graph", "2 1 001\n2 0.5\n1 0.5", Options{}, 2, entry.KindF32, "1>2=0.5 2>1=0.5"},
	{"METIS, vertex weights", "x.graph", "3 2 10\n9 2\n8 1 3\n7 2\n", Options{}, 3, entry.KindI32, "1>2=1 2>1=1 2>3=1 3>2=1"},
	{"METIS, vertex weights, ncon", "x.graph", "3 2 011 2\n9 9 2 5\n8 8 1 5 3 6\n7 7 2 6\n", Options{}, 3, entry.KindI32, "1>2=5 2>1=5 2>3=6 3>2=6"},
	{"METIS, sizes", "x.graph", "2 1 100\n4 2\n4 1\n", Options{}, 2, entry.KindI32, "1>2=1 2>1=1"},
	{"METIS, all", "x.graph", "2 1 111 3\n4 1 2 3 2 5\n4 1 2 3 1 5\n", Options{}, 2, entry.KindI32, "1>2=5 2>1=5"},
	{"METIS, all, isolated", "x.graph", "3 1 111 1\n4 1 2 5\n4 1 1 5\n4 1\n", Options{}, 3, entry.KindI32, "1>2=5 2>1=5"},
	{"METIS, comments, CRLF, blanks", "x.graph", "%\r\n\r\n 3\t2 \r\n%\r\n 2 \r\n% x\r\n1\t3\r\n2\r\n%\r\n\r\n", Options{}, 3, entry.KindI32, "1>2=1 2>1=1 2>3=1 3>2=1"},
	{"METIS, ids from 0", "x.graph", "2 1\n1\n0\n", Options{Base: new(0)}, 2, entry.KindI32, "0>1=1 1>0=1"},
	{"METIS, a ring", "x.txt", "4 4\n2 4\n1 3\n2 4\n1 3\n", Options{}, 4, entry.KindI32, "1>2=1 1>4=1 2>1=1 2>3=1 3>2=1 3>4=1 4>1=1 4>3=1"},
	{"METIS, self-loop", "x.graph", "2 1\n1 2\n1\n", Options{}, 2, entry.KindI32, "1>2=1 2>1=1"},
	{"METIS, self-loop counted", "x.graph", "2 2\n1 2\n1\n", Options{}, 2, entry.KindI32, "1>2=1 2>1=1"},
	{"METIS, edges twice", "x.graph", "2 2 1\n2 5 2 4\n1 4 1 5\n", Options{}, 2, entry.KindI32, "1>2=4 2>1=4"},
	{"METIS, infinite", "x.graph", "2 1 1\n2 inf\n1 inf\n", Options{}, 2, entry.KindI32, ""},
	{"METIS, directed", "x.graph", "3 2\n2 3\n\n\n", Options{Directed: new(true)}, 3, entry.KindI32, "1>2=1 1>3=1"},
	{"METIS, scaled", "x.graph", "2 1 1\n2 0.5\n1 5e-1\n", Options{Scale: 10}, 2, entry.KindI32, "1>2=5 2>1=5"},
	{"METIS, one vertex", "x.graph", "1 0\n\n", Options{}, 1, entry.KindI32, ""},
}

var badMETIS = []badInput{
	{"METIS, nothing", "x.graph", "% nothing\n", Options{}, 0, `no line "VERTICES EDGES [FMT [NCON]]"`},
	{"METIS, one number", "x.graph", "3\n", Options{}, 1, `not "VERTICES EDGES [FMT [NCON]]"`},
	{"METIS, header of letters", "x.graph", "%\nthree 2\n", Options{}, 2, "not a number"},
	{"METIS, fmt", "x.graph", "3 2 2\n", Options{}, 1, `FMT "2"`},
	{"METIS, long fmt", "x.graph", "3 2 0001\n", Options{}, 1, `FMT "0001"`},
	{"METIS, ncon without weights", "x.graph", "3 2 1 2\n", Options{}, 1, "vertices have none"},
	{"METIS, no vertices", "x.graph", "0 0\n", Options{}, 1, "no vertices"},
	{"METIS, too many vertices", "x.graph", "3000000000 0\n", Options{}, 1, "the most is"},
	{"METIS, too few lists", "x.graph", "3 2\n2\n1 3\n", Options{}, 1,
		"3 vertices are announced, but the file ends after 2"},
	{"METIS, too many lists", "x.graph", "2 1\n2\n1\n\n1\n", Options{}, 5,
		"line 1 announces 2 vertices, and this is one more"},
	{"METIS, neighbour 0", "x.graph", "2 1\n2\n0\n", Options{}, 3, `vertex "0" is outside 1…2; if ids start at 0, say --base 0`},
	{"METIS, neighbour too large", "x.graph", "2 1\n3\n1\n", Options{}, 2, `vertex "3" is outside 1…2`},
	{"METIS, neighbour of letters", "x.graph", "2 1\n2\nx\n", Options{}, 3, `vertex "x" is not a number`},
	{"METIS, weight missing", "x.graph", "2 1 1\n2 5\n1\n", Options{}, 3, `the weight after neighbour "1" is missing`},
	{"METIS, sizes missing", "x.graph", "2 1 110\n4\n4 1 1\n", Options{}, 2, "2 sizes and weights of vertex 1 are due"},
	{"METIS, size of letters", "x.graph", "2 1 100\n4 2\nx 1\n", Options{}, 3, "a size or weight of vertex 2"},
	{"METIS, one way", "x.graph", "3 2\n% a\n2\n% b\n% c\n1 3\n1\n", Options{}, 6, "vertex 2 lists 3, which in line 7 does not list it"},
	{"METIS, two weights", "x.graph", "2 1 1\n2 5\n1 5.5\n", Options{}, 2, "the edge from vertex 1 to 2 has weight 5, and in line 3 weight 5.5"},
	{"METIS, m counts twice", "x.graph", "2 2\n2\n1\n", Options{}, 1, "2 edges are announced, each counted once, but the lists have 2 entries and not 4"},
	{"METIS, NaN", "x.graph", "2 1 1\n2 nan\n1 nan\n", Options{}, 2, "weights are finite"},
	{"METIS, infinite one way", "x.graph", "2 1 1\n2 inf\n1 5\n", Options{}, 3, "vertex 2 lists 1, which in line 2 does not list it"},
}
