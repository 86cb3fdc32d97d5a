package near

// SetWidest sets when indices take 8 bytes, until the returned function is called.
func SetWidest(n int64) (restore func()) {
	was := widest
	widest = n
	return func() { widest = was }
}

// What tests ask for beside what callers do.
var (
	GreatestOf = greatestOf
	ErrOther   = errOther
)

// SetWorthAsking sets how many seconds engines must save to be asked, until the returned function is called.
func SetWorthAsking(seconds float64) (restore func()) {
	was := worthAsking
	worthAsking = seconds
	return func() { worthAsking = was }
}
