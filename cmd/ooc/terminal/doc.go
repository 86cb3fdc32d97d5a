// Package terminal holds standard output, draws on a terminal and reads keys from it: rows and figures for people,
// the board of tiles and the lanes in colour or without, a line that counts, and keys, for which it changes the
// terminal's modes and restores them. It knows no command and no store. Widths are in characters.
package terminal
