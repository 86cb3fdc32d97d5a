// Package entry says what a stored word means: the kinds of matrix entries and their variants of arithmetic, what
// stands for "unreachable" and "no predecessor", how entries are viewed as numbers, and how sizes are rounded up.
// Each of these is written down here once. The package imports nothing of ours; all others may import it.
//
// A new kind is one line in the table of kinds, one for each of its variants in theirs, and kernels for these.
package entry
