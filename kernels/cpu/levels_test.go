package cpu

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"ooc/kernels/entry"
)

// TestLevelRows compares every path with plain loops: planes that are few and many, blocks that are whole and not,
// entries of each size. What is between the rows stays.
func TestLevelRows(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, p := range paths {
		if p.lacking() != "" {
			continue
		}
		rows := &LevelRows{path: p}
		for range 200 {
			size, lanes, count, columns := 1<<r.IntN(4), 1+r.IntN(512), r.IntN(11), LevelColumns
			if r.IntN(4) == 0 {
				columns = 1 + r.IntN(LevelColumns)
			}
			values := entry.KindF64.Make(max(256, 1<<count) * size / 8)
			for i := range values {
				values[i] = byte(r.Uint32())
			}
			planes := rows.Planes(count)
			for i := range planes {
				for c := range planes[i] {
					for k := range planes[i][c] {
						planes[i][c][k] = r.Uint64() & r.Uint64()
					}
				}
			}
			stride := size * (LevelColumns + r.IntN(9))
			data := entry.KindF64.Make((lanes*stride + 7) / 8)
			binary.LittleEndian.PutUint64(data[len(data)-8:], r.Uint64())
			want, places := bytes.Clone(data), make([]int64, lanes)
			for lane, row := range r.Perm(lanes) {
				places[lane] = int64(row * stride)
				for c := range columns {
					level := 0
					for i := range planes {
						level |= int(planes[i][c][lane/64]>>(lane%64)&1) << i
					}
					copy(want[row*stride+c*size:], values[level*size:][:size])
				}
			}
			rows.Write(data, places, columns, planes, values, size)
			if !bytes.Equal(data, want) {
				t.Fatalf("%s: %d rows of %d columns, %d planes, entries of %d bytes: not those of plain loops", p.name,
					lanes, columns, count, size)
			}
		}
	}
}
