package rowtiles

// OnDevices makes devices search, however long they take, until the function that it returns is called.
func OnDevices() (back func()) {
	was := faster
	faster = func(float64, float64) bool { return true }
	return func() { faster = was }
}
