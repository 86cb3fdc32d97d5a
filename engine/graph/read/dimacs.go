package read

import (
	"regexp"

	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/foreign"
	"ooc/engine/graph/read/internal/lines"
)

// dimacs is the format of the 9th DIMACS Implementation Challenge's shortest-path problems, which
// GTgraph writes too: http://www.diag.uniroma1.it/challenge9/format.shtml
var dimacs = Format{
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
func detectDIMACS(head []byte) match {
	if m := untilProblem.FindSubmatch(head); m != nil {
		if name, _ := foreign.Recognise(m[1]); name == "" {
			return yes
		}
	}
	return no
}

func readDIMACS(in *lines.Reader, o Options, out *sink) error {
	var header, most, found int64 // header: its line
	var x [3]uint32
	plain := func(line []byte) bool {
		ok := found < most && len(line) > 2 && line[0] == 'a' && line[1] == ' ' && naturals(line[2:], ' ', &x) == 3 &&
			out.plainArc(x[0], x[1], x[2])
		found += int64(btoi(ok))
		return ok
	}
	err := out.eachLine("", plain, func(words [][]byte) error {
		kind, more := words[0], len(words)-1
		arc := string(kind) == "a"
		switch {
		case string(kind) == "c":
			return nil
		case arc && header == 0:
			return out.fail("an arc before the problem line \"p sp VERTICES ARCS\"")
		case arc && found == most:
			return out.fail("the problem line announces %d arcs, and this is one more", most)
		case arc && more == 2:
			return out.fail("the weight is missing")
		case arc && more != 3:
			return out.fail("an arc is written \"a FROM TO WEIGHT\", but %d fields follow the a", more)
		case arc:
			found++
			from, to, err := out.ends(words[1], words[2])
			if err != nil {
				return err
			}
			return out.arc(from, to, words[3])
		case string(kind) != "p":
			return out.fail("a line starts with c, p or a, not with %s", number.Quoted(kind))
		case header != 0:
			return out.fail("a second problem line; the first is line %d", header)
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
		header, most, out.Expected = in.Line, counts[1], counts[1]
		return out.declare(counts[0])
	})
	switch {
	case err != nil:
		return err
	case header == 0:
		return out.failAll("no problem line \"p sp VERTICES ARCS\"")
	case found < most:
		return out.failAt(header, "the problem line announces %d arcs, but the file ends after %d", most, found)
	}
	return nil
}
