package graph

import "errors"

// ErrNoVertex is wrapped by the error of a look-up of an id that the input does not have.
var ErrNoVertex = errors.New("no such vertex")
