// Package write writes graphs as text, arc after arc, in the formats that package read reads.
package write
