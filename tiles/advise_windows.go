package tiles

import "os"

// willNeed does nothing: the system's own read-ahead must do.
func willNeed([]byte) {}

// dropCache has no counterpart here.
func dropCache(*os.File) {}
