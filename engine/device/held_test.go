package device

import (
	"bytes"
	"errors"
	"testing"

	"ooc/engine/internal/seeds"
	"ooc/kernels"
	"ooc/kernels/cpu"
)

// remote is a device that has memory of its own, and may have none of the host's.
type remote struct {
	kernels.Device
	none  bool
	asked int
}

func (d *remote) Info() kernels.Info {
	info := d.Device.Info()
	info.SharedCores = false
	return info
}

func (d *remote) AllocHost(bytes int64) ([]byte, error) {
	if d.asked++; d.none {
		return nil, kernels.ErrNoMemory
	}
	return d.Device.AllocHost(bytes)
}

// TestStaged copies more than is staged at a time, with page-locked memory and without.
func TestStaged(t *testing.T) {
	host, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	r := seeds.New(t)
	data, back := make([]byte, leastStaged+r.IntN(20*stage)), make([]byte, 0)
	for i := range data {
		data[i] = byte(i*31 + i>>8*7 + i>>20*13)
	}
	for _, none := range []bool{false, true} {
		d := &remote{Device: host, none: none}
		h := Held{On: d}
		s := h.Stream()
		to := h.Put(s, data, 7)
		back = append(back[:0], make([]byte, len(data))...)
		if err := errors.Join(h.Err(), s.CopyOut(back, to), s.Sync(), h.Close()); err != nil {
			t.Fatal(err)
		}
		if d.asked != 1 || !bytes.Equal(back, data) {
			t.Errorf("without page-locked memory %v: asked %d times, the same bytes: %v", none, d.asked,
				bytes.Equal(back, data))
		}
	}
	if err := host.Close(); err != nil { // everything was given back
		t.Error(err)
	}
}
