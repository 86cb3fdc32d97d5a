package pages

import "testing"

// TestMake wants zeros that can be written, of sizes around those of huge pages.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, hugePage / 8, hugePage/4 - 1, hugePage, 3*hugePage + 5} {
		s := Make[int64](n)
		if len(s) != n {
			t.Fatalf("%d of %d", len(s), n)
		}
		for i := range s {
			if s[i] != 0 {
				t.Fatalf("entry %d of %d is %d", i, n, s[i])
			}
			s[i] = -1
		}
	}
}

// TestDiscard gives back the middle of a slice: what is beside it stays, and all can be written again.
func TestDiscard(t *testing.T) {
	s := make([]byte, 1<<20)
	for i := range s {
		s[i] = 1
	}
	for _, part := range [][]byte{s[5:5], s[5:9000], s[9000 : len(s)-7]} {
		Discard(part)
	}
	for i := range s {
		if (i < 5 || i >= len(s)-7) && s[i] != 1 {
			t.Fatalf("byte %d is gone", i)
		}
		s[i] = 2
	}
}
