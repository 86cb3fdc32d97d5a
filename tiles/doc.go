// Package tiles owns everything that ooc keeps on disk: the store, a folder
// that holds one all-pairs problem (its graph, its distance matrix, the state
// of its solve), and the promises about what survives a kill or a power cut.
//
// # Units
//
// A vertex is a row number 0…N-1. A matrix entry is EntryBytes bytes, little
// endian. A tile is a square block of T×T entries, row-major and contiguous on
// disk; tile (I,J) holds rows I·T…I·T+T-1 and columns J·T…J·T+T-1. Sizes and
// offsets are bytes, in int64 everywhere: N·N passes 2³¹ at 46,341. Progress
// (State.Done) is counted in pivot vertices, or what an algorithm
// has in their place, not rounds, so that the next run may choose another
// round width.
//
// # Invariants
//
//   - Only this package holds the mapping of the matrix; no slice of it
//     escapes. A fault on it becomes a *FaultError in the calling goroutine.
//   - All space is reserved by Create, before any work.
//   - A store has at most one writer, guarded by the lock of its folder (package lock).
//     Readers take no lock.
//   - A state slot is written only after the matrix it speaks of was synced.
//     After a failed sync no slot and no note is ever written again.
//   - A folder is a store from the moment store.json appears, atomically.
//
// docs/format.md gives the layout of every file, byte by byte.
package tiles
