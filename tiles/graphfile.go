package tiles

import (
	"fmt"
	"os"

	"ooc/kernels/entry"
)

// CSR is a graph in compressed sparse rows: the arcs of vertex u are entries
// Offsets[u]…Offsets[u+1]-1 of Targets and Weights.
type CSR struct {
	Offsets []int64 // N+1 of them, ascending from 0 to the number of arcs
	Targets []int32 // 0…N-1
	Weights []byte  // of each arc as many as an entry of Kind.Wide has, little endian
}

const (
	graphMagic = "OOCGRAPH"
	maxArcs    = 1 << 48
)

// weightBytes is the size of the weight of an arc.
func (m *Meta) weightBytes() int { return m.Kind.Wide().Bytes() }

// graphBytes is the size of graph.csr: a head, then the three arrays.
func (m *Meta) graphBytes() int64 {
	return headBytes + 8*(int64(m.N)+1) + (4+int64(m.weightBytes()))*m.Arcs
}

// checkGraph looks at the head of graph.csr, and at its size, so that counts that lie allocate nothing.
func (m *Meta) checkGraph(file string, b []byte, size int64) (head, error) {
	h, err := m.decodeHead(file, b, graphMagic, "it is not a graph of a store")
	if err != nil {
		return h, err
	}
	switch {
	case int(h.Kind) != m.weightBytes():
		return h, corruptInput(file, "its header claims %d vertices, %d arcs, %d bytes a weight", h.N, h.Size, h.Kind)
	case h.N != uint64(m.N) || h.Size != uint64(m.Arcs):
		return h,
			corruptInput(file, "it has %d vertices and %d arcs, store.json says %d and %d", h.N, h.Size, m.N, m.Arcs)
	case size != m.graphBytes():
		return h, corruptInput(file, "it has %d bytes, its header claims %d", size, m.graphBytes())
	}
	return h, nil
}

// validate says whether the arrays form a graph of n vertices.
func (c *CSR) validate(n, weightBytes int) error {
	arcs := int64(len(c.Targets))
	switch {
	case len(c.Offsets) != n+1:
		return fmt.Errorf("%d offsets for %d vertices", len(c.Offsets), n)
	case int64(len(c.Weights)) != int64(weightBytes)*arcs:
		return fmt.Errorf("%d bytes of weights for %d arcs", len(c.Weights), arcs)
	case c.Offsets[0] != 0 || c.Offsets[n] != arcs:
		return fmt.Errorf("offsets run from %d to %d, not from 0 to %d", c.Offsets[0], c.Offsets[n], arcs)
	}
	for u := range n {
		if c.Offsets[u] > c.Offsets[u+1] {
			return fmt.Errorf("the offsets of vertex %d descend", u)
		}
	}
	for a, v := range c.Targets {
		if v < 0 || int(v) >= n {
			return fmt.Errorf("arc %d leads to vertex %d of %d", a, v, n)
		}
	}
	return nil
}

// writeGraph fills the reserved file f and leaves it to the caller to sync.
func (m *Meta) writeGraph(f *os.File, c *CSR) error {
	h := head{Kind: uint32(m.weightBytes()), N: uint64(m.N), Size: uint64(m.Arcs)}
	return m.writeInput(f, graphMagic, h, entry.Bytes(c.Offsets), entry.Bytes(c.Targets), c.Weights)
}

// readGraph reads graph.csr, and checks its checksums and its arrays.
func (m *Meta) readGraph(f *os.File) (*CSR, error) {
	h, err := readHead(f, m.checkGraph)
	if err != nil {
		return nil, err
	}
	c := &CSR{make([]int64, m.N+1), make([]int32, m.Arcs), make([]byte, int64(m.weightBytes())*m.Arcs)}
	if err := h.readParts(f, entry.Bytes(c.Offsets), entry.Bytes(c.Targets), c.Weights); err != nil {
		return nil, err
	}
	if err := c.validate(m.N, m.weightBytes()); err != nil {
		return nil, corruptInput(f.Name(), "%v", err)
	}
	return c, nil
}
