package read

import (
	"bytes"
	"regexp"
)

// The first line of a network of KONECT, and of an undirected one of SNAP.
var (
	konect = regexp.MustCompile(`^%\s*(sym|asym|bip)(\s+(unweighted|positive|posweighted|signed|multisigned|weighted|multiweighted|multiposweighted|dynamic))?\s*$`)
	snap   = regexp.MustCompile(`(?i)^#\s*undirected graph\b`)
)

// statement reads what the first line, a comment, says about all lines.
func (r *edgeReader) statement(line []byte) error {
	undirected := snap.Match(line)
	if m := konect.FindSubmatch(line); m != nil {
		if string(m[1]) == "bip" {
			return r.out.fail("the network is bipartite: a number on the left and the same on the right are two vertices; give them two names, as in " +
				`awk '!/^%%/ {$1 = "L" $1; $2 = "R" $2; print}' FILE > NEW.txt`)
		}
		undirected = string(m[1]) == "sym"
	}
	if undirected && r.either {
		r.out.Undirected, r.either = true, false
		r.out.remark("undirected, as line 1 says: %q; --directed makes every line one arc", bytes.TrimSpace(line))
	}
	return nil
}
