package graph

import "ooc/tiles/class"

// ErrNoVertex is wrapped by the error of a look-up of an id that the input does not have.
var ErrNoVertex = class.New(class.Input, "no such vertex")
