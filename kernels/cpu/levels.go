package cpu

import (
	"encoding/binary"

	"ooc/kernels/entry"
)

// LevelColumns is how many columns LevelRows writes at a time.
const LevelColumns = 64

// plane has a bit of the levels of a block of columns: line c has those of column c, in a bit for each row.
type plane = [LevelColumns]bitLine

// LevelRows makes rows of entries of the levels that a search by bits found. It is for one goroutine.
type LevelRows struct {
	path   *path
	planes []plane
}

// NewLevelRows returns LevelRows on the best path, or the one that EnvPath names.
func NewLevelRows() (*LevelRows, error) {
	p, err := choosePath("")
	return &LevelRows{path: p}, err
}

// Planes returns planes for Write to take, bit p of all levels in plane p. All lines have to be set.
func (r *LevelRows) Planes(count int) []plane {
	for len(r.planes) < max(count, fewPlanes) {
		r.planes = append(r.planes, plane{})
	}
	return r.planes[:count]
}

// Write writes a number of columns, at most LevelColumns, of as many rows as there are places in data, from the planes
// that Planes returned last. values has the entries, of size bytes each, of all levels, 256 or more. It destroys the
// planes.
func (r *LevelRows) Write(data []byte, places []int64, columns int, planes []plane, values []byte, size int) {
	for i := range planes {
		r.path.turn(at(planes[i][:], 0))
	}
	if len(planes) < fewPlanes {
		clear(planes[len(planes):fewPlanes])
		planes = planes[:fewPlanes]
	}
	r.path.levels(data, places, columns, planes, values, size)
}

// levelsFunc is LevelRows.Write on planes whose words are transposed, fewPlanes or more.
type levelsFunc = func(data []byte, places []int64, columns int, planes []plane, values []byte, size int)

// fewPlanes is how many planes vectors take: a table of 16 entries is in a register.
const fewPlanes = 4

// levelTables are what vectors look up.
type levelTables struct {
	bytes  [4][16]byte // byte i of the entry of each level
	repeat [32]byte    // which of four bytes a bit of a column is in
}

// levelsBy makes a levelsFunc of functions for whole blocks of entries of 1, 2 and 4 bytes.
func levelsBy(sizes ...func(dst, places, planes, tables *byte, lanes int)) levelsFunc {
	return func(data []byte, places []int64, columns int, planes []plane, values []byte, size int) {
		if columns < LevelColumns || len(planes) > fewPlanes || size > 4 {
			levelsPortable(data, places, columns, planes, values, size)
			return
		}
		var t levelTables
		for i := range t.repeat {
			t.repeat[i] = byte(i / 8)
		}
		for level := range 16 {
			for i := range size {
				t.bytes[i][level] = values[level*size+i]
			}
		}
		for _, place := range places {
			_ = data[place:][:LevelColumns*size]
		}
		sizes[size/2](at(data, 0), at(places, 0), at(planes, 0), at(t.bytes[:], 0), len(places))
	}
}

// levelsPortable is levelsFunc in plain Go.
func levelsPortable(data []byte, places []int64, columns int, planes []plane, values []byte, size int) {
	for lane, place := range places {
		row := data[place:][:columns*size]
		switch size {
		case 1:
			levelRow(entry.View[uint8](row), planes, lane, entry.View[uint8](values))
		case 2:
			levelRow(entry.View[uint16](row), planes, lane, entry.View[uint16](values))
		case 4:
			levelRow(entry.View[uint32](row), planes, lane, entry.View[uint32](values))
		default:
			levelRow(entry.View[uint64](row), planes, lane, entry.View[uint64](values))
		}
	}
}

// spread makes of eight bits eight bytes.
var spread = func() (table [256]uint64) {
	for x := range table {
		for i := range 8 {
			table[x] |= uint64(x>>i&1) << (8 * i)
		}
	}
	return table
}()

// levelRow writes the entries of a lane.
func levelRow[W entry.Word](out []W, planes []plane, lane int, values []W) {
	line, word := lane%64, lane/64
	if len(planes) > 8 {
		for c := range out {
			level := 0
			for i := range planes {
				level |= int(planes[i][line][word]>>c&1) << i
			}
			out[c] = values[level]
		}
		return
	}
	few := (*[256]W)(values[:256])
	var levels [LevelColumns]byte
	for c := 0; c < len(out); c += 8 {
		eight := uint64(0)
		for i := range planes {
			eight |= spread[byte(planes[i][line][word]>>c)] << i
		}
		binary.LittleEndian.PutUint64(levels[c:], eight)
	}
	for c := range out {
		out[c] = few[levels[c]]
	}
}

// turnPortable transposes the words of 64 lines (H. S. Warren, Hacker's Delight, 2013, section 7-3).
func turnPortable(lines *byte) {
	x := entries[bitLine](lines, LevelColumns)
	mask := uint64(1)<<32 - 1
	for j := 32; j > 0; j, mask = j/2, mask^mask<<(j/2) {
		for r := 0; r < 64; r = (r + j + 1) &^ j {
			for k := range x[r] {
				t := (x[r][k]>>j ^ x[r|j][k]) & mask
				x[r][k] ^= t << j
				x[r|j][k] ^= t
			}
		}
	}
}
