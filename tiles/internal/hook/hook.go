// Package hook lets tests stand between a store and the operating system.
// Nothing outside tests registers a hook, and a store without one pays a nil
// check per operation, and a look-up of its folder per file that is opened,
// read whole or reserved.
package hook

import (
	"path/filepath"
	"sync"
)

// Hooks are called by one store.
type Hooks struct {
	// Before is called before each operation on a file of the store: op is
	// "open", "reserve", "map", "read", "write", "rename", "remove" or "sync", name the
	// file's name in the folder, "." for the folder. What it returns, if not
	// nil, is the operation's error, and the operation is not done. It is
	// called by several goroutines.
	Before func(op, name string) error
	// Sync wraps the sync of a file of the store; name is its name in the
	// folder. It must call do and may return another error.
	Sync func(name string, do func() error) error
	// BootID, if not empty, replaces the boot id of the running system.
	BootID string
	// Lock, if not nil, is what taking the folder's lock fails with.
	Lock error
	// Volume, if not empty, is the network file system that the folder is on.
	Volume string
	// ByFile says that the matrix is not mapped, as on such a file system.
	ByFile bool
}

// ByFile says that no store maps its matrix. It is set before any store is opened.
var ByFile bool

// All are the hooks of folders that have none of their own. They are set before any store is opened.
var All *Hooks

// Ask gives what Before says to an operation; nil hooks have nothing to say.
func (h *Hooks) Ask(op, name string) error {
	if h == nil || h.Before == nil {
		return nil
	}
	return h.Before(op, name)
}

// Synced runs a sync of a file, with what the hooks do around it.
func (h *Hooks) Synced(name string, do func() error) error {
	if err := h.Ask("sync", name); err != nil {
		return err
	}
	if h != nil && h.Sync != nil {
		return h.Sync(name, do)
	}
	return do()
}

// AskPath is Ask for whoever knows a file by its path alone.
func AskPath(op, path string) error {
	dir, name := filepath.Split(path)
	return For(dir).Ask(op, name)
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

// For gives the hooks of a folder, those of all if it has none, and nil if there are none.
func For(dir string) *Hooks {
	if h, ok := registry.Load(key(dir)); ok {
		return h.(*Hooks)
	}
	return All
}
