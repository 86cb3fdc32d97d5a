// Package csr is the graph of a store, and the ids of its vertices: the files graph.csr and ids. Their heads carry
// the id of the store.
package csr
