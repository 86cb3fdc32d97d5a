package engine

// minSlots returns the fewest slots that a round of the given width can run in: the pivot block, both
// panels, and one strip that is being made out of place.
func minSlots(side, width int) int {
	m := min(width, side)
	if m == side {
		return side * side
	}
	return m*m + 2*m*(side-m) + m
}

// lookAheadSlots returns the fewest slots with which two rounds' panels can stand side by side.
func lookAheadSlots(side, width int) int {
	m := min(width, side)
	return minSlots(side, width) + 2*m*(side-m)
}

// inCoreSlots returns the slots with which no tile ever leaves the device before the end.
func inCoreSlots(side, width int) int {
	m := min(width, side)
	if m == side {
		return side * side
	}
	return side*side + 2*m*m + m
}

// minPages is the fewest pages: one for a tile on its way in, one for a tile on its way out.
const minPages = 2
