// Package batch runs many solves, one after another or several at once, from a queue on disk.
//
// A Queue is a folder, NAME.batch, that lists the jobs in order, each with its state. Open makes or finds it, Run
// works through it, Read is for everybody else. The queue holds no results: distances and restore points are in the
// stores. If a queue is lost, only the record of failures is lost.
//
// In the package, data flows one way: jobs → Need and Room (what each needs, whether all fit) → Open (the queue) → Run
// (which jobs may run together) → a Runner, which reads and solves one job. The package knows nothing of terminals and
// command lines.
//
// # Invariants
//
//   - One process at a time runs a queue: it holds the folder's lock.
//   - Each record is synced before the next is written. So only the last record can be torn. It is dropped, and the job
//     is then in the state of the record before.
//   - A job is recorded as solved only after its store was.
package batch
