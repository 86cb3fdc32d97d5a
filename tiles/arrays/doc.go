// Package arrays keeps arrays in one file, which is written whole or not at all, is mapped to be read, and is
// compared with its checksums block by block as it is used.
package arrays
