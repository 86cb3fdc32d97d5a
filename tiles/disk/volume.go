package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ooc/tiles/internal/hook"
)

// Room fails with ErrNoSpace if the volume of the folder dir, or of the nearest folder above it that is there, is known
// to lack size bytes for file, before anything is done for it: back is what it has again before the file is made.
// Reserve is what makes sure.
func Room(dir, file string, size, back int64) error {
	if free, err := Free(dir); err == nil && free+back < size {
		return fmt.Errorf("%s: %w: %s needed, %s free on the volume; free some, or choose another volume with --out",
			file, ErrNoSpace, Size(size), Size(free+back))
	}
	return nil
}

// Reserve gives the empty file f the size and the blocks for it, or fails at once with ErrNoSpace.
func Reserve(f *os.File, size int64) error {
	if err := Room(filepath.Dir(f.Name()), f.Name(), size, 0); err != nil {
		return err
	}
	err := hook.AskPath("reserve", f.Name())
	if err == nil {
		err = reserve(f, size)
	}
	if err != nil {
		return fmt.Errorf("reserving %s for %s: %w; free some space, or choose another volume with --out",
			Size(size), f.Name(), Classify(err))
	}
	return nil
}

// Free is how many bytes this user may still allocate on the volume of dir, or of the nearest folder above it that is
// there.
func Free(dir string) (int64, error) { return freeSpace(standing(dir)) }

// Volume tells the volumes of folders apart, which need not be there, and says how many bytes are free, as Free does.
func Volume(dir string) (id string, free int64, err error) {
	dir = standing(dir)
	if id, err = volume(dir); err != nil {
		return "", 0, err
	}
	free, err = freeSpace(dir)
	return id, free, err
}

// Source is what the volume of dir was mounted from, as /dev/sda1 or server:/scratch, "" where the system does not
// say. everywhere: hosts that name it so have the same one.
func Source(dir string) (name string, everywhere bool) {
	dir = standing(dir)
	name = source(dir)
	// Not fuse, and no device.
	return name, Network(dir) != "" && (strings.Contains(name, ":") || strings.HasPrefix(name, "//"))
}

// standing is a folder, or the nearest above it that is there.
func standing(dir string) string {
	for {
		up := filepath.Dir(filepath.Clean(dir))
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || up == dir {
			return dir
		}
		dir = up
	}
}

// Network names the network file system that dir is on, "nfs" or the
// like; "" where it is on none, or the system does not say.
func Network(dir string) string {
	if h := hook.For(dir); h != nil && h.Volume != "" {
		return h.Volume
	}
	return network(dir)
}

// InMemory reports whether path, which may be missing, is on a volume in memory, as /dev/shm is; false where the system
// does not say.
func InMemory(path string) bool { return inMemory(standing(path)) }

// Size is a number of bytes for people.
func Size(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, u := float64(n)/1024, 0
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	return fmt.Sprintf("%.1f %ciB", v, units[u])
}
