package graph

// Facts are what a problem is planned by and described with, whatever form its graph has.
type Facts struct {
	N                    int
	Arcs                 int64 // an undirected edge counts as two
	Kind                 Kind
	Directed             bool
	Scale                int64
	Negative             bool
	MinWeight, MaxWeight float64 // in stored units; 0, 0 without arcs
	IDs                  IDs

	SelfLoops, Parallel, NoArcs int64 // dropped or merged; see Graph
}

// Facts returns the graph's.
func (g *Graph) Facts() Facts {
	return Facts{
		N: g.N, Arcs: g.Arcs(), Kind: g.Kind, Directed: g.Directed, Scale: g.Scale, Negative: g.Negative,
		MinWeight: g.MinWeight, MaxWeight: g.MaxWeight, IDs: g.IDs,
		SelfLoops: g.SelfLoops, Parallel: g.Parallel, NoArcs: g.NoArcs,
	}
}
