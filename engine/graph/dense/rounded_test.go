package dense

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/internal/npy"
	"ooc/kernels/entry"
)

// TestRoundingIsSaid names the first entry that float32 rounds, of float64 and of integers that are to be f32.
func TestRoundingIsSaid(t *testing.T) {
	floats := func(size int, list ...float64) []byte {
		var raw []byte
		for _, x := range list {
			if size == 4 {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(x)))
			} else {
				raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
			}
		}
		return raw
	}
	ints := binary.LittleEndian.AppendUint32(append(binary.LittleEndian.AppendUint32(make([]byte, 4), 1<<24), 1, 0, 0,
		1), 0)
	for _, c := range []struct {
		descr string
		raw   []byte
		o     Options
		want  string
	}{
		{"<f8", floats(8, 0, 0.5, 0.1, 0), Options{}, "0.1 at row 1, column 0 (from 0); --scale"},
		{"<f8", floats(8, 0.1, 0.5, 0.25, 0), Options{}, ""}, // on the diagonal it does not matter
		{"<f8", floats(8, 0, 16777217, 1, 0), Options{}, ""}, // i32
		{"<f8", floats(8, 0, 16777217, 0.5, 0), Options{}, "16777217 at row 0, column 1 (from 0); --scale"},
		{"<f8", floats(8, 0, 16777217, 1, 0), Options{Kind: entry.KindF32},
			"16777217 at row 0, column 1 (from 0); --kind i32 is exact"},
		{"<f8", floats(8, 0, 0.5, 0.1, 0), Options{Scale: 10}, ""},
		{"<f4", floats(4, 0, 0.5, 0.1, 0), Options{}, ""},
		{"<i4", ints, Options{}, ""},
		{"<i4", ints, Options{Kind: entry.KindF32},
			"16777217 at row 1, column 0 (from 0); --kind i32 is exact, where distances fit that, and --kind f64 has " +
				"more digits"},
	} {
		path := graphtest.WriteFile(t, "m.npy", append(npy.Header("'"+c.descr+"'", "(2, 2)"), c.raw...))
		d, err := openDense(path, c.o)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimPrefix(strings.Join(d.Source().Remarks, "\n"), "weights are rounded to float32, such as ")
		if !strings.HasPrefix(got, c.want) || got != "" && c.want == "" {
			t.Errorf("%s %+v: %q, want %q", c.descr, c.o, got, c.want)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
