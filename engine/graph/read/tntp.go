package read

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/columns"
)

// tntp is a road network for traffic assignment: https://github.com/bstabler/TransportationNetworks. After metadata in
// angle brackets, each line is an arc: its ends, capacity, length, free flow time and more.
var tntp = inputFormat{
	Name:       "tntp",
	Title:      "TNTP road network (_net.tntp): the free flow times",
	Extensions: []string{".tntp"},
	Directed:   true,
	Columns:    true,
	Detect:     regexp.MustCompile(`(?is)^\s*((~|<)[^\n]*\n\s*)*<NUMBER OF (NODES|LINKS)>`).Match,
	read:       readTNTP,
}

// freeFlowTime is the column of the weight, by its number.
const freeFlowTime = 5

func readTNTP(out *sink) error {
	numbers := map[string]int64{"NUMBER OF NODES": 0, "NUMBER OF LINKS": -1, "FIRST THRU NODE": 1}
	for ended := false; !ended; {
		line, err := out.in.Next()
		if err == io.EOF {
			return out.failAll("no line <END OF METADATA>")
		}
		if err != nil {
			return err
		}
		key, value, found := strings.Cut(strings.ToUpper(strings.Trim(string(trimBlank(line)), "<")), ">")
		word, _ := next([]byte(value))
		x, ok := number.Digits(word)
		if _, known := numbers[key]; known && found {
			if numbers[key] = x; !ok {
				return out.fail("%s of <%s> is not a number", number.Quoted(word), key)
			}
		}
		ended = key == "END OF METADATA"
	}
	if through := numbers["FIRST THRU NODE"]; through > 1 && numbers["NUMBER OF NODES"] >= through {
		return out.failAll("<FIRST THRU NODE> %d says that no path passes through nodes 1…%d, "+
			"which a graph cannot say; if paths may, sed 's/<FIRST THRU NODE>.*/<FIRST THRU NODE> 1/' FILE > NEW.tntp",
			through, through-1)
	}
	r, err := newEdgeReader(out)
	if err != nil {
		return err
	}
	if out.options.Columns == "" {
		r.Columns = columns.Columns{From: 0, To: 1, Weight: freeFlowTime - 1, Least: freeFlowTime}
		out.remark("the weight is the free flow time, column %d; --columns from=1,to=2,weight=4 takes the length. "+
			"Columns not used: all others", freeFlowTime)
	}
	r.table, r.named, r.width = table{sep: ' ', end: ';'}, true, freeFlowTime
	out.bothWays, out.Expected = true, max(numbers["NUMBER OF LINKS"], 0)
	if err := out.in.Each(func(line []byte) error {
		if line = trimBlank(line); len(bytes.Trim(line, ";")) == 0 || line[0] == '~' {
			return nil
		}
		return r.line(line)
	}); err != nil {
		return err
	}
	out.flush()
	if want := numbers["NUMBER OF LINKS"]; want >= 0 && r.lines() != want {
		return out.failAll("<NUMBER OF LINKS> says %d, but %d follow", want, r.lines())
	}
	if n := numbers["NUMBER OF NODES"]; n > 0 && !r.vertices.forced {
		low, high, numeric := r.vertices.span()
		if !numeric || low < 1 || high > n {
			return out.failAll("<NUMBER OF NODES> says %d, but there are %s", n, r.span())
		}
		r.vertices.declared, r.vertices.base = n, 1
	}
	return nil
}
