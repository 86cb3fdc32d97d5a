// Package show tells people about solves: the status block and its keys, batches, proofs, and the screen of ooc watch
// with the board of tiles and the lanes. It draws with package terminal. Neither package knows the command's flags.
package show
