package gen

// smallWorldGraph is a ring of vertices, each with links to the next ones, of which one in ten leads to any vertex
// instead. The same link may be drawn twice; reading merges the two.
//
// D. J. Watts and S. H. Strogatz, Collective dynamics of "small-world" networks, 1998.
var smallWorldGraph = Kind{
	Name:  "smallworld",
	Title: "M arcs of a ring to the next vertices, one in ten to any (Watts and Strogatz), weights 1…1000",
	arcs: func(o Options, emit emit) error {
		d := newDice(o.Seed)
		for link := range o.M {
			step := link / o.N % (o.N - 1)
			if d.below(10) == 0 {
				step = d.below(o.N - 1)
			}
			from := link % o.N
			if err := emit(from, (from+1+step)%o.N, o.weight(d)); err != nil {
				return err
			}
		}
		return nil
	},
}
