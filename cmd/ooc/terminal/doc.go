// Package terminal is what the command shows on a terminal and takes from it: rows and figures as people read them, the
// board of tiles and the lanes in colour or without, a line that counts, and keys, for which it changes the terminal's
// modes and puts them back. It knows no command and no store. Widths are characters.
package terminal
