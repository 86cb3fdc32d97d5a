package text

import (
	"math"
	"testing"
)

func TestAppendNumber(t *testing.T) {
	for want, v := range map[string]float64{
		"0": 0, "-7": -7, "1000000": 1e6, "0.1": 0.1, "-2.5": -2.5, "123456.789": 123456.789, "9007199254740991": 1<<53 - 1,
		"1e+30": 1e30, "1e-07": 1e-7, "inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN(),
	} {
		if got := string(AppendNumber(nil, v, 64)); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
	if got := string(AppendNumber(nil, float64(float32(0.1)), 32)); got != "0.1" {
		t.Errorf("the float32 0.1 is written %s", got)
	}
}
