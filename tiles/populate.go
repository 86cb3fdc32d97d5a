package tiles

func populateRead([]byte)  {}
func populateWrite([]byte) {}
