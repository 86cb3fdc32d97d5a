// Package gen generates graphs and writes them as text, arc after arc, in formats that package read reads. A seed gives
// the same text on every platform.
package gen
