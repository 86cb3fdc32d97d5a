// Package input gives the bytes of a file or a stream, counted, summed and decompressed.
package input
