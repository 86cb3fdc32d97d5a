package device_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// slowed is a device whose ceiling other load lowers.
type slowed struct {
	*cpu.Device
	model string
	rate  float64
}

func (d slowed) Ceiling(entry.Variant) float64 { return d.rate }

func (d slowed) Info() kernels.Info {
	info := d.Device.Info()
	info.Model = d.model
	return info
}

// TestCeilingsAreKept measures a machine under changing load, as processes one after another would, and puts rubbish
// in the place of the file.
func TestCeilingsAreKept(t *testing.T) {
	host, err := cpu.Open(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	file := filepath.Join(t.TempDir(), "a", "ceilings")
	defer device.KeepCeilings("")
	device.KeepCeilings(file)
	if got := device.Ceiling(slowed{host, "AVX-512, 2 threads", 0}, entry.I32, 1); got != 0 {
		t.Errorf("%g is kept before anything was measured", got)
	}
	next := func(what, model string, measured, want float64) {
		t.Helper()
		device.KeepCeilings(file) // a process begins
		for _, v := range []entry.Variant{entry.I32, entry.F32, entry.I32} {
			if got := device.Ceiling(slowed{host, model, measured}, v, 0); got != want {
				t.Errorf("%s, %s: the ceiling is %g, want %g", what, v, got, want)
			}
			if got := device.Ceiling(slowed{host, model, 900e9}, v, 1); got != want {
				t.Errorf("%s, %s: the ceiling that is kept is %g, want %g", what, v, got, want)
			}
		}
	}
	next("first", "AVX-512, 2 threads", 60e9, 60e9)
	next("other load", "AVX-512, 2 threads", 40e9, 60e9)
	next("other threads", "AVX-512, 1 thread", 30e9, 30e9)
	next("idle", "AVX-512, 2 threads", 100e9, 100e9)
	next("other load again", "AVX-512, 2 threads", 1e9, 100e9)
	next("and that of one thread is there still", "AVX-512, 1 thread", 1e9, 30e9)

	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"empty": "", "foreign": "hello\n", "cut off": string(good[:len(good)-3]),
		"a changed figure": strings.Replace(string(good), "100000000000", "900000000000", 1),
		"null":             "ooc ceilings 1 00000000\nnull"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		next(what, "AVX-512, 2 threads", 50e9, 50e9)
		next(what+", made anew", "AVX-512, 2 threads", 40e9, 50e9)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil { // neither readable nor writable, whoever runs this
		t.Fatal(err)
	}
	next("a folder in its place", "AVX-512, 2 threads", 40e9, 40e9)
	device.KeepCeilings("")
	if got := device.Ceiling(slowed{host, "AVX-512, 2 threads", 7e9}, entry.I32, 0); got != 7e9 {
		t.Errorf("without a file: %g", got)
	}
}
