// Package terminal holds standard output, draws on a terminal and reads keys from it: blocks of rows, a line that
// counts, and keys, for which it changes the terminal's modes and restores them. It knows no command and no store.
// Widths are in characters.
package terminal
