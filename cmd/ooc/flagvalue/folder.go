package flagvalue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"ooc/cmd/ooc/exit"
)

// NewFolder fails if the folder that a flag names is something else. It need not be there, or be named.
func NewFolder(flag, dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && !errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("--%s: %w", flag, err)
	case err != nil || !info.IsDir():
		return exit.UsageError(fmt.Errorf("--%s %s is no folder; name one, or leave it to be made", flag, dir))
	}
	return nil
}
