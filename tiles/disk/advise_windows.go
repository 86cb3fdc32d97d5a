package disk

// WillNeed does nothing: the system's own read-ahead must do.
func WillNeed([]byte) {}
