package gen

import (
	"cmp"
	"slices"
)

// neighbours draws points in a cube, all places equally likely, and links each to those nearest to it. Weights
// are straight lengths, rounded down, but 1 at least. Two vertices may be joined from both; reading merges the two.
func neighbours(o Options, d dice, out *output) {
	p := newPoints(o, d)
	var near []neighbour
	for u := int64(0); u < o.N && out.err == nil; u++ {
		count := o.M / o.N
		if u < o.M%o.N {
			count++
		}
		near = p.nearest(near[:0], u, min(count, o.N-1))
		for i := range count {
			v := near[i%int64(len(near))]
			out.arc(u, v.vertex, o.length(max(1, floorRoot(v.squared))))
		}
	}
}

// pointCell is how long, wide and high a cell is, which holds about one point.
const pointCell = 1000

// points are places in a cube of cells, width of them each way.
type points struct {
	width int64
	at    [][3]int32 // by vertex
	first []int32    // by cell: where its vertices begin in order
	order []int32
}

// neighbour is a vertex and the square of its distance.
type neighbour struct{ vertex, squared int64 }

func newPoints(o Options, d dice) *points {
	p := &points{width: 1}
	for p.width*p.width*p.width < o.N {
		p.width++
	}
	p.at, p.order = make([][3]int32, o.N), make([]int32, o.N)
	p.first = make([]int32, p.width*p.width*p.width+1)
	for u := range p.at {
		for k := range 3 {
			p.at[u][k] = int32(d.below(p.width * pointCell))
		}
		p.first[p.cell(p.at[u])+1]++
	}
	for c := range p.first[1:] {
		p.first[c+1] += p.first[c]
	}
	end := slices.Clone(p.first)
	for u := range p.at {
		c := p.cell(p.at[u])
		p.order[end[c]] = int32(u)
		end[c]++
	}
	return p
}

func (p *points) cell(at [3]int32) int64 {
	return (int64(at[0]/pointCell)*p.width+int64(at[1]/pointCell))*p.width + int64(at[2]/pointCell)
}

// nearest appends the vertices nearest to u, and may append more after them.
func (p *points) nearest(near []neighbour, u, count int64) []neighbour {
	here := p.at[u]
	for reach := int64(1); count > 0; reach++ {
		near = near[:0]
		from, to := [3]int64{}, [3]int64{}
		for k := range 3 {
			from[k], to[k] = max(0, int64(here[k]/pointCell)-reach), min(p.width-1, int64(here[k]/pointCell)+reach)
		}
		for x := from[0]; x <= to[0]; x++ {
			for y := from[1]; y <= to[1]; y++ {
				row := (x*p.width + y) * p.width
				for _, v := range p.order[p.first[row+from[2]]:p.first[row+to[2]+1]] {
					if int64(v) != u {
						near = append(near, neighbour{int64(v), squared(here, p.at[v])})
					}
				}
			}
		}
		slices.SortFunc(near, func(a, b neighbour) int {
			return cmp.Or(cmp.Compare(a.squared, b.squared), cmp.Compare(a.vertex, b.vertex))
		})
		// A point outside these cells is at least reach cells away.
		if safe := reach * pointCell; reach >= p.width || int64(len(near)) >= count &&
			near[count-1].squared <= safe*safe {
			break
		}
	}
	return near
}

func squared(a, b [3]int32) (sum int64) {
	for k := range 3 {
		d := int64(a[k]) - int64(b[k])
		sum += d * d
	}
	return sum
}
