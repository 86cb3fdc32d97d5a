package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// model knows all distances of a network, which it finds by one search from each vertex. It shares nothing with the
// code that it is compared with.
type model struct {
	*network
	arc      map[[2]int]int64
	distance [][]int64 // in units; far where there is no path
	vertex   map[string]int
	cycle    bool // there is a negative cycle, and so no distance
	negative bool
	longest  int64 // finite distance
	heaviest int64 // arc, by its absolute value
}

const far = math.MaxInt64

// newModel searches from every vertex until no arc makes any distance shorter.
func newModel(g *network) *model {
	m := &model{network: g, arc: map[[2]int]int64{}, vertex: map[string]int{}}
	arcs := g.lightest()
	for _, a := range arcs {
		m.arc[[2]int{a.from, a.to}] = a.weight
		m.negative = m.negative || a.weight < 0
		m.heaviest = max(m.heaviest, a.weight, -a.weight)
	}
	for v := range g.n {
		m.vertex[g.id(v)] = v
	}
	if slices.ContainsFunc(g.arcs, func(a netArc) bool { return a.from == a.to && a.weight < 0 }) {
		m.cycle = true
	}
	for source := range g.n {
		d := slices.Repeat([]int64{far}, g.n)
		d[source] = 0
		for pass, shorter := 0, true; shorter && !m.cycle; pass++ {
			shorter = false
			for _, a := range arcs {
				if d[a.from] != far && d[a.from]+a.weight < d[a.to] {
					d[a.to], shorter = d[a.from]+a.weight, true
				}
			}
			m.cycle = pass >= g.n
		}
		m.distance = append(m.distance, d)
		for _, x := range d {
			if x != far {
				m.longest = max(m.longest, x, -x)
			}
		}
	}
	return m
}

// symmetric says that every arc has its equal reverse.
func (m *model) symmetric() bool {
	for ends, w := range m.arc {
		if back, ok := m.arc[[2]int{ends[1], ends[0]}]; !ok || back != w {
			return false
		}
	}
	return true
}

// exact says that a kind holds all distances without rounding.
func (m *model) exact(kind string, scale int64) bool {
	return kind == "i32" || kind == "u16" || scale == 1 && m.unit != 10 && m.longest < 1<<24
}

// rounding is the share by which distances of a kind may differ.
func (m *model) rounding(kind string, scale int64) float64 {
	switch {
	case m.exact(kind, scale):
		return 0
	case kind == "f64":
		return float64(m.n+1) * 0x1p-51
	}
	return float64(m.n+1) * 0x1p-22
}

// value is a distance as the input has it.
func (m *model) value(d int64) float64 {
	if d == far {
		return math.Inf(1)
	}
	return float64(d) / float64(m.unit)
}

// close says that a number is another up to a share of it.
func closeTo(got, want, share float64) bool {
	return got == want || math.Abs(got-want) <= share*math.Abs(want)
}

// byDistance are the other vertices that u reaches, or that reach it: the nearest first, then by number.
func (m *model) byDistance(u int, to bool, sources []int) (list []reached) {
	for _, v := range sources {
		d := m.distance[u][v]
		if to {
			d = m.distance[v][u]
		}
		if v != u && d != far {
			list = append(list, reached{v, d})
		}
	}
	slices.SortStableFunc(list, func(a, b reached) int { return cmp.Compare(a.distance, b.distance) })
	return list
}

type reached struct {
	vertex   int
	distance int64
}

// numbers are statistics by name. A NaN stands for null, which JSON has for what is infinite, or for no vertex.
type numbers map[string][]float64

var null = math.NaN()

// finite makes what is infinite null.
func finite(v float64) float64 {
	if math.IsInf(v, 0) {
		return null
	}
	return v
}

// statistics are those of the rows of some vertices, as docs/stats.md defines them, without what is named.
func (m *model) statistics(rows []int, within []float64, kNearest int) (graph, vertices numbers) {
	n := float64(m.n)
	graph, vertices = numbers{}, numbers{}
	put := func(name string, v float64) { vertices[name] = append(vertices[name], finite(v)) }
	pairs, inverse, radius, diameter, longest, total := 0.0, 0.0, math.Inf(1), 0.0, 0.0, int64(0)
	for v := range m.n {
		in, sumIn, inverseIn := 0.0, int64(0), 0.0
		for _, u := range rows {
			if d := m.distance[u][v]; u != v && d != far {
				in, sumIn = in+1, sumIn+d
				if d > 0 {
					inverseIn += 1 / m.value(d)
				}
			}
		}
		put("ancestors", in)
		put("distance_sum_in", m.value(sumIn))
		put("harmonic_centrality", inverseIn)
		put("closeness_centrality", closeness(in, m.value(sumIn), n))
		if !slices.Contains(rows, v) {
			for _, name := range []string{"eccentricity", "longest_distance", "descendants", "distance_sum",
				"closeness_centrality_out", "harmonic_centrality_out"} {
				put(name, null)
			}
			for _, r := range within {
				put(withinName(r), null)
			}
			for k := range kNearest {
				put(fmt.Sprintf("nearest_%d_distance", k+1), null)
			}
			continue
		}
		list := m.byDistance(v, false, m.all())
		out, sumOut, inverseOut, farthest := float64(len(list)), int64(0), 0.0, 0.0
		for _, x := range list {
			sumOut += x.distance
			if farthest = max(farthest, m.value(x.distance)); x.distance > 0 {
				inverseOut += 1 / m.value(x.distance)
			}
		}
		eccentricity := farthest
		if len(list) < m.n-1 {
			eccentricity = math.Inf(1)
		}
		put("eccentricity", eccentricity)
		put("longest_distance", farthest)
		put("descendants", out)
		put("distance_sum", m.value(sumOut))
		put("closeness_centrality_out", closeness(out, m.value(sumOut), n))
		put("harmonic_centrality_out", inverseOut)
		for _, r := range within {
			count := 0.0
			for _, x := range list {
				if m.value(x.distance) <= r {
					count++
				}
			}
			put(withinName(r), count)
		}
		for k := range kNearest {
			d := null
			if k < len(list) {
				d = m.value(list[k].distance)
			}
			put(fmt.Sprintf("nearest_%d_distance", k+1), d)
		}
		pairs, total, inverse = pairs+out, total+sumOut, inverse+inverseOut
		radius, diameter, longest = min(radius, eccentricity), max(diameter, eccentricity), max(longest, farthest)
	}
	sum := m.value(total)
	graph["reachable_pairs"] = []float64{pairs}
	graph["total_distance"] = []float64{sum}
	graph["mean_distance"] = []float64{sum / pairs} // NaN, which is null, without pairs
	graph["diameter"] = []float64{finite(diameter)}
	graph["radius"] = []float64{finite(radius)}
	if longest > 0 || pairs > 0 {
		graph["longest_distance"] = []float64{longest}
	}
	if len(rows) == m.n && m.n > 1 {
		graph["global_efficiency"] = []float64{inverse / (n * (n - 1))}
		wiener := sum
		if !m.directed {
			wiener /= 2
		}
		if math.IsInf(diameter, 0) {
			wiener = null
		}
		graph["wiener_index"] = []float64{wiener}
		graph["average_shortest_path_length"] = []float64{null}
		if !math.IsInf(diameter, 0) {
			graph["average_shortest_path_length"] = graph["mean_distance"]
		}
	}
	return graph, vertices
}

// closeness is 0 where distances do not add up to more.
func closeness(count, sum, n float64) float64 {
	if sum <= 0 {
		return 0
	}
	return count / sum * count / (n - 1)
}

func withinName(r float64) string { return fmt.Sprintf("within_%v", r) }

// all are the vertices.
func (m *model) all() []int {
	all := make([]int, m.n)
	for v := range all {
		all[v] = v
	}
	return all
}

// forest is the weight of a spanning forest, and how many edges it has.
func (m *model) forest() (weight int64, edges int) {
	arcs := m.lightest()
	slices.SortFunc(arcs, func(a, b netArc) int { return cmp.Compare(a.weight, b.weight) })
	piece := m.all()
	for _, a := range arcs {
		if from, to := piece[a.from], piece[a.to]; from != to {
			weight, edges = weight+a.weight, edges+1
			for v := range piece {
				if piece[v] == from {
					piece[v] = to
				}
			}
		}
	}
	return weight, edges
}
