// Package graph holds weighted graphs in memory: how they are read, built, generated and checked, and
// the reference algorithms that results are verified against. It imports no other package of ooc but one
// that writes files.
//
// # What it owns
//
//   - Graph: compressed sparse rows (CSR), 8 bytes an arc and 8 bytes a vertex.
//   - Dense: a matrix of weights that stays in its file, in pieces in memory only while they are looked at.
//   - Readers, one file each, listed in Formats; generators in Generators; their file formats in Writers.
//   - The rules for numbers: what is an arc, what is merged or dropped, what is refused.
//   - Check, which proves before any work starts that a matrix of 4-byte entries can hold the answer.
//   - Search: Dijkstra's and Bellman–Ford's algorithms, the independent judge of ooc verify.
//
// # Units and invariants
//
// A vertex is a row, 0…N-1, inside the program and an id (IDs) outside it. Weights are int32 (kind i32)
// or float32 (kind f32); where the input was scaled, they are the input's weights times Graph.Scale.
// In every Graph that this package returns, the targets of a row ascend strictly, no arc is a self-loop,
// no weight is NaN, infinite or −0.0, and an undirected graph holds each edge in both directions.
package graph
