// Package system is what operating systems do differently with files: opening them without following links, the room on
// volumes, locks, advice, and telling one run of the system from the next. It knows no store.
package system

import "errors"

// ErrBusy says that a lock is held through another open file.
var ErrBusy = errors.New("lock is held")
