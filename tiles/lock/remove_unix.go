//go:build unix

package lock

import "os"

// Remove removes the lock file and gives the lock back, in that order, so
// that nobody can lock the file in between and lose it.
func (l *Lock) Remove() {
	os.Remove(l.file.Name())
	l.file.Close()
}
