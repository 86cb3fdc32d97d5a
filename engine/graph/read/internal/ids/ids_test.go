package ids

import (
	"testing"

	"ooc/engine/internal/seeds"
)

// TestTables looks up ids that are there and ids that are not, in tables that grow.
func TestTables(t *testing.T) {
	r := seeds.New(t)
	var ints Ints
	var texts Texts
	numbers, names := map[int64]int32{}, map[string]int32{}
	for i := range int32(20000) {
		id := r.Int64() >> r.IntN(64)
		name := make([]byte, r.IntN(40))
		for k := range name {
			name[k] = "ab"[r.IntN(2)]
		}
		want, known := numbers[id]
		if got, ok := ints.Find(id); ok != known || got != want {
			t.Fatalf("%d is %d, %v", id, got, ok)
		}
		if !known {
			numbers[id] = i
			ints.Add(id, i)
		}
		var key Key
		texts.SetKey(&key, name, 0, len(name))
		want, known = names[string(name)]
		if got, ok := texts.Find(&key, name); ok != known || got != want {
			t.Fatalf("%q is %d, %v", name, got, ok)
		}
		if !known {
			names[string(name)] = i
			texts.Add(&key, name, i)
		}
	}
	for name, number := range names {
		var key Key
		texts.SetKey(&key, []byte(name), 0, len(name))
		if got, ok := texts.Find(&key, []byte(name)); !ok || got != number {
			t.Fatalf("%q is %d, %v", name, got, ok)
		}
	}
}
