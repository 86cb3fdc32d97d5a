// Package sparse solves all pairs of a sparse graph with far fewer relaxations than n³: it eliminates vertices,
// leaves a small dense core for others to close, and expands the core's distances to all vertices. It owns the
// mathematics of elimination: where an order stops, arcs up and down, and the expansion. Package eliminate runs it as
// an algorithm. It knows no disk and opens no device.
//
//	order, err := sparse.NewOrder(ctx, g, options)             // which vertices, in which order; what it costs
//	work, err := order.Best(ctx, seconds)                      // where to stop, by the planner's rates
//	e, err := order.Eliminate(ctx, g, work.Eliminated) // arcs up and down, and the core
//	e.FillTile(tile, t, i, j)                                  // the core's matrix, to be closed
//	x, err := e.NewExpander(ops, core, lanes, scratch)
//	err = x.Rows(sources, target)                              // rows of distances, in memory
//	err = x.Lanes(sources, take)                               // the same while they are in a cache
//	err = x.Columns(sources, labels, target)                   // the distances to some vertices alone
//
// or, on a device with kernels.LaneOps,
//
//	w, err := e.NewDeviceExpander(device, core, edge)          // what all batches share, in its memory
//	b, err := w.NewBatch(lanes)                                // a stream, and memory for a batch
//	err = b.Rows(sources)                                      // rows of tiles, in its memory
//	there, err := b.TileRow(dst, sums, i, 0)                      // copy one of them, and its checksums, to host memory
//
// # Elimination
//
// Eliminating v removes it. For each in-neighbour u and out-neighbour x that is left, it adds the arc u → x of weight
// w(u,v) + w(v,x) if that is shorter: a Schur complement over (min,+). Distances between the remaining vertices do not
// change. As with sparse Cholesky factors, the order decides how many arcs this makes (P. Sao, R. Kannan, P. Gera and
// R. Vuduc, A supernodal all-pairs shortest path algorithm, PPoPP 2020).
//
// Package ordering finds the order: by approximate minimum degrees, or for who asks by nested dissection of large
// graphs with thin separators. Here it is ended where more of it cannot pay, and the arcs that it leaves are counted,
// so that a planner can say where elimination stops. In an order by dissection both halves of a region are eliminated
// at the same time. An almost complete grid of 1,000,000 vertices (gen road, directed) takes 4.3 instead of 9.6 G
// relaxations to eliminate completely in such an order.
//
// # Expansion
//
// An eliminated vertex keeps its arcs to the vertices that were eliminated after it, or are in the core: its arcs up.
// A shortest path in the graph with all added arcs goes up, through the core or a topmost vertex, and down, as in
// contraction hierarchies (R. Geisberger, P. Sanders, D. Schultes and D. Delling, 2008). So the distances from a
// source take three steps: a climb from it, a (min,+) product with the core's matrix, and a sweep down all arcs. The
// sweep is the same for all sources, so many are swept at once, one in each lane (PHAST, see kernels.HostLaneOps).
// Vertices are numbered in the order of the sweep, and every subtree of the elimination tree is nearly a range. So
// the rows that a sweep reads, those on the path to the root, stay in the caches even for large graphs.
//
// Rows in the order of vertices need all lanes of a batch before the first one is written, and their transposition
// takes longer than all else. Who can use lanes as they are, by rank, gets them segment by segment: then no row goes
// to memory (window.go).
//
// Most vertices are in small subtrees, each with arcs up to few vertices above it. Products with these subtrees,
// Pieces, take twice as many relaxations as arcs one by one. On a device they are many times faster all the same:
// package rowsums multiplies by them there. A processor with AVX2 sweeps arcs at 10 G relaxations/s a core, and there
// products gained nothing (road networks, 126,146 vertices). So only EliminateInPieces cuts an elimination, and no
// piece is cut where arcs are faster by the counts.
//
// A device computes a level at a time: all vertices whose arcs lead only to lower levels. In the climb, too, each row
// reads the rows that have arcs to it, whether or not a source reaches it. So the host makes no list of reached
// vertices, and no two threads lower the same entry. See levelled and DeviceExpander.
//
// # Paths
//
// An arc of the elimination is one of the graph, or stands for two that lead over a vertex that was eliminated before
// both its ends. Which vertex that is, is not kept: it would take as much room as the weights. Search.Path finds it
// again. Of all vertices between the ends it was eliminated last. So in the elimination tree it is above the first
// vertex between the ends, and above the last one, and these two are neighbours of the ends. From the neighbours Path
// climbs the tree to where they meet. From there on it looks at the two arcs of each rank to the ends, until their
// lengths add up. On a path through the core, one row and one column of the core's matrix tell which core vertices
// are on it.
//
// # Units and invariants
//
// Weights are entries of an entry.Variant, bits in a uint32. Counts of relaxations are per source and arc. An order is
// the same in every run, and its beginning does not depend on where it ends. So the graph and the number of eliminated
// vertices determine everything here, to the bit. Rows do not depend on how sources are batched.
package sparse
