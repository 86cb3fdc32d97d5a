// Package gen generates graphs, of which a seed gives the same text on every platform.
package gen
