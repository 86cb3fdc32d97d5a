package gen

// ringGraph is one cycle: each vertex leads to the next, and the last to the first.
var ringGraph = Kind{
	Name:  "ring",
	Title: "each vertex to the next, the last to the first, weights 1…1000",
	Arcs: func(n int64, undirected bool) int64 {
		if n == 1 || n == 2 && undirected { // no self-loop, and no second edge between two
			return n - 1
		}
		return n
	},
	arcs: func(o Options, emit emit) error {
		d := newDice(o.Seed)
		for u := range o.M {
			if err := emit(u, (u+1)%o.N, o.weight(d)); err != nil {
				return err
			}
		}
		return nil
	},
}
