package device

import "ooc/tiles/class"

// ErrMemory is wrapped by the error of a plan for which a memory limit is too small.
var ErrMemory = class.New(class.Usage, "memory limit too small")

// ErrUnknown is wrapped by errors about a device that does not exist, or lacks what was asked of it.
var ErrUnknown = class.New(class.Usage, "no such device")
