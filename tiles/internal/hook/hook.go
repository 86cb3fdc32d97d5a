// Package hook lets tests stand between a store and the operating system's
// sync calls. Nothing outside tests registers a hook, and a store without one
// pays a nil check per sync.
package hook

import (
	"path/filepath"
	"sync"
)

// Hooks are called by one store.
type Hooks struct {
	// Sync wraps the sync of a file of the store; name is its name in the
	// folder. It must call do and may return another error.
	Sync func(name string, do func() error) error
	// BootID, if not empty, replaces the boot id of the running system.
	BootID string
}

var registry sync.Map // absolute folder → *Hooks

func key(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return filepath.Clean(dir)
}

// Set registers hooks for stores opened or created at dir from now on; nil
// removes them.
func Set(dir string, h *Hooks) {
	if h == nil {
		registry.Delete(key(dir))
		return
	}
	registry.Store(key(dir), h)
}

// For gives the hooks of a folder, nil if there are none.
func For(dir string) *Hooks {
	if h, ok := registry.Load(key(dir)); ok {
		return h.(*Hooks)
	}
	return nil
}
