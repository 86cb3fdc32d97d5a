package lock

import "os"

// Remove removes the lock file. An open file cannot be removed here, so it
// is closed first; if another process has opened it since, removing fails and
// the file stays, empty but for its first line.
func (l *Lock) Remove() {
	l.Release()
	os.Remove(l.file.Name())
}
