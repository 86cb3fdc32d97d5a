package device

import "errors"

// ErrMemory is wrapped by the error of a plan for which a memory limit is too small.
var ErrMemory = errors.New("memory limit too small")

// ErrUnknown is wrapped by errors about a device that does not exist, or lacks what was asked of it.
var ErrUnknown = errors.New("no such device")
