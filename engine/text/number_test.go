package text

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

func TestNumbers(t *testing.T) {
	for want, v := range map[string]float64{
		"0": 0, "-7": -7, "1000000": 1e6, "0.1": 0.1, "-2.5": -2.5, "123456.789": 123456.789,
		"9007199254740991": 1<<53 - 1,
		"1e+30":            1e30, "1e-07": 1e-7, "inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN(),
	} {
		if got := string(Numbers{}.Append(nil, v)); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
	f32 := NumbersOf(entry.KindF32, 1)
	for want, v := range map[string]float64{
		"0.1": float64(float32(0.1)), "0.002025": float64(float32(0.002025)), "16777216": 16777217,
		"3.4028235e+38": math.MaxFloat32,
		"unreachable":   math.Inf(1),
	} {
		if got := f32.Text(v); got != want {
			t.Errorf("the float32 %v is written %s, want %s", v, got, want)
		}
	}
	if got := NumbersOf(entry.KindI32, 1000000).Text(2025. / 1000000); got != "0.002025" {
		t.Errorf("2025 by a million is written %s", got)
	}
	if got := string(f32.JSON(math.Inf(1))); got != "null" {
		t.Errorf("no path is %s in JSON", got)
	}
}

// TestNumbersReadBack reads numbers of either precision back from text and JSON.
func TestNumbersReadBack(t *testing.T) {
	r := seeds.New(t)
	for range 100000 {
		x, y := math.Float32frombits(r.Uint32()), math.Float64frombits(r.Uint64())
		if got, err := strconv.ParseFloat(string(NumbersOf(entry.KindF32, 1).Append(nil, float64(x))),
			32); err != nil && x == x || float32(got) != x && x == x {
			t.Fatalf("the float32 %v reads back as %v, %v", x, got, err)
		}
		if math.IsInf(y, 0) || math.IsNaN(y) {
			continue
		}
		var got float64
		if err := json.Unmarshal(Numbers{}.JSON(y), &got); err != nil || got != y {
			t.Fatalf("%v reads back as %v, %v", y, got, err)
		}
	}
}
