package between

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"

	"ooc/engine/graph"
)

// Count is an exact number of shortest paths, of any size.
type Count struct {
	small uint64
	large *big.Int // nil: small has it
}

// String returns all digits.
func (c Count) String() string {
	if c.large != nil {
		return c.large.String()
	}
	return strconv.FormatUint(c.small, 10)
}

func (c Count) plus(d Count) Count {
	sum, carry := bits.Add64(c.small, d.small, 0)
	if c.large == nil && d.large == nil && carry == 0 {
		return Count{small: sum}
	}
	return Count{large: new(big.Int).Add(c.int(), d.int())}
}

func (c Count) int() *big.Int {
	if c.large != nil {
		return c.large
	}
	return new(big.Int).SetUint64(c.small)
}

// counter counts the shortest paths of a graph.
type counter struct {
	g      *graph.Graph
	search *graph.Search
	counts []Count
	left   []int32 // of each vertex: how many arcs that end a shortest path there are not counted yet
	queue  []int32
}

// Counts returns a function that counts the shortest paths from a vertex to each: 0 where there is none, and 1 to
// itself. Paths are equal as in betweenness. What the function returns is valid until its next call, it is for one
// goroutine, and it fails as Worker.Do does. Errors of Counts are those of Check.
func Counts(g *graph.Graph) (from func(source int) ([]Count, error), err error) {
	if err := Check(g); err != nil {
		return nil, err
	}
	if g.Kind.Float() && g.Arcs() > 0 {
		g, _ = comparable(g)
	}
	c := &counter{g: g, search: graph.NewSearch(g), counts: make([]Count, g.N), left: make([]int32, g.N)}
	return c.from, nil
}

func (c *counter) from(source int) ([]Count, error) {
	clear(c.counts)
	c.counts[source].small = 1
	d := c.search.Dijkstra(source)
	tight := func(u int, do func(v int32)) {
		for k := c.g.Offsets[u]; k < c.g.Offsets[u+1] && !math.IsInf(d[u], 1); k++ {
			if v := c.g.Targets[k]; d[u]+c.g.Weight(k) == d[v] {
				do(v)
			}
		}
	}
	clear(c.left)
	for u := range d {
		tight(u, func(v int32) { c.left[v]++ })
	}
	c.queue = append(c.queue[:0], int32(source)) // Kahn's, as in tight
	for i := 0; i < len(c.queue); i++ {
		u := c.queue[i]
		tight(int(u), func(v int32) {
			c.counts[v] = c.counts[v].plus(c.counts[u])
			if c.left[v]--; c.left[v] == 0 {
				c.queue = append(c.queue, v)
			}
		})
	}
	if slices.ContainsFunc(c.left, func(left int32) bool { return left > 0 }) {
		return nil, tooLong(c.g, source)
	}
	return c.counts, nil
}
