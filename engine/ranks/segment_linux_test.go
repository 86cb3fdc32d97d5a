package ranks_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"ooc/engine/internal/enginetest"
	"ooc/engine/ranks"
)

// segments returns those of so many ranks, with slots of so many bytes.
func segments(t *testing.T, size, slots int, slot int64) []*ranks.Segment {
	t.Helper()
	links, _ := enginetest.Links(size)
	all, errs := make([]*ranks.Segment, size), make([]error, size)
	var group sync.WaitGroup
	for i, l := range links {
		group.Go(func() { all[i], errs[i] = ranks.NewGroup(l).Share(context.Background(), slots, slot) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestSegment wants what one rank puts in its segment to be what others take, and slots that are in use to stay as
// they are.
func TestSegment(t *testing.T) {
	const size = 3 << 10
	all := segments(t, 3, 8, size)
	for i, s := range all {
		for k := range all {
			if s.Reads(k) != (i != k) || s.ReadBy(k) != (i != k) {
				t.Fatalf("rank %d reads rank %d: %t, and is read by it: %t", i, k, s.Reads(k), s.ReadBy(k))
			}
		}
	}
	datum := func(i int) []byte { return bytes.Repeat([]byte{byte(i), byte(i >> 8), 7}, size/3) }
	var places [][]byte
	for i := 0; ; i++ {
		place, ok := all[0].Put(2, datum(i))
		if !ok {
			if taken, err := all[1].Take(0, place, make([]byte, size)); taken || err != nil {
				t.Errorf("from no place: %t, %v", taken, err)
			}
			break
		}
		places = append(places, place)
	}
	if len(places) != 8 {
		t.Fatalf("%d slots, and not 8", len(places))
	}
	for _, reader := range []int{1, 2} {
		for i, place := range places {
			got := make([]byte, size)
			if taken, err := all[reader].Take(0, place, got); !taken || err != nil || !bytes.Equal(got, datum(i)) {
				t.Fatalf("rank %d, place %d: %t, %v", reader, i, taken, err)
			}
			if _, ok := all[0].Put(1, datum(0)); ok != (reader == 2) {
				t.Fatalf("a slot is free after rank %d of 2 has taken it: %t", reader, ok)
			} else if ok {
				break
			}
		}
	}
	far := []byte{255, 255, 0, 0, 0, 0, 0, 0}
	if _, err := all[1].Take(0, far, make([]byte, size)); err == nil || !strings.Contains(err.Error(), "rank 0") {
		t.Errorf("from a place that is not there: %v", err)
	}
	if _, ok := all[0].Put(1, make([]byte, size+1)); ok {
		t.Error("more than a slot takes was put there")
	}
	for _, s := range all {
		s.Close()
		s.Close()
	}
	if open := descriptors(t); strings.Contains(open, "ooc-ranks") {
		t.Errorf("still open: %s", open)
	}
	if _, ok := segments(t, 1, 8, size)[0].Put(0, datum(0)); ok {
		t.Error("a rank that is alone has a segment")
	}
	for _, s := range segments(t, 2, 0, size) {
		if s.Reads(0) || s.Reads(1) || s.ReadBy(0) || s.ReadBy(1) {
			t.Error("a segment without slots was shared")
		}
		s.Close()
	}
}

// descriptors names the files that are open.
func descriptors(t *testing.T) (names string) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			names += name + " "
		}
	}
	return names
}
