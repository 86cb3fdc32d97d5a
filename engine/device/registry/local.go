package registry

import (
	"strings"

	"ooc/engine/device"
	"ooc/kernels"
)

// Local is the place of a process among those of its host that share a solve.
type Local struct {
	Index, Of int
	Cores     int // how many of them run on the same cores
}

// OpenLocal opens the device of one of several processes of a host. Where name is a kind of which there are several, or a list, they take
// these in turn. "auto" is the first kind of which there is one, without those that have to be named. Else it is as Open.
func OpenLocal(name string, memory int64, l Local) (kernels.Device, error) {
	if name == "" || name == "auto" {
		for _, k := range kinds {
			if n := k.there(); n > 0 && k.first == nil {
				name = k.name
				break
			}
		}
	}
	list, err := find(name)
	if err != nil {
		return nil, err
	}
	mine := list[l.Index%len(list)]
	if n := mine.kind.there(); n > 0 && !strings.ContainsAny(name, ",:") {
		mine.index = l.Index % n
	}
	if memory == 0 && mine.kind.count == nil {
		memory = device.FreeMemory() / 2 / int64(l.Of)
	}
	return mine.kind.open(mine.index, l.Cores, memory)
}

// there is how many there are of a kind.
func (k kind) there() int {
	if k.count == nil {
		return 1
	}
	n, _ := k.count()
	return n
}
