package gen

// treeGraph is a random recursive tree: every vertex but the root, vertex 0, has an arc from a uniformly
// drawn earlier one. Its depth grows with the logarithm of n.
var treeGraph = Kind{
	Name:  "tree",
	Title: "a random recursive tree, parents to children, weights 1…1000",
	Arcs:  func(n int64, _ bool) int64 { return n - 1 },
	arcs: func(o Options, emit emit) error {
		d := newDice(o.Seed)
		for v := int64(1); v < o.N; v++ {
			if err := emit(d.below(v), v, o.weight(d)); err != nil {
				return err
			}
		}
		return nil
	},
}
