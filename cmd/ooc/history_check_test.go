package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// checkExport compares a file of distances, or of predecessors, entry by entry.
func (p *player) checkExport(s step, k *kept, rows, columns []int) error {
	name := s.operands()[1]
	b, err := p.read(name)
	if err != nil {
		return err
	}
	var entries []float64
	shape := []int{len(rows), len(columns)}
	switch {
	case strings.HasSuffix(name, ".npy"):
		entries, shape, err = npyNumbers(b)
	case strings.HasSuffix(name, ".csv"):
		entries, err = p.csvEntries(b, rows, columns)
	default:
		entries, err = mtxEntries(b, rows, columns)
	}
	if err != nil || !slices.Equal(shape, []int{len(rows), len(columns)}) || len(entries) != len(rows)*len(columns) {
		return errors.Join(err, fmt.Errorf("%s has the shape %v and %d entries, want %d by %d",
			name, shape, len(entries), len(rows), len(columns)))
	}
	for i, u := range rows {
		for j, v := range columns {
			entry := entries[i*len(columns)+j]
			if s.flag("--predecessors") != "" {
				err = p.tight(k, entry, u, v)
			} else {
				err = p.same(k, entry, u, v)
			}
			if err != nil {
				return fmt.Errorf("%s, row %d, column %d: %w", name, i, j, err)
			}
		}
	}
	return nil
}

// tight wants a predecessor to be the last but one vertex of a shortest path; a negative number is none.
func (p *player) tight(k *kept, entry float64, u, v int) error {
	if u == v || p.distance[u][v] == far {
		if entry >= 0 {
			return fmt.Errorf("%v comes before %s on the way from %s", entry, p.id(v), p.id(u))
		}
		return nil
	}
	x := int(entry)
	weight, ok := p.arc[[2]int{x, v}]
	before, rounding := p.distance[u][max(0, min(x, p.n-1))], 4*p.rounding(k.Kind, k.Scale)
	if !ok || before == far || !closeTo(p.value(before+weight), p.value(p.distance[u][v]), rounding) {
		return fmt.Errorf("vertex %v does not come before %s on the way from %s", entry, p.id(v), p.id(u))
	}
	return nil
}

// csvEntries reads a table with ids at its left and top.
func (p *player) csvEntries(b []byte, rows, columns []int) (entries []float64, err error) {
	lines, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
	if err != nil || len(lines) != 1+len(rows) || !slices.Equal(lines[0][1:], p.idsOf(columns)) {
		return nil, errors.Join(err, errors.New("other rows or columns"))
	}
	for i, line := range lines[1:] {
		if line[0] != p.id(rows[i]) {
			return nil, fmt.Errorf("row %d is of %s", i, line[0])
		}
		for _, cell := range line[1:] {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return nil, err
			}
			entries = append(entries, v)
		}
	}
	return entries, nil
}

// mtxNumbers are the numbers of a Matrix Market file.
func mtxNumbers(b []byte) (numbers []float64, err error) {
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "%") {
			continue
		}
		for word := range strings.FieldsSeq(line) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return nil, err
			}
			if v == math.MaxInt32 {
				v = math.Inf(1)
			}
			numbers = append(numbers, v)
		}
	}
	return numbers, nil
}

// mtxEntries reads an array, which goes column by column, row by row.
func mtxEntries(b []byte, rows, columns []int) ([]float64, error) {
	numbers, err := mtxNumbers(b)
	if err != nil || len(numbers) != 2+len(rows)*len(columns) ||
		int(numbers[0]) != len(rows) || int(numbers[1]) != len(columns) {
		return nil, errors.Join(err, errors.New("another size"))
	}
	entries := make([]float64, len(rows)*len(columns))
	for i, v := range numbers[2:] {
		entries[i%len(rows)*len(columns)+i/len(rows)] = v
	}
	return entries, nil
}

// checkNear compares a file of near pairs: of each vertex exactly those that are asked for.
func (p *player) checkNear(s step, kind string, scale int64) error {
	name := s.operands()[1]
	b, err := p.read(name)
	if err != nil {
		return err
	}
	rows := make([][]reached, p.n)
	add := func(u, v int, d float64) {
		if u >= 0 && u < p.n && v >= 0 && v < p.n {
			rows[u] = append(rows[u], reached{v, p.distance[u][v]})
			err = errors.Join(err, p.same(&kept{Kind: kind, Scale: scale}, d, u, v))
		} else {
			err = errors.Join(err, fmt.Errorf("pair %d, %d", u, v))
		}
	}
	pairs := 0
	switch {
	case strings.HasSuffix(name, ".csv"):
		var lines [][]string
		if lines, err = csv.NewReader(strings.NewReader(string(b))).ReadAll(); err != nil || len(lines) == 0 {
			return errors.Join(err, errors.New("no header"))
		}
		pairs = len(lines) - 1
		for _, line := range lines[1:] {
			d, _ := strconv.ParseFloat(line[2], 64)
			add(p.called(line[0]), p.called(line[1]), d)
		}
	case strings.HasSuffix(name, ".mtx"):
		var numbers []float64
		if numbers, err = mtxNumbers(b); err != nil || len(numbers) < 3 || len(numbers) != 3+3*int(numbers[2]) ||
			numbers[0] != float64(p.n) || numbers[1] != float64(p.n) {
			return errors.Join(err, errors.New("another size"))
		}
		pairs = int(numbers[2])
		for i := 3; i < len(numbers); i += 3 {
			add(int(numbers[i])-1, int(numbers[i+1])-1, numbers[i+2])
		}
	default:
		members, err := npzNumbers(b)
		if err != nil || len(members["indptr"]) != p.n+1 || len(members["indices"]) != len(members["data"]) {
			return errors.Join(err, errors.New("another size"))
		}
		pairs = len(members["data"])
		for u := range p.n {
			for i := int(members["indptr"][u]); i < int(members["indptr"][u+1]); i++ {
				add(u, int(members["indices"][i]), members["data"][i])
			}
		}
	}
	if err != nil {
		return err
	}
	for u, got := range rows {
		want := p.byDistance(u, false, p.all())
		slices.SortStableFunc(got, func(a, b reached) int { return a.vertex - b.vertex })
		slices.SortStableFunc(got, func(a, b reached) int { return cmp.Compare(a.distance, b.distance) })
		if err := p.sameNear(s, kind, scale, got, want); err != nil {
			return fmt.Errorf("row of %s: %w", p.id(u), err)
		}
	}
	return p.checkSummary(map[string]any{"vertices": p.n, "pairs": pairs})
}

// checkSSSP compares distances from some vertices, and wants predecessors to be on shortest paths.
func (p *player) checkSSSP(sources []int) error {
	objects, err := objectsOf(p.outcome.stdout)
	if err != nil || len(objects) != len(sources)*p.n+1 {
		return errors.Join(err, fmt.Errorf("%d objects", len(objects)))
	}
	kind, _ := p.kindOf(step{})
	k := &kept{Kind: kind, Scale: 1}
	for i, o := range objects[:len(objects)-1] {
		u, v := sources[i/p.n], i%p.n
		if o["source"] != p.id(u) || o["vertex"] != p.id(v) {
			return fmt.Errorf("%v is no answer", o)
		}
		before := -1.0
		if o["predecessor"] != nil {
			before = float64(p.called(o["predecessor"]))
		}
		if err := errors.Join(p.same(k, o["distance"], u, v), p.tight(k, before, u, v)); err != nil {
			return err
		}
	}
	return nil
}

// checkMST wants a forest of the graph's edges that spans it and weighs least.
func (p *player) checkMST() error {
	objects, err := objectsOf(p.outcome.stdout)
	if err != nil || len(objects) == 0 {
		return errors.Join(err, errors.New("no summary"))
	}
	weight, edges := p.forest()
	last := objects[len(objects)-1]
	total, _ := last["total"].(float64)
	if len(objects) != edges+1 || last["edges"] != float64(edges) || !closeTo(total, p.value(weight), 1e-4) {
		return fmt.Errorf("%d edges of weight %v, want %d of %v", len(objects)-1, total, edges, p.value(weight))
	}
	piece := p.all()
	for _, o := range objects[:edges] {
		u, v := p.called(o["u"]), p.called(o["v"])
		w, ok := p.arc[[2]int{u, v}]
		got, _ := o["weight"].(float64)
		if !ok || !closeTo(got, p.value(w), 1e-6) || piece[u] == piece[v] {
			return fmt.Errorf("%v is no edge of a forest", o)
		}
		for x, old := range slices.Clone(piece) {
			if old == piece[u] && x != u {
				piece[x] = piece[v]
			}
		}
		piece[u] = piece[v]
	}
	return nil
}

// checkStats compares statistics with those of the model's distances.
func (p *player) checkStats(s step, k *kept) error {
	objects, err := objectsOf(p.outcome.stdout)
	if err != nil || len(objects) != 1 {
		return errors.Join(err, fmt.Errorf("%d objects", len(objects)))
	}
	got := objects[0]
	columns, _ := got["vertices"].(map[string]any)
	within, nearest := []float64(nil), 0
	if text := s.flag("--within"); text != "" {
		r, _ := strconv.ParseFloat(text, 64)
		within = append(within, r)
	}
	if text := s.flag("--k-nearest"); text != "" {
		nearest, _ = strconv.Atoi(text)
	}
	share := p.rounding(k.Kind, k.Scale)
	graph, vertices := p.statistics(k.rows, within, nearest)
	for name, want := range graph {
		if err := sameNumbers(name, []any{got[name]}, want, share); err != nil {
			return err
		}
	}
	for name, want := range vertices {
		if strings.HasPrefix(name, "within_") && share > 0 || name == "closeness_centrality" && len(k.rows) < p.n {
			continue
		}
		if strings.HasPrefix(name, "within_") {
			name = "within_" + s.flag("--within")
		}
		list, there := columns[name].([]any)
		if !there && strings.HasPrefix(name, "nearest_") { // no vertex reaches so many
			list = make([]any, p.n)
		}
		if err := sameNumbers(name, list, want, share); err != nil {
			return err
		}
	}
	if fmt.Sprint(columns["id"]) != fmt.Sprint(p.idsOf(p.all())) {
		return errors.New("other ids")
	}
	for _, name := range []string{"distance_histogram", "eccentricity_histogram"} {
		h, _ := got[name].(map[string]any)
		edges := strings.Join(strings.Fields(fmt.Sprint(h["edges"])), ",")
		if asked := s.flag("--bins"); strings.Contains(asked, ",") && edges != "["+asked+"]" {
			return fmt.Errorf("the edges of %s are %v", name, h["edges"])
		}
	}
	var all, longest []float64
	for _, u := range k.rows {
		for v, d := range p.distance[u] {
			if u != v && d != far {
				all = append(all, p.value(d))
			}
		}
		longest = append(longest, vertices["longest_distance"][u])
	}
	return errors.Join(
		p.checkSummary(map[string]any{"n": p.n, "rows": len(k.rows), "kind": k.Kind, "directed": p.directed}),
		p.checkNamed(got, columns, k, share, nearest),
		checkBins(got["distance_histogram"], all, share), checkBins(got["eccentricity_histogram"], longest, share))
}

// sameNumbers compares numbers and nulls. Sums round, so that even of integers the last digits of quotients may differ.
func sameNumbers(name string, got []any, want []float64, share float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s has %d numbers, want %d", name, len(got), len(want))
	}
	for i, w := range want {
		g, ok := got[i].(float64)
		if math.IsNaN(w) != (got[i] == nil) || !math.IsNaN(w) && (!ok || !closeTo(g, w, 4*share+1e-13)) {
			return fmt.Errorf("%s %d is %v, want %v", name, i, got[i], w)
		}
	}
	return nil
}

// checkNamed wants the vertices and pairs that are named to have the numbers that they are named for; of exact
// numbers they are the first, and lists are whole.
func (p *player) checkNamed(got, columns map[string]any, k *kept, share float64, nearest int) error {
	for _, name := range []string{"diameter", "radius", "longest"} {
		value := got[name]
		if name == "longest" {
			value = got["longest_distance"]
		}
		pair, _ := got[name+"_pair"].([]any)
		if len(pair) != 2 {
			continue
		}
		if err := p.same(k, value, p.called(pair[0]), p.called(pair[1])); err != nil {
			return fmt.Errorf("%s_pair: %w", name, err)
		}
	}
	if share > 0 {
		return nil
	}
	_, numbers := p.statistics(k.rows, nil, 0)
	least, most := math.Inf(1), 0.0
	for _, e := range numbers["eccentricity"] {
		if !math.IsNaN(e) {
			least, most = min(least, e), max(most, e)
		}
	}
	whole := !slices.ContainsFunc(k.rows, func(v int) bool { return math.IsNaN(numbers["eccentricity"][v]) })
	center, periphery, barycenter := []string{}, []string{}, []string{}
	for v, e := range numbers["eccentricity"] {
		if whole && numbers["distance_sum"][v] == slices.Min(numbers["distance_sum"]) {
			barycenter = append(barycenter, p.id(v))
		}
		if e == least {
			center = append(center, p.id(v))
		}
		if e == most && whole {
			periphery = append(periphery, p.id(v))
		}
	}
	for name, want := range map[string][]string{"center": center, "periphery": periphery, "barycenter": barycenter} {
		if len(k.rows) == p.n && fmt.Sprint(got[name]) != fmt.Sprint(want) {
			return fmt.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	for _, v := range k.rows {
		list := p.byDistance(v, false, p.all())
		for i := range nearest {
			var want any
			if i < len(list) {
				want = p.id(list[i].vertex)
			}
			column, there := columns[fmt.Sprintf("nearest_%d", i+1)].([]any)
			if (there || want != nil) && (len(column) != p.n || column[v] != want) {
				return fmt.Errorf("nearest_%d of %s is not %v", i+1, p.id(v), want)
			}
		}
		farthest := v
		for u, d := range p.distance[v] {
			if d != far && (d > p.distance[v][farthest] || d == p.distance[v][farthest] && d > 0 && u < farthest) {
				farthest = u
			}
		}
		if column, _ := columns["farthest"].([]any); len(column) != p.n || column[v] != p.id(farthest) {
			return fmt.Errorf("farthest of %s is not %s: %v", p.id(v), p.id(farthest), column)
		}
	}
	return nil
}

// checkBins wants each number in its bin.
func checkBins(got any, values []float64, share float64) error {
	if got == nil {
		return nil
	}
	var h struct {
		Edges, Counts []float64
		Below, Above  float64
	}
	b, err := json.Marshal(got)
	if err == nil {
		err = json.Unmarshal(b, &h)
	}
	last := len(h.Edges) - 1
	if err != nil || len(h.Counts) != max(last, 0) {
		return errors.Join(err, errors.New("no histogram"))
	}
	if last < 0 {
		return nil // of no numbers
	}
	within := func(x float64, i int) bool {
		return x >= h.Edges[i] && (x < h.Edges[i+1] || i == last-1 && x == h.Edges[last])
	}
	sum := h.Below + h.Above
	for i, count := range h.Counts {
		sum += count
		for _, x := range values {
			if within(x, i) {
				count--
			}
		}
		if share == 0 && count != 0 {
			return fmt.Errorf("bin %d has %v numbers, which is %v too many", i, h.Counts[i], count)
		}
	}
	for _, x := range values {
		if sum--; x < h.Edges[0] {
			h.Below--
		} else if x > h.Edges[last] {
			h.Above--
		}
	}
	if sum != 0 || share == 0 && (h.Below != 0 || h.Above != 0) {
		return fmt.Errorf("%v numbers too many in bins, %v below, %v above", sum, h.Below, h.Above)
	}
	return nil
}
