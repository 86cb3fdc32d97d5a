package gen

// randomGraph is the model of GTgraph's random generator with a given number of arcs: each has a
// uniformly drawn start, another uniformly drawn end, and a weight of 1 to 1000. The same arc may be
// drawn twice; reading merges the two.
var randomGraph = Kind{
	Name:  "random",
	Title: "M arcs between uniformly drawn vertices, weights 1…1000",
	arcs: func(o Options, emit emit) error {
		d := newDice(o.Seed)
		for range o.M {
			from, to := d.below(o.N), d.below(o.N-1)
			if to >= from { // from itself is left out
				to++
			}
			if err := emit(from, to, o.weight(d)); err != nil {
				return err
			}
		}
		return nil
	},
}
