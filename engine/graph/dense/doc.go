// Package dense holds graphs given as the matrix of their weights, in a NumPy file that may be larger than
// memory: it checks them, searches in them and cuts tiles from them as package graph does in memory.
package dense
