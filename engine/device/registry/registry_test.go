package registry

import (
	"errors"
	"slices"
	"strings"
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
	}{{0, none, []string{"gpu", "cpu"}}, {0, nil, []string{"gpu", "cpu"}}, {1, nil, []string{"gpu:0", "cpu"}},
		{3, nil, []string{"gpu:0", "gpu:1", "gpu:2", "cpu"}}} {
		var opened []int
		open := func(index int, _ Local, _ int64) (kernels.Device, error) {
			opened = append(opened, index)
			return nil, none
		}
		kinds = []kind{{name: "gpu", count: func() (int, error) { return c.n, c.err }, open: open},
			{name: "cpu", open: were[len(were)-1].open}}
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

// nothing is a device of which Open may return a nil pointer beside its error.
type nothing struct{ kernels.Device }

// TestOpenLocalFails wants no device where none opens.
func TestOpenLocalFails(t *testing.T) {
	were := kinds
	defer func() { kinds = were }()
	none := errors.New("there is none")
	kinds = []kind{{name: "gpu",
		open: func(int, Local, int64) (kernels.Device, error) { return (*nothing)(nil), none }}}
	if d, err := (Local{Of: 1, Cores: 1}).Open("gpu", 0); d != nil || !errors.Is(err, none) {
		t.Errorf("%v, %v", d, err)
	}
}

// TestDealt deals the devices of a kind to the processes of a node: none that is listed elsewhere, and no processor
// where there is a GPU.
func TestDealt(t *testing.T) {
	were := kinds
	defer func() { kinds = were }()
	none := errors.New("there is none")
	for _, c := range []struct {
		gpus []int
		want []int
	}{{nil, []int{0, 1, 3, 0}}, {[]int{0, 2, 3}, []int{0, 3, 0, 3}}, {[]int{2}, []int{0, 1, 3, 0}}} {
		var opened []int
		kinds = []kind{{name: "gpu", count: func() (int, error) { return 4, nil },
			listed: func(i int) bool { return i != 2 }, gpu: func(i int) bool { return slices.Contains(c.gpus, i) },
			open: func(index int, l Local, _ int64) (kernels.Device, error) {
				if opened = append(opened, index); l.Of != 4 || l.Cores != 2 {
					t.Errorf("opened as %+v", l)
				}
				return nil, none
			}}}
		for i := range 4 {
			if _, err := (Local{Index: i, Of: 4, Cores: 2}).Open("gpu", 0); !errors.Is(err, none) {
				t.Error(err)
			}
		}
		if !slices.Equal(opened, c.want) {
			t.Errorf("GPUs %v: opened %v, want %v", c.gpus, opened, c.want)
		}
	}
}

// TestListed wants "auto" to try the device that its kind names, and All to leave out what the kind does not list.
func TestListed(t *testing.T) {
	were := kinds
	defer func() { kinds = were }()
	none := errors.New("there is none")
	opened := -1
	kinds = []kind{
		{name: "gpu", count: func() (int, error) { return 3, nil }, listed: func(i int) bool { return i != 1 },
			first: func() (int, error) { return 2, nil },
			open: func(index int, _ Local, _ int64) (kernels.Device, error) {
				opened = index
				return nil, none
			}},
		{name: "other", first: func() (int, error) { return 0, none },
			open: func(int, Local, int64) (kernels.Device, error) {
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

// card is a device that others may use.
type card struct {
	kernels.Device
	index  int
	model  string
	taken  bool
	closed *[]int
}

func (c card) Info() kernels.Info { return kernels.Info{Model: c.model} }
func (c card) Close() error {
	*c.closed = append(*c.closed, c.index)
	return nil
}

// TestOpenFree wants the name of a kind to open all devices of it that others leave free, the first where none is,
// and any other name to open what Open does.
func TestOpenFree(t *testing.T) {
	were := kinds
	defer func() { kinds = were }()
	none := errors.New("there is none")
	for _, c := range []struct {
		name          string
		taken, broken []int
		want, shut    []int // that stand for the device, and that are closed before
	}{
		{"card", nil, nil, []int{0, 1, 2}, nil},
		{"card", []int{0}, nil, []int{1, 2}, []int{0}},
		{"card", []int{1}, []int{0}, []int{2}, []int{1}},
		{"card", []int{0, 1, 2}, nil, []int{0}, []int{1, 2}},
		{"card", []int{1, 2}, []int{0}, []int{1}, []int{2}},
		{"card", nil, []int{0, 1, 2}, nil, nil},
		{"mixed", nil, nil, []int{0, 2}, []int{1}},
		{"mixed", []int{0}, nil, []int{1}, []int{0, 2}},
		{"card:1", nil, nil, []int{1}, nil},
		{"card:0,2", []int{0}, nil, []int{0, 2}, nil},
		{"auto", nil, nil, []int{0}, nil},
	} {
		var closed []int
		name, _, _ := strings.Cut(c.name, ":")
		if name == "auto" {
			name = "card"
		}
		kinds = []kind{{name: name, count: func() (int, error) { return 3, nil },
			taken: func(d kernels.Device) bool { return d.(card).taken },
			open: func(index int, _ Local, _ int64) (kernels.Device, error) {
				if slices.Contains(c.broken, index) {
					return nil, none
				}
				model := "card"
				if name == "mixed" && index == 1 {
					model = "small card"
				}
				return card{index: index, model: model, taken: slices.Contains(c.taken, index), closed: &closed}, nil
			}}}
		d, _, err := OpenFree(c.name, 0)
		if c.want == nil {
			if !errors.Is(err, none) {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		var got []int
		for _, one := range device.Each(d) {
			got = append(got, one.(card).index)
		}
		if !slices.Equal(got, c.want) || !slices.Equal(closed, c.shut) {
			t.Errorf("%+v: opened %v, closed %v", c, got, closed)
		}
	}
}
