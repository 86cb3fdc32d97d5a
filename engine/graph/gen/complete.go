package gen

// completeGraph joins every two vertices.
var completeGraph = Kind{
	Name:  "complete",
	Title: "every two vertices joined both ways, weights 1…1000",
	Arcs:  func(n int64, undirected bool) int64 { return ways(undirected) * (n * (n - 1) / 2) },
	arcs: func(o Options, emit emit) error {
		d := newDice(o.Seed)
		for u := range o.N {
			for v := u + 1; v < o.N; v++ {
				if err := o.both(d, emit, u, v); err != nil {
					return err
				}
			}
		}
		return nil
	},
}
