package system

import "os"

// WillNeed does nothing: the system's own read-ahead must do.
func WillNeed([]byte) {}

// WillRead has no counterpart here.
func WillRead(*os.File, int64, int64) {}

// DropCache has no counterpart here.
func DropCache(*os.File) {}

// StartWriting has no counterpart here.
func StartWriting(*os.File, int64, int64) {}
