// Package searches computes rows of distances by searches from their vertices, of graphs without negative weights. It
// makes nothing that is larger than the graph. Where all weights are equal, it searches from 512 vertices at once, by
// bits (levels); else from one at a time, with a heap (search).
package searches
