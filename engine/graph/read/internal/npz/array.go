package npz

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"ooc/engine/graph/internal/npy"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// array is a member of the archive that is read from its start to its end.
type array struct {
	npy.Header
	npy.Type
	name   string
	length int64 // of an array of one dimension
	data   *bufio.Reader
	file   io.Closer
	word   [8]byte
}

// deflateMost is the most that a byte of compressed data can become.
const deflateMost = 1032

// open begins to read an array of any type.
func (m *matrix) open(name string) (*array, error) {
	f := m.members[name]
	if f == nil {
		return nil, fmt.Errorf("%s is missing: the archive holds %s", name, m.names())
	}
	file, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	a := &array{name: name, data: bufio.NewReaderSize(file, 1<<16), file: file}
	if a.Header, err = npy.Read(a.data); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	return a, nil
}

// list begins to read numbers in one dimension. Their number is believed only if the archive is large enough for it.
func (m *matrix) list(name string) (*array, error) {
	a, err := m.open(name)
	if err != nil {
		return nil, err
	}
	if a.Type, err = npy.ParseType(a.Descr); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), a.close())
	}
	if a.Code == "f2" { // SciPy makes none
		return nil, errors.Join(fmt.Errorf("%s is of type float16, which no sparse matrix of SciPy has", name), a.close())
	}
	if len(a.Shape) != 1 {
		return nil, errors.Join(fmt.Errorf("%s has %d dimensions, not 1", name, len(a.Shape)), a.close())
	}
	a.length = a.Shape[0]
	if held := m.members[name].CompressedSize64; uint64(a.length)/deflateMost > held {
		return nil, errors.Join(fmt.Errorf("%s: %d numbers cannot be in %d bytes: the file seems damaged", name, a.length, held), a.close())
	}
	return a, nil
}

// indices begins to read integers.
func (m *matrix) indices(name string) (*array, error) {
	a, err := m.list(name)
	if err == nil && (a.Code[0] != 'i' && a.Code[0] != 'u' || a.Size() < 4) {
		return nil, errors.Join(fmt.Errorf("%s is of type %q, and not of int32 or int64", name, a.Descr), a.close())
	}
	return a, err
}

func (a *array) close() error { return a.file.Close() }

func (a *array) read(b []byte) error {
	if _, err := io.ReadFull(a.data, b); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return fmt.Errorf("%s was cut", a.name)
		}
		return fmt.Errorf("%s cannot be read: %w", a.name, err)
	}
	return nil
}

// end makes sure that nothing follows, and with that of the member's checksum.
func (a *array) end() error {
	switch _, err := a.data.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("something follows the numbers of %s", a.name)
	default:
		return fmt.Errorf("%s cannot be read: %w", a.name, err)
	}
}

// bits reads the next number as it is stored, in the low bits.
func (a *array) bits() (uint64, error) {
	b := a.word[:a.Size()]
	if err := a.read(b); err != nil {
		return 0, err
	}
	var x uint64
	for i := range b {
		k := len(b) - 1 - i
		if a.Big {
			k = i
		}
		x = x<<8 | uint64(b[k])
	}
	return x, nil
}

// nextIndex reads an integer.
func (a *array) nextIndex() (int64, error) {
	x, err := a.bits()
	return a.signed(x), err
}

// signed returns the integer that bits are in two's complement. An unsigned one of 64 bits may become negative.
func (a *array) signed(x uint64) int64 {
	if a.Code[0] != 'i' {
		return int64(x)
	}
	shift := 64 - 8*a.Size()
	return int64(x<<shift) >> shift
}

// nextValue reads a weight.
func (a *array) nextValue() (Value, error) {
	x, err := a.bits()
	switch a.Code {
	case "f4":
		return Value{Float: float64(math.Float32frombits(uint32(x))), digits: text.NumbersOf(entry.KindF32, 1), IsFloat: true}, err
	case "f8":
		return Value{Float: math.Float64frombits(x), digits: text.Float64, IsFloat: true}, err
	case "u8":
		return Value{whole: x}, err
	case "b1":
		if x > 1 && err == nil {
			err = fmt.Errorf("%s: %d is neither True nor False", a.name, x)
		}
	}
	s := a.signed(x)
	return Value{whole: uint64(s), negative: s < 0}, err
}

// Value is a weight.
type Value struct {
	Float    float64
	IsFloat  bool         // Float is the value
	digits   text.Numbers // of Float
	negative bool         // whole is in two's complement
	whole    uint64
}

// Append appends the value as text: of a floating type, the fewest digits that it is read from again.
func (x Value) Append(out []byte) []byte {
	switch {
	case x.IsFloat:
		return x.digits.Append(out, x.Float)
	case x.negative:
		return strconv.AppendInt(out, int64(x.whole), 10)
	}
	return strconv.AppendUint(out, x.whole, 10)
}

// Int32 returns the value if it is a small integer.
func (x Value) Int32() (int32, bool) {
	if x.IsFloat {
		k := int32(x.Float)
		return k, float64(k) == x.Float && k > math.MinInt32
	}
	s := int64(x.whole)
	return int32(s), s >= -math.MaxInt32 && s <= math.MaxInt32 && (s < 0) == x.negative
}
