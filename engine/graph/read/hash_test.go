package read

import (
	"testing"

	"ooc/engine/internal/seeds"
)

// TestTables looks up ids that are there and ids that are not, in tables that grow.
func TestTables(t *testing.T) {
	r := seeds.New(t)
	var ints intTable
	var texts textTable
	numbers, names := map[int64]int32{}, map[string]int32{}
	for i := range int32(20000) {
		id := r.Int64() >> r.IntN(64)
		name := make([]byte, r.IntN(40))
		for k := range name {
			name[k] = "ab"[r.IntN(2)]
		}
		want, known := numbers[id]
		if got, ok := ints.find(id); ok != known || got != want {
			t.Fatalf("%d is %d, %v", id, got, ok)
		}
		if !known {
			numbers[id] = i
			ints.add(id, i)
		}
		var key textKey
		texts.setKey(&key, name, 0, len(name))
		want, known = names[string(name)]
		if got, ok := texts.find(&key, name); ok != known || got != want {
			t.Fatalf("%q is %d, %v", name, got, ok)
		}
		if !known {
			names[string(name)] = i
			texts.add(&key, name, i)
		}
	}
	for name, number := range names {
		var key textKey
		texts.setKey(&key, []byte(name), 0, len(name))
		if got, ok := texts.find(&key, []byte(name)); !ok || got != number {
			t.Fatalf("%q is %d, %v", name, got, ok)
		}
	}
}
