package device_test

import (
	"errors"
	"testing"

	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/cpu"
)

func share(t *testing.T, memory int64) *device.Shared {
	t.Helper()
	d, err := cpu.Open(cpu.Options{Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return &device.Shared{On: d}
}

func take(t *testing.T, d kernels.Device, bytes int64) kernels.Buffer {
	t.Helper()
	b, err := d.Alloc(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func refuse(t *testing.T, d kernels.Device, bytes int64) {
	t.Helper()
	if _, err := d.Alloc(bytes); !errors.Is(err, kernels.ErrNoMemory) {
		t.Errorf("%d bytes: %v", bytes, err)
	}
}

func free(t *testing.T, b kernels.Buffer) {
	t.Helper()
	if err := b.Free(); err != nil {
		t.Error(err)
	}
}

// TestPartMemory takes more than a part has while the device has room, and more than the device has while a part
// has room, and gives room back.
func TestPartMemory(t *testing.T) {
	const kib = 1 << 10
	s := share(t, 100*kib)
	small, large, all := s.Part(40*kib), s.Part(80*kib), s.Part(0)
	for d, want := range map[kernels.Device]int64{small: 40 * kib, large: 80 * kib, all: 100 * kib,
		s.Part(1000 * kib): 100 * kib} {
		if got := d.Info().Memory; got != want {
			t.Errorf("a part of %d bytes says %d", want, got)
		}
	}
	refuse(t, small, 41*kib)
	a := take(t, small, 30*kib)
	refuse(t, small, 11*kib)
	b := take(t, small, 10*kib)
	refuse(t, large, 61*kib) // the device has 60 left
	c := take(t, large, 60*kib)
	refuse(t, all, kib)
	free(t, a)
	free(t, c)
	a = take(t, small, 30*kib) // what was refused has taken nothing
	refuse(t, small, kib)
	c = take(t, large, 60*kib)
	for _, b := range []kernels.Buffer{a, b, c} {
		free(t, b)
	}
	free(t, take(t, all, 100*kib))
}

// TestOnce measures on parts of a device, on those that keep predecessors too, and anew what failed.
func TestOnce(t *testing.T) {
	s, calls, fails := share(t, 1<<20), 0, errors.New("no luck")
	measure := func(d kernels.Device) (int64, error) {
		calls++
		if calls == 1 {
			return 0, fails
		}
		if d.Info().Memory != 1<<20 {
			t.Errorf("measured on a part of %d bytes", d.Info().Memory)
		}
		return int64(device.EntryBytes(d, 0)), nil
	}
	if _, err := device.Once(s.Part(1<<10), "x", measure); !errors.Is(err, fails) {
		t.Error(err)
	}
	for range 2 {
		for _, tracks := range []bool{false, true} {
			d, want := s.Part(1<<10), int64(4)
			if tracks {
				var err error
				if d, err = device.Tracking(d); err != nil {
					t.Fatal(err)
				}
				want = 8
			}
			if got, err := device.Once(d, "x", measure); err != nil || got != want {
				t.Errorf("%d, %v; want %d", got, err, want)
			}
		}
	}
	if calls != 3 {
		t.Errorf("%d measurements, of which one failed, for two kinds of parts", calls)
	}
	if _, err := device.Once(s.Part(0), "y", measure); err != nil || calls != 4 {
		t.Errorf("another measurement: %d calls, %v", calls, err)
	}
}
