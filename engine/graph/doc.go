// Package graph holds weighted graphs in memory, and what is proved of them and searched in them.
//
// # What it owns
//
//   - Graph: compressed sparse rows (CSR), 8 bytes an arc and 8 bytes a vertex.
//   - Builder, which makes one of arcs in memory, and Intake, which readers make one with.
//   - The rules for arcs: what is merged or dropped, what is refused.
//   - Check, which proves before any work starts that entries of the graph's kind can hold the answer.
//   - Search: Dijkstra's and Bellman–Ford's algorithms, the independent judge of ooc verify.
//
// # Beside it
//
// Package read parses files into graphs, and leaves a matrix that may be larger than memory in its file, which
// package dense does for it. Package gen makes graphs and writes them to files; package packed compresses. Imports
// point one way: gen → graph ← dense ← read, and all may use packed.
//
// # Units and invariants
//
// A vertex is a row, 0…N-1, inside the program and an id (IDs) outside it. Weights are int32 (kinds u8, u16 and i32),
// float32 (kind f32) or float64 (kind f64); where the input was scaled, they are the input's weights times Graph.Scale.
// In every Graph that these packages return, the targets of a row ascend strictly, no arc is a self-loop,
// no weight is NaN, infinite or −0.0, and an undirected graph holds each edge in both directions.
package graph
