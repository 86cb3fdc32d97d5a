package read

import (
	"math"
	"regexp"

	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/foreign"
)

// dimacs is the format of the 9th DIMACS Implementation Challenge's shortest-path problems, which
// GTgraph writes too: http://www.diag.uniroma1.it/challenge9/format.shtml
var dimacs = inputFormat{
	Name:       "dimacs",
	Title:      "DIMACS shortest paths (.gr), also of GTgraph",
	Extensions: []string{".gr"},
	Directed:   true,
	first:      1,
	Detect:     detectDIMACS,
	read:       readDIMACS,
}

// untilProblem is comments and the problem line.
var untilProblem = regexp.MustCompile(`^(?:[ \t]*(?:c[ \t\r].*|c)?\r*\n)*(p[ \t].*\n)`)

// detectDIMACS looks for the problem line. Some other problems are formats of their own.
func detectDIMACS(head []byte) bool {
	m := untilProblem.FindSubmatch(head)
	if m == nil {
		return false
	}
	name, _ := foreign.Recognise(m[1])
	return name == ""
}

func readDIMACS(out *sink) error {
	header := `problem line "p sp VERTICES ARCS"`
	return out.eachLine("", "a ", 3, math.MaxUint32, header, func(words [][]byte) error {
		kind, more := words[0], len(words)-1
		switch {
		case string(kind) == "c":
			return nil
		case string(kind) == "a" && out.N == 0:
			return out.fail("an arc before the problem line \"p sp VERTICES ARCS\"")
		case string(kind) == "a":
			return out.arcOf(words[1:], 3, `an arc is written "a FROM TO WEIGHT"`)
		case string(kind) != "p":
			return out.fail("a line starts with c, p or a, not with %s", number.Quoted(kind))
		case out.N > 0:
			return out.fail("a second problem line; the first is line %d", out.announced.line)
		case more == 3 && string(words[1]) != "sp":
			return out.fail("a problem of type %s, not of type sp (shortest paths)", number.Quoted(words[1]))
		case more != 3:
			return out.fail("the problem line is not \"p sp VERTICES ARCS\"")
		}
		counts, ok := counted(words[2:])
		if !ok {
			return out.fail("the counts %s and %s are not numbers that a graph can have", number.Quoted(words[2]),
				number.Quoted(words[3]))
		}
		out.announce(counts[1], "arcs")
		out.Expected = counts[1]
		return out.declare(counts[0])
	})
}
