package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"ooc/kernels/entry"
)

// Digest is the same text for two graphs with the same vertices, by their rows, and the same arcs, kind and scale.
// Ids do not matter.
func (g *Graph) Digest() string {
	h := sha256.New()
	fmt.Fprintln(h, g.N, g.Arcs(), g.Kind, g.Scale)
	for _, b := range [][]byte{entry.Bytes(g.Offsets), entry.Bytes(g.Targets), g.WeightBytes()} {
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}
