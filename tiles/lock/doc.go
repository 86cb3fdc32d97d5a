// Package lock keeps a folder of ours to one process at a time, a store or the queue of a batch, and says which
// process has it and what that does. The lock is flock on the file "lock", so it ends with the process; the text of
// the file names it.
package lock
