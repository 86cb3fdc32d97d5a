// Package device shares one device between solves, holds what some work takes of one, wraps one to keep predecessors,
// and reports how much memory is free.
// It imports no kind of device: package registry, inside it, opens them by name. Sizes are bytes; 0 free memory means
// unknown.
package device
