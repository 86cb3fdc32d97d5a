package tiles

import "os"

// removeLock removes the lock file. An open file cannot be removed here, so it
// is closed first; if another process has opened it since, removing fails and
// the file stays, empty but for its first line.
func removeLock(f *os.File, path string) {
	release(f)
	os.Remove(path)
}
