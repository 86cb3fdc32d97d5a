// Package text writes numbers and ids as other programs read them and as people do, and reads files of lines.
package text
