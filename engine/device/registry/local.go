package registry

import (
	"strings"

	"ooc/kernels"
)

// Local is the place of a process among those of its host that share a solve.
type Local struct {
	Index, Of int
	Cores     int // how many of them run on the same cores
}

// Open opens the device of one of several processes of a host. Where name is a kind of which there are several,
// or a list, they take these in turn. "auto" is the first kind of which there is one, without those that have to be
// named. Else it is as the function Open.
func (l Local) Open(name string, memory int64) (kernels.Device, error) {
	if name == "" || name == "auto" {
		for _, k := range kinds {
			if k.first == nil && k.there() > 0 {
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
	if dealt := mine.kind.dealt(); len(dealt) > 0 && !strings.ContainsAny(name, ",:") {
		mine.index = dealt[l.Index%len(dealt)]
	}
	d, err := mine.kind.open(mine.index, l, memory)
	if err != nil {
		return nil, err // and no device that is nil in an interface that is not
	}
	return d, nil
}

// dealt are the devices of a kind that processes take in turn: those that All lists, and only GPUs where it lists one.
func (k kind) dealt() (list []int) {
	gpus := false
	for index := range k.there() {
		if k.listed != nil && !k.listed(index) {
			continue
		}
		gpu := k.gpu == nil || k.gpu(index)
		if gpu && !gpus {
			list, gpus = nil, true
		}
		if gpu || !gpus {
			list = append(list, index)
		}
	}
	return list
}

// there is how many there are of a kind.
func (k kind) there() int {
	if k.count == nil {
		return 1
	}
	n, _ := k.count()
	return n
}
