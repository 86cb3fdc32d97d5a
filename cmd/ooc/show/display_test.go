package show

import (
	"slices"
	"strings"
	"testing"

	"ooc/engine/live"
)

// TestDeviceRows wants a row for each of a few devices that share the rounds, none where one has them alone, and no
// more than fit.
func TestDeviceRows(t *testing.T) {
	one := live.Device{Name: "cuda:1", Rate: 17e12, Busy: 0.5, TakenRate: 2e9, DeviceMemory: 64 << 30,
		HostMemory: 1 << 30}
	for n, want := range map[int]int{0: 0, 2: 2, 8: 8, 100: 9} {
		s := live.Status{Devices: slices.Repeat([]live.Device{one}, n)}
		rows := deviceRows(s, 100)
		if len(rows) != want || n > 0 &&
			rows[0] != "cuda:1    17 Trelax/s · kernels 50 % · 64 GiB · 1.0 GiB host · takes 2 GB/s" {
			t.Errorf("%d devices: %q", n, rows)
		}
		if n == 100 && !strings.Contains(rows[8], "and 92 more") {
			t.Errorf("%q", rows[8])
		}
		if blocks := strings.Join(statusBlock(s, 100), "\n"); strings.Count(blocks, "cuda:1") != min(n, 8) {
			t.Errorf("%d devices:\n%s", n, blocks)
		}
	}
}
