package gen

import "math/bits"

// powerLawArc follows the model of preferential attachment: vertices come one after the other, each with its share of
// the links, and a link goes to an earlier vertex, the likelier the more links that has. Of directed graphs, either
// end may be the start. The same link may be drawn twice; reading merges the two.
//
// The ends of all links form a list, of which a link draws a place. What stands there is drawn again when it is
// needed, from the number of the place, so that no list is held.
//
// A.-L. Barabási and R. Albert, Emergence of scaling in random networks, 1999; P. Sanders and C. Schulz, Scalable
// generation of scale-free graphs, 2016.
func powerLawArc(o Options, d dice, link int64) (from, to int64) {
	from, to = o.newcomer(link), o.attached(link)
	if !o.Undirected && d.below(2) == 1 {
		from, to = to, from
	}
	return from, to
}

// newcomer returns the vertex that a link came with.
func (o Options) newcomer(link int64) int64 {
	hi, lo := bits.Mul64(uint64(link), uint64(o.N-1))
	vertex, _ := bits.Div64(hi, lo, uint64(o.M))
	return 1 + int64(vertex)
}

// attached returns the earlier vertex that a link goes to.
func (o Options) attached(link int64) int64 {
	for {
		// Links before the first of this vertex join earlier vertices: ⌈(v-1)·M/(N-1)⌉ of them.
		hi, lo := bits.Mul64(uint64(o.newcomer(link)-1), uint64(o.M))
		lo, carry := bits.Add64(lo, uint64(o.N-2), 0)
		before, _ := bits.Div64(hi+carry, lo, uint64(o.N-1))
		if before == 0 {
			return 0
		}
		place := newDice(o.Seed, uint64(link)).below(2 * int64(before))
		link = place / 2
		if place%2 == 0 {
			return o.newcomer(link)
		}
	}
}
