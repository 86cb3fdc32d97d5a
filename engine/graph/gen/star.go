package gen

// starGraph has a centre, vertex 0, that leads to every other vertex.
var starGraph = Kind{
	Name:  "star",
	Title: "the first vertex to every other, weights 1…1000",
	Arcs:  func(n int64, _ bool) int64 { return n - 1 },
	arcs: func(o Options, emit emit) error {
		d := newDice(o.Seed)
		for v := int64(1); v < o.N; v++ {
			if err := emit(0, v, o.weight(d)); err != nil {
				return err
			}
		}
		return nil
	},
}
