//go:build unix

package tiles

import "os"

// removeLock removes the lock file and gives the lock back, in that order, so
// that nobody can lock the file in between and lose it.
func removeLock(f *os.File, path string) {
	os.Remove(path)
	f.Close()
}
