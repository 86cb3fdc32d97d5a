// Package heap keeps vertices for searches that take the nearest first.
package heap

import "cmp"

// Item is a vertex in a heap.
type Item[K cmp.Ordered] struct {
	Key    K
	Vertex int32
}

// Heap has the least key at its root; the children of i are 4i+1…4i+4. A vertex whose key falls is pushed again: to
// find its place and move it there would cost more than to skip it later.
type Heap[K cmp.Ordered] []Item[K]

// Push adds a vertex.
func (h *Heap[K]) Push(key K, vertex int32) {
	*h = append(*h, Item[K]{})
	all := *h
	i := len(all) - 1
	for i > 0 {
		up := (i - 1) / 4
		if all[up].Key <= key {
			break
		}
		all[i] = all[up]
		i = up
	}
	all[i] = Item[K]{key, vertex}
}

// Pop takes out a vertex with the least key. There has to be one.
func (h *Heap[K]) Pop() Item[K] {
	all := *h
	top, last := all[0], all[len(all)-1]
	all = all[:len(all)-1]
	*h = all
	if len(all) == 0 {
		return top
	}
	i := 0
	for {
		c := 4*i + 1
		if c+3 >= len(all) {
			break
		}
		least, key := c, all[c].Key
		if k := all[c+1].Key; k < key {
			least, key = c+1, k
		}
		if k := all[c+2].Key; k < key {
			least, key = c+2, k
		}
		if k := all[c+3].Key; k < key {
			least, key = c+3, k
		}
		if key >= last.Key {
			all[i] = last
			return top
		}
		all[i] = all[least]
		i = least
	}
	least := i
	for c := 4*i + 1; c < len(all); c++ {
		if all[c].Key < last.Key && (least == i || all[c].Key < all[least].Key) {
			least = c
		}
	}
	all[i] = all[least]
	all[least] = last
	return top
}
