// Package arcs keeps arcs in little memory until all are known, and then sorts them into compressed rows.
package arcs
