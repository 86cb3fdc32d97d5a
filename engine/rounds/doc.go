// Package rounds owns the algorithms that work through the tiles of the whole matrix in rounds: blocked Floyd–Warshall,
// repeated squaring and single-stage Floyd–Warshall. docs/add-an-algorithm.md shows how to add one.
//
// An algorithm plans its memory and emits steps. The rest of the package is the same for all of them:
//
//   - schedule decides where each tile is and in which order steps happen; level picks the tiles to evict.
//   - executor gives steps their memory and submits them to a stream.Pipeline, which overlaps them.
//   - run drives the schedule: checkpoints, pauses, reports and the end.
//   - tracker and grid record how far each tile is, on disk and for displays.
//
// # Units and invariants
//
// Progress is counted in iterations, which each algorithm defines, and stored as pivot vertices (tiles.State). A tile
// has one copy in memory at most: in a slot or in a page. No product writes what it reads. Tiles on disk may be
// further than the last checkpoint says, never less far.
package rounds
