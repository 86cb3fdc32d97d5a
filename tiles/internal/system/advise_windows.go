package system

import "os"

// WillNeed does nothing: the system's own read-ahead must do.
func WillNeed([]byte) {}

// DropCache has no counterpart here.
func DropCache(*os.File) {}

// StartWriting has no counterpart here.
func StartWriting(*os.File, int64, int64) {}
