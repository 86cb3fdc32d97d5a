package live

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ooc/tiles"
)

// TestLiveFitsItsFile makes the longest status that there can be.
func TestLiveFitsItsFile(t *testing.T) {
	live := Live{
		Status: Status{Device: strings.Repeat("\x00", 500),
			Busy:    Busy{"read": 1.0 / 3, "in": 1.0 / 3, "kernel": 1.0 / 3},
			Devices: slices.Repeat([]Device{{"a device of 32", 1e15 / 7, 1.0 / 3, 1e10 / 7, 1 << 60, 1 << 60}}, 32)},
		Workers: Workers{Device: strings.Repeat("k", 65), Read: strings.Repeat("r", 16), Write: strings.Repeat("w", 16),
			Sync: "s"},
		Board: &Board{Across: maxBoard, Down: maxBoard, Cells: make([]Cell, maxBoard*maxBoard)},
	}
	data, err := json.Marshal(live)
	if err != nil || len(data) > tiles.MaxLive {
		t.Errorf("%d bytes of %d, %v", len(data), tiles.MaxLive, err)
	}
}

// FuzzLive reads what other processes might have said: an error, or something that can be drawn.
func FuzzLive(f *testing.F) {
	f.Add([]byte(`{"state":"running","round":3,"rounds":9,"pid":1}`)) // as it was before there were boards
	f.Add([]byte(`{"board":{"across":2,"down":1,"cells":"AAE="},"lanes":{"device":"kk."},"ceilings":{}}`))
	f.Add([]byte(`{"board":{"across":-2,"down":1000000000,"cells":""},"state":"\u001b]0;x\u0007"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var live Live
		if live.Decode(data) != nil {
			return
		}
		if live.Board != nil {
			b := live.Board.Fit(10, 3)
			if !b.valid() || b.Across > 10 || b.Down > 3 {
				t.Errorf("board %+v", b)
			}
		}
		if strings.ContainsAny(string(live.State)+live.Device+string(live.Stage)+live.Workers.Device, "\x1b\x07\n\r") {
			t.Errorf("control characters in %+v", live)
		}
	})
}
