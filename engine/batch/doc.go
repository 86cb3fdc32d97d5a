// Package batch runs many solves, one after another or several at once, from a queue on disk.
//
// A Queue is a folder, NAME.batch, that says which jobs there are, in which order, and what became of each. Open
// makes or finds it, Run works through it, Read is for everybody else. The queue holds no result: distances
// and restore points are in the stores, and a queue that is lost costs nothing but the record of who failed.
//
// In the package, data flows one way: jobs → Plan (what each needs, does it fit) → Open (the queue) → Run (who may
// run together) → a Runner, which reads and solves one job. It knows nothing of terminals and command lines.
//
// # Invariants
//
//   - One process at a time runs a queue: it holds the folder's lock.
//   - What is recorded was synced before the next thing is recorded, so only the last record can be torn, and that
//     one is dropped: the job is then where the record before it says.
//   - A job is recorded as solved only after its store was.
package batch
