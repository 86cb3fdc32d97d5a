package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// expect says what has to become of a command, and gives the check of its answer.
func (p *player) expect(s step) (verdict, func() error) {
	nothing := func() error { return nil }
	switch s.args[0] {
	case "solve":
		return p.expectSolve(s),
			func() error { return p.checkSummary(map[string]any{"vertices": p.n, "arcs": len(p.arc)}) }
	case "merge":
		return p.expectMerge(s),
			func() error { return p.checkSummary(map[string]any{"vertices": p.n, "arcs": len(p.arc)}) }
	case "sssp":
		sources := p.named(s.flag("--source"))
		if p.cycle && !p.cycleFrom(sources) { // which does not matter; but the model has no distances
			return p.ofKind(p.kindOf(s)), nothing
		}
		if p.cycle {
			return refuse, nothing
		}
		return p.ofKind(p.kindOf(s)), func() error { return p.checkSSSP(sources) }
	case "mst":
		switch {
		case p.directed && !p.symmetric() || p.cycle:
			return refuse, nothing
		case p.directed:
			return maybe, p.checkMST
		}
		return needed, p.checkMST
	case "near":
		kind, scale := p.kindOf(s)
		want := p.ofKind(kind, scale)
		if p.dense() || p.cycle {
			want = refuse
		}
		return want, func() error { return p.checkNear(s, kind, scale) }
	}
	if operands := s.operands(); s.args[0] == "stats" && operands[0] == p.file {
		kind, scale := p.kindOf(s)
		want := p.ofKind(kind, scale)
		if p.dense() || p.cycle {
			want = refuse
		}
		rows := p.all()
		if s.flag("--sources") != "" {
			rows = p.sources(s)
		}
		return want, func() error { return p.checkStats(s, &kept{Kind: kind, Scale: scale, rows: rows}) }
	}
	k := p.stores[s.operands()[0]]
	switch {
	case k == nil:
		return refuse, nothing
	case s.args[0] == "status":
		want := needed
		if k.damaged != "" {
			want = maybe
		}
		return want, nothing // look compares it
	case k.State != "solved" && k.damaged == "":
		return refuse, nothing
	}
	want, check := p.expectAnswer(s, k)
	if k.damaged != "" && want == needed {
		want = maybe
		if s.args[0] == "scrub" && k.damaged == "matrix" {
			want = refuse
		}
	}
	return want, check
}

// expectAnswer is expect of a question to a store that is solved.
func (p *player) expectAnswer(s step, k *kept) (verdict, func() error) {
	want := needed
	switch operands := s.operands(); s.args[0] {
	case "query":
		rows, columns := p.named(s.flag("--rows")), p.named(s.flag("--cols"))
		row, col := p.named(s.flag("--row")), p.named(s.flag("--col"))
		asked := slices.Concat(rows, row, p.named(strings.Join(operands[1:min(2, len(operands))], "")))
		if !p.have(k, asked) {
			want = refuse
		}
		switch {
		case len(rows) > 0:
			return want, func() error { return p.checkTable(k, rows, columns) }
		case len(row) > 0:
			return want, func() error { return p.checkList(s, k, row[0], false) }
		case len(col) > 0:
			return want, func() error { return p.checkList(s, k, col[0], true) }
		}
		return want, func() error { return p.checkPair(k, p.vertex[operands[1]], p.vertex[operands[2]]) }
	case "path":
		if !p.have(k, p.named(operands[1])) || p.dense() && !k.Predecessors {
			want = refuse
		}
		return want, func() error { return p.checkPath(k, p.vertex[operands[1]], p.vertex[operands[2]]) }
	case "stats":
		return want, func() error { return p.checkStats(s, k) }
	case "export":
		rows, columns := k.rows, p.all()
		if list := s.flag("--rows"); list != "" {
			rows = p.named(list)
		}
		if list := s.flag("--cols"); list != "" {
			columns = p.named(list)
		}
		if !p.have(k, rows) || s.flag("--predecessors") != "" && p.dense() && !k.Predecessors {
			want = refuse
		}
		return want, func() error { return p.checkExport(s, k, rows, columns) }
	case "verify":
		if s.flag("--full") != "" && p.dense() {
			want = refuse
		}
	}
	return want, func() error { return p.checkSummary(map[string]any{}) } // it says itself whether all is well
}

// cycleFrom says that one of these vertices reaches a negative cycle.
func (p *player) cycleFrom(sources []int) bool {
	d := slices.Repeat([]int64{far}, p.n)
	for _, v := range sources {
		d[v] = 0
	}
	for range p.n + 1 {
		shorter := false
		for _, a := range p.arcs { // loops, too
			if d[a.from] != far && d[a.from]+a.weight < d[a.to] {
				d[a.to], shorter = d[a.from]+a.weight, true
			}
			if back := !p.directed && d[a.to] != far && d[a.to]+a.weight < d[a.from]; back {
				d[a.from], shorter = d[a.to]+a.weight, true
			}
		}
		if !shorter {
			return false
		}
	}
	return true
}

// have says that a store has the rows of these vertices.
func (p *player) have(k *kept, vertices []int) bool {
	return !slices.ContainsFunc(vertices, func(v int) bool { return !slices.Contains(k.rows, v) })
}

// ofKind says whether distances can be had in a kind: integers have to be, and fit.
func (p *player) ofKind(kind string, scale int64) verdict {
	longest := p.longest * scale / p.unit
	switch {
	case kind != "i32" && kind != "u16":
		return needed
	case !p.whole() && slices.ContainsFunc(p.lightest(), func(a netArc) bool { return a.weight*scale%p.unit != 0 }):
		return refuse
	// A heavier parallel arc, or a loop, has a weight that is no integer.
	case slices.ContainsFunc(p.arcs, func(a netArc) bool { return a.weight*scale%p.unit != 0 }):
		return maybe
	case kind == "u16" && (p.negative || longest >= 32639):
		return refuse
	case kind == "u16" && p.heaviest*scale/p.unit*int64(p.n) >= 32639:
		return maybe // it cannot always be shown that they fit
	}
	return needed
}

// expectSolve says whether a solve can be done.
func (p *player) expectSolve(s step) verdict {
	k, possible := p.stores[s.flag("--out")], p.possible(s)
	switch {
	case p.cycle:
		return refuse
	case k == nil:
		return possible
	case s.flag("--restart") != "":
		if k.damaged == "store.json" && possible == needed {
			return maybe // the remedy may be to remove the folder
		}
		return possible
	case k.damaged != "" || k.asked != choices(s):
		return maybe
	case possible == refuse: // of limits, where nothing is left to do
		return maybe
	}
	return possible
}

// possible says whether the flags of a solve go together, and with the graph.
func (p *player) possible(s step) verdict {
	kind, scale := p.kindOf(s)
	algorithm, sources, several := s.flag("--algorithm"), s.flag("--sources") != "", s.flag("--device") == "cpu,cpu"
	tracks, factors, upper := s.flag("--predecessors") != "", s.flag("--keep") == "factors",
		s.flag("--layout") == "upper"
	part, parts := 0, 0
	_, _ = fmt.Sscanf(s.flag("--sources"), "part:%d/%d", &part, &parts) // most are none
	whole := algorithm == "squaring" || algorithm == "single-stage"
	byRows := algorithm == "eliminate" || algorithm == "searches"
	switch of := p.ofKind(kind, scale); {
	case tracks && (kind == "u16" || sources || algorithm == "squaring"),
		factors && (tracks || sources || s.any("--algorithm", "--tile", "--layout", "--streams", "--round")),
		upper && (!p.symmetric() || tracks || sources || whole),
		sources && algorithm != "" && !byRows,
		p.dense() && (sources || factors || byRows),
		p.negative && algorithm == "searches",
		whole && several,
		parts > 0 && 64*(parts-1) >= p.n,
		of == refuse:
		return refuse
	case s.any("--device-memory", "--host-memory", "--round"), several, of == maybe:
		return maybe // what a limit is too small for depends on the plan
	}
	return needed
}

// expectMerge says whether parts make a whole.
func (p *player) expectMerge(s step) verdict {
	var rows []int
	for _, part := range s.operands()[1:] {
		k := p.stores[part]
		if k == nil || k.State != "solved" {
			return refuse
		}
		if k.damaged != "" {
			return maybe
		}
		rows = append(rows, k.rows...)
	}
	if len(rows) != p.n {
		return refuse
	}
	return needed
}

// checkSummary compares fields of the last object with what they have to be.
func (p *player) checkSummary(want map[string]any) error {
	objects, err := objectsOf(p.outcome.stdout)
	if err != nil || len(objects) == 0 {
		return errors.Join(err, errors.New("no summary"))
	}
	last := objects[len(objects)-1]
	if last["type"] != "summary" {
		return fmt.Errorf("the last object is a %v", last["type"])
	}
	for name, value := range want {
		if fmt.Sprint(last[name]) != fmt.Sprint(value) {
			return fmt.Errorf("%s is %v, want %v", name, last[name], value)
		}
	}
	return nil
}

// same compares a distance of a store, which is a number or null, with the model's.
func (p *player) same(k *kept, got any, from, to int) error {
	if from >= p.n || to >= p.n {
		return errors.New("there is no such vertex")
	}
	d, want := math.Inf(1), p.value(p.distance[from][to])
	if got != nil {
		number, ok := got.(float64)
		if !ok {
			return fmt.Errorf("%v is no distance", got)
		}
		d = number
	}
	if !closeTo(d, want, p.rounding(k.Kind, k.Scale)) {
		return fmt.Errorf("from %s to %s it is %v, want %v", p.id(from), p.id(to), d, want)
	}
	return nil
}

// called is the vertex of an id; where there is none, one more than there are.
func (p *player) called(id any) int {
	if v, ok := p.vertex[fmt.Sprint(id)]; ok {
		return v
	}
	return p.n
}

// checkPair compares a distance.
func (p *player) checkPair(k *kept, u, v int) error {
	objects, err := objectsOf(p.outcome.stdout)
	if err != nil || len(objects) != 1 || objects[0]["from"] != p.id(u) || objects[0]["to"] != p.id(v) {
		return errors.Join(err, errors.New("the answer is of other vertices"))
	}
	return p.same(k, objects[0]["distance"], u, v)
}

// checkTable compares rows of some columns.
func (p *player) checkTable(k *kept, rows, columns []int) error {
	objects, err := objectsOf(p.outcome.stdout)
	if err != nil || len(objects) != 1+len(rows) || fmt.Sprint(objects[0]["to"]) != fmt.Sprint(p.idsOf(columns)) {
		return errors.Join(err, errors.New("the table has other rows or columns"))
	}
	for i, u := range rows {
		distances, ok := objects[1+i]["distances"].([]any)
		if !ok || objects[1+i]["from"] != p.id(u) || len(distances) != len(columns) {
			return fmt.Errorf("row %d is another", i)
		}
		for j, v := range columns {
			if err := p.same(k, distances[j], u, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *player) idsOf(vertices []int) (ids []string) {
	for _, v := range vertices {
		ids = append(ids, p.id(v))
	}
	return ids
}

// checkList compares a row or a column, or the near ones of it.
func (p *player) checkList(s step, k *kept, u int, column bool) error {
	objects, err := objectsOf(p.outcome.stdout)
	if err != nil {
		return err
	}
	others := p.all()
	if column {
		others = k.rows
	}
	var got, want []reached
	name := map[bool]string{false: "to", true: "from"}[column]
	for _, o := range objects {
		v := p.called(o[name])
		from, to := u, v
		if column {
			from, to = v, u
		}
		if v == p.n || o["from"] != p.id(from) || o["to"] != p.id(to) {
			return fmt.Errorf("%v is no answer", o)
		}
		if err := p.same(k, o["distance"], from, to); err != nil {
			return err
		}
		got = append(got, reached{v, p.distance[from][to]})
	}
	if s.flag("--within") != "" || s.flag("--k-nearest") != "" {
		return p.sameNear(s, k.Kind, k.Scale, got, p.byDistance(u, column, others))
	}
	for _, v := range others {
		from, to := u, v
		if column {
			from, to = v, u
		}
		want = append(want, reached{v, p.distance[from][to]})
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the list has %d vertices in another order, want %d", len(got), len(want))
	}
	return nil
}

// sameNear compares the vertices that an answer lists with all that are reached, the nearest first. Where numbers are
// rounded, those about as far as the limit may be there or not, and those about as far as each other come in any order.
func (p *player) sameNear(s step, kind string, scale int64, got, all []reached) error {
	within, count := math.Inf(1), p.n
	if text := s.flag("--within"); text != "" {
		within, _ = strconv.ParseFloat(text, 64)
	}
	if text := s.flag("--k-nearest"); text != "" {
		count, _ = strconv.Atoi(text)
	}
	share := p.rounding(kind, scale)
	least := p.cutOff(all, within*(1-share), count)
	most := p.cutOff(all, within*(1+share), count)
	if share == 0 && slices.Equal(got, most) {
		return nil
	}
	if share == 0 || len(got) < len(least) || len(got) > len(most) {
		return fmt.Errorf("%v, want %v", got, most)
	}
	for i, x := range got {
		if !closeTo(p.value(x.distance), p.value(most[i].distance), 2*share) {
			return fmt.Errorf("%v, want %v", got, most)
		}
	}
	return nil
}

// cutOff are the first of a list that are no farther than a limit.
func (p *player) cutOff(list []reached, within float64, count int) []reached {
	end := 0
	for end < min(len(list), count) && p.value(list[end].distance) <= within {
		end++
	}
	return list[:end]
}

// checkPath wants a path of the graph's arcs, as long as the distance.
func (p *player) checkPath(k *kept, u, v int) error {
	objects, err := objectsOf(p.outcome.stdout)
	if err != nil || len(objects) != 1 || objects[0]["from"] != p.id(u) || objects[0]["to"] != p.id(v) {
		return errors.Join(err, errors.New("the answer is of other vertices"))
	}
	if err := p.same(k, objects[0]["length"], u, v); err != nil {
		return err
	}
	ids, _ := objects[0]["vertices"].([]any)
	weights, _ := objects[0]["weights"].([]any)
	if p.distance[u][v] == far {
		if objects[0]["reachable"] != false || len(ids) != 0 {
			return errors.New("there is no path")
		}
		return nil
	}
	if objects[0]["reachable"] != true || len(ids) != len(weights)+1 || ids[0] != p.id(u) ||
		ids[len(ids)-1] != p.id(v) {
		return errors.New("it does not lead from one to the other")
	}
	length := int64(0)
	for i, w := range weights {
		weight, ok := p.arc[[2]int{p.called(ids[i]), p.called(ids[i+1])}]
		number, isNumber := w.(float64)
		if !ok || !isNumber || !closeTo(number, p.value(weight), p.rounding(k.Kind, k.Scale)) {
			return fmt.Errorf("the arc from %v to %v weighs %v, which is %v", ids[i], ids[i+1], w, weight)
		}
		length += weight
	}
	if !closeTo(p.value(length), p.value(p.distance[u][v]), p.rounding(k.Kind, k.Scale)) {
		return fmt.Errorf("its arcs add up to %v, want %v", p.value(length), p.value(p.distance[u][v]))
	}
	return nil
}

// read reads a file that a command has written.
func (p *player) read(name string) ([]byte, error) { return os.ReadFile(filepath.Join(p.dir, name)) }
