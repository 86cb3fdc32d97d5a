// Package live owns the status of a running solve: what it reports to displays and to other processes, and how it is
// paused, resumed and asked for checkpoints from outside.
//
// # Units and invariants
//
// Times are seconds by the clock of a Control, which stands still in pauses; rates are over the last few seconds.
// Reports never fail a solve. What other processes publish is checked before it is drawn.
package live
