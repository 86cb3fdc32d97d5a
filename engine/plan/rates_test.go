package plan_test

import (
	"sync/atomic"
	"testing"

	"ooc/engine/device"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// countingDevice counts what is measured on it: rates begin with an allocation, and levels are timed level by level.
type countingDevice struct {
	*cpu.Device
	kernels.LaneOps
	allocations, levels atomic.Int64
}

func (d *countingDevice) Alloc(bytes int64) (kernels.Buffer, error) {
	d.allocations.Add(1)
	return d.Device.Alloc(bytes)
}

func (d *countingDevice) Level(kernels.Stream, entry.Variant, kernels.Level) error {
	d.levels.Add(1)
	return nil
}

// TestPartsAreMeasuredOnce measures two parts of a device, and two that keep predecessors.
func TestPartsAreMeasuredOnce(t *testing.T) {
	host, err := cpu.Open(cpu.Options{Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	d := &countingDevice{Device: host}
	s := &device.Shared{On: d}
	for _, tracks := range []bool{false, true} {
		var rates []plan.Rates
		var allocations, levels []int64
		for range 2 {
			part := s.Part(4 << 20) // without room for a sample of its own
			if tracks {
				if part, err = device.Tracking(part); err != nil {
					t.Fatal(err)
				}
			}
			r, err := plan.RatesFor(nil, part, entry.I32, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.MeasureLevels(part, entry.I32, 0); err != nil {
				t.Fatal(err)
			}
			rates, allocations, levels = append(rates, r), append(allocations, d.allocations.Swap(0)),
				append(levels, d.levels.Swap(0))
		}
		if rates[0] != rates[1] || rates[0].Levels == 0 {
			t.Errorf("with predecessors %v: %+v and then %+v", tracks, rates[0], rates[1])
		}
		if allocations[0] != 2 || levels[0] == 0 || allocations[1] != 0 || levels[1] != 0 {
			t.Errorf("with predecessors %v: %d allocations, %d levels", tracks, allocations, levels)
		}
	}
}
