package engine

// FreeMemory returns the bytes that this process may still take without pushing others out, or 0 where that cannot
// be told.
func FreeMemory() int64 { return freeMemory() }
