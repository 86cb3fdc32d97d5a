package read

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"ooc/engine/graph"
	array "ooc/engine/graph/internal/npy"
	"ooc/engine/graph/packed"
	"ooc/tiles/disk"
)

// Vector reads n numbers from a NumPy array (.npy) of one dimension, which may be compressed. It fails with a
// *graph.InputError.
func Vector(path string, n int) (values []float64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	bad := func(format string, args ...any) error {
		return &graph.InputError{File: path, Reason: fmt.Sprintf(format, args...)}
	}
	in, done, err := packed.NewReader(file)
	if err != nil {
		return nil, bad("%v", err)
	}
	defer done()
	head, err := array.Read(in)
	if err != nil {
		return nil, bad("%v", err)
	}
	kind, err := array.ParseType(head.Descr)
	if err != nil {
		return nil, bad("%v", err)
	}
	if len(head.Shape) != 1 || head.Shape[0] != int64(n) {
		return nil, bad("an array of shape %v: want one number of each of %d vertices", head.Shape, n)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if kind.Big {
		order = binary.BigEndian
	}
	take, ok := takers[kind.Code]
	if !ok {
		return nil, bad("an array of type %q: want integers, float32 or float64", head.Descr)
	}
	if values, err = take(in, order, n); err == nil {
		if _, err = in.ReadByte(); err == nil {
			return nil, bad("something follows the numbers")
		} else if err == io.EOF {
			return values, nil
		}
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, bad("it was cut")
	}
	return nil, disk.ReadError(path, err)
}

// takers read numbers of NumPy's types.
var takers = map[string]func(in io.Reader, order binary.ByteOrder, n int) ([]float64, error){
	"i1": take[int8], "i2": take[int16], "i4": take[int32], "i8": take[int64],
	"u1": take[uint8], "u2": take[uint16], "u4": take[uint32], "u8": take[uint64],
	"f4": take[float32], "f8": take[float64],
}

func take[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](
	in io.Reader, order binary.ByteOrder, n int,
) ([]float64, error) {
	raw, values := make([]T, n), make([]float64, n)
	err := binary.Read(in, order, raw)
	for i, x := range raw {
		values[i] = float64(x)
	}
	return values, err
}
