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
