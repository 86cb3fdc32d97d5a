package npz

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ooc/engine/graph/internal/npy"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// array is a member of the archive that is read from its start to its end. After an error it reads zeros.
type array struct {
	npy.Header
	npy.Type
	of     *matrix
	name   string
	length int64 // of an array of one dimension
	data   *bufio.Reader
	word   [8]byte
}

const (
	// deflateMost is the most that a byte of compressed data can become.
	deflateMost = 1032
	// longest is how many bytes an id may have: a file should not make a reader take memory without end.
	longest = 1 << 16
)

// open begins to read an array of any type.
func (m *matrix) open(name string) *array {
	a := &array{of: m, name: name, data: bufio.NewReaderSize(strings.NewReader(""), longest+1)}
	f := m.members[name]
	if f == nil {
		m.fail("%s is missing: the archive holds %s", name, m.names())
		return a
	}
	file, err := f.Open() // there is nothing to close
	if err != nil {
		m.fail("%s cannot be read: %w", name, err)
		return a
	}
	a.data.Reset(file)
	if a.Header, err = npy.Read(a.data); err != nil {
		m.fail("%s: %w", name, err)
	}
	return a
}

// list begins to read numbers in one dimension. Their number is believed only if the archive is large enough for it.
func (m *matrix) list(name string) *array {
	a := m.open(name)
	if m.err != nil {
		return a
	}
	var err error
	a.Type, err = npy.ParseType(a.Descr)
	switch {
	case err != nil:
		m.fail("%s: %w", name, err)
	case a.Code == "f2": // SciPy makes none
		m.fail("%s is of type float16, which no sparse matrix of SciPy has", name)
	case len(a.Shape) != 1:
		m.fail("%s has %d dimensions, not 1", name, len(a.Shape))
	default:
		a.length = a.Shape[0]
		if held := m.members[name].CompressedSize64; uint64(a.length)/deflateMost > held {
			m.fail("%s: %d numbers cannot be in %d bytes: the file seems damaged", name, a.length, held)
		}
	}
	return a
}

// indices begins to read integers.
func (m *matrix) indices(name string) *array {
	a := m.list(name)
	if m.err == nil && (a.Code[0] != 'i' && a.Code[0] != 'u' || a.Size() < 4) {
		m.fail("%s is of type %q, and not of int32 or int64", name, a.Descr)
	}
	return a
}

// end makes sure that nothing follows, and with that of the member's checksum.
func (a *array) end() {
	switch _, err := a.data.ReadByte(); err {
	case io.EOF:
	case nil:
		a.of.fail("something follows the numbers of %s", a.name)
	default:
		a.of.fail("%s cannot be read: %w", a.name, err)
	}
}

// next reads the next number, as its bits: an unsigned one of 64 bits may become negative.
func (a *array) next() int64 {
	if a.of.err != nil {
		return 0
	}
	b := a.word[:a.Size()]
	switch _, err := io.ReadFull(a.data, b); err {
	case nil:
	case io.EOF, io.ErrUnexpectedEOF:
		a.of.fail("%s was cut", a.name)
	default:
		a.of.fail("%s cannot be read: %w", a.name, err)
	}
	if a.Big {
		slices.Reverse(b)
	}
	x := int64(binary.LittleEndian.Uint64(a.word[:]))
	if shift := 64 - 8*a.Size(); a.Code[0] == 'i' {
		return x << shift >> shift
	}
	return x
}

// nextValue reads a weight.
func (a *array) nextValue() Value {
	x := Value{a.Code, a.next()}
	if x.code == "b1" && x.bits > 1 {
		a.of.fail("%s: %d is neither False nor True", a.name, x.bits)
	}
	return x
}

// Value is a weight of some type of NumPy's.
type Value struct {
	code string
	bits int64
}

// Float returns the value as a float64, the nearest to it, and whether its type is a floating one.
func (x Value) Float() (value float64, floating bool) {
	switch x.code {
	case "f4":
		return float64(math.Float32frombits(uint32(x.bits))), true
	case "f8":
		return math.Float64frombits(uint64(x.bits)), true
	case "u8":
		return float64(uint64(x.bits)), false
	}
	return float64(x.bits), false
}

// Append appends the value as text: of a floating type, the fewest digits that it is read from again.
func (x Value) Append(out []byte) []byte {
	switch value, _ := x.Float(); x.code {
	case "f4":
		return text.NumbersOf(entry.KindF32, 1).Append(out, value)
	case "f8":
		return text.Numbers{}.Append(out, value)
	case "u8":
		return strconv.AppendUint(out, uint64(x.bits), 10)
	}
	return strconv.AppendInt(out, x.bits, 10)
}

// Int32 returns the value if it is a small integer.
func (x Value) Int32() (int32, bool) {
	value, _ := x.Float()
	k := int32(value)
	return k, float64(k) == value && k > math.MinInt32
}
