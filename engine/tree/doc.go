// Package tree finds trees of shortest paths: by searches, or in rows of distances that are there.
package tree
