package entry

// Fill sets every element of s to x, by copying a filled head over and over: at the speed of memmove.
func Fill[E any](s []E, x E) {
	head := min(len(s), 1024) // stays in the first cache
	for k := range head {
		s[k] = x
	}
	for done := head; done < len(s); done += copy(s[done:], s[:head]) {
	}
}
