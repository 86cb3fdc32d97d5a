package conformance

import (
	"errors"
	"testing"

	"ooc/kernels"
)

// memoryLimit wants Alloc to keep to the limit, to count what is freed, and to say ErrNoMemory.
func memoryLimit(t *testing.T, open opener) {
	const limit, piece = 64 << 20, 8 << 20
	b := newBench(t, open, limit, 0)
	device := b.device
	if m := device.Info().Memory; m <= 0 || m > limit {
		t.Fatalf("Info().Memory is %d with a limit of %d", m, limit)
	}
	if _, err := device.Alloc(limit + 1); !errors.Is(err, kernels.ErrNoMemory) {
		t.Errorf("more than the limit: %v, want ErrNoMemory", err)
	}
	_, none := device.Alloc(0)
	b.wantErrors(map[string]error{
		"a buffer of no bytes":         none,
		"FreeHost of memory of others": device.FreeHost(make([]byte, 64)),
	})
	counts := [2]int{}
	for round := range counts {
		var held []kernels.Buffer
		for len(held) <= limit/piece {
			buf, err := device.Alloc(piece)
			if errors.Is(err, kernels.ErrNoMemory) {
				break
			}
			b.must(err)
			held = append(held, buf)
		}
		host, err := device.AllocHost(piece) // is not device memory
		b.must(err)
		b.must(device.FreeHost(host))
		for _, buf := range held {
			b.must(buf.Free())
		}
		counts[round] = len(held)
	}
	if counts[0] < limit/piece/2 || counts[0] > limit/piece || counts[1] != counts[0] {
		t.Errorf("%d, then %d buffers of %d bytes with a limit of %d", counts[0], counts[1], piece, limit)
	}
}
