package registry

import (
	"errors"
	"slices"
	"testing"

	"ooc/engine/device"
	"ooc/kernels"
)

// TestAll wants every device of a kind that has several, by the name that opens it, and a kind without any by its own.
func TestAll(t *testing.T) {
	were := kinds
	defer func() { kinds = were }()
	none := errors.New("there is none")
	for _, c := range []struct {
		n    int
		err  error
		want []string
	}{{0, none, []string{"gpu", "cpu"}}, {0, nil, []string{"gpu", "cpu"}}, {1, nil, []string{"gpu:0", "cpu"}}, {3, nil, []string{"gpu:0", "gpu:1", "gpu:2", "cpu"}}} {
		var opened []int
		open := func(index, _ int, _ int64) (kernels.Device, error) {
			opened = append(opened, index)
			return nil, none
		}
		kinds = []kind{{name: "gpu", count: func() (int, error) { return c.n, c.err }, open: open}, {name: "cpu", open: were[len(were)-1].open}}
		names := All()
		if !slices.Equal(names, c.want) {
			t.Errorf("%d, %v: %q", c.n, c.err, names)
		}
		for _, name := range names {
			d, _, err := Open(name, 1<<20)
			switch {
			case name == "cpu" && err == nil:
				err = d.Close()
			case name != "cpu" && errors.Is(err, none):
				err = nil
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for i, index := range opened {
			if i != index {
				t.Errorf("opened %v", opened)
			}
		}
		if len(opened) != max(c.n, 1) {
			t.Errorf("%d devices, opened %v", c.n, opened)
		}
	}
	if _, _, err := Open("gpu:x", 0); !errors.Is(err, device.ErrUnknown) {
		t.Error(err)
	}
}

// TestListed wants "auto" to try the device that its kind names, and All to leave out what the kind does not list.
func TestListed(t *testing.T) {
	were := kinds
	defer func() { kinds = were }()
	none := errors.New("there is none")
	opened := -1
	kinds = []kind{
		{name: "gpu", count: func() (int, error) { return 3, nil }, listed: func(i int) bool { return i != 1 }, first: func() (int, error) { return 2, nil },
			open: func(index, _ int, _ int64) (kernels.Device, error) {
				opened = index
				return nil, none
			}},
		{name: "other", first: func() (int, error) { return 0, none }, open: func(int, int, int64) (kernels.Device, error) {
			t.Error("opened where none is to be tried")
			return nil, none
		}},
	}
	if names := All(); !slices.Equal(names, []string{"gpu:0", "gpu:2", "other"}) {
		t.Errorf("%q", names)
	}
	if _, _, err := Open("auto", 0); !errors.Is(err, none) || opened != 2 {
		t.Errorf("opened %d, %v", opened, err)
	}
}
