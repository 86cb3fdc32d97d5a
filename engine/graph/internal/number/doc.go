// Package number turns numbers in decimal, of any length, into integers and weights. Where digits would be
// lost, it returns an error.
package number
