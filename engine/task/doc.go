// Package task owns the interface between the engine and its algorithms: a Task is what an algorithm gets to solve one
// store, and a Summary is what it reports. Algorithms need nothing else of package engine, which lies above them.
//
// # Units and invariants
//
// Times are seconds by the clock of the solve's Control, which stands still in pauses. The task's State is what
// earlier runs have made durable; an algorithm only ever adds to it.
package task
