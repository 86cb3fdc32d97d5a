// Package npy reads the headers of NumPy arrays.
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/number"
)

// Magic is how every array begins.
const Magic = "\x93NUMPY"

// Header is what the header of an array says.
// It is parsed here because the libraries there are (sbinet/npyio v0.6.0, kshedden/gonpy) know
// neither version 3 nor keys in another order, and panic on damaged headers.
type Header struct {
	Descr   string // NumPy's name of the entries' type, such as "<f8"
	Fortran bool   // column after column
	Shape   []int64
	Bytes   int64 // of the header; the entries follow
}

// Type is a type of numbers.
type Type struct {
	Code string // NumPy's, one of codes: the kind of number and its bytes
	Big  bool   // most significant byte first
}

const codes = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8"

// Size returns the bytes of an entry.
func (t Type) Size() int { return int(t.Code[1] - '0') }

// maxHeader bounds what is read before any of it is believed; NumPy itself stops at 10,000.
const maxHeader = 1 << 20

// Read reads the header, and no byte more. What it does not like of it is an *InputError.
func Read(r io.Reader) (Header, error) {
	var h Header
	fixed := make([]byte, 8)
	err := readAll(r, fixed)
	if string(fixed[:6]) != Magic && (err == nil || errors.Is(err, graph.ErrBadInput)) {
		return h, badHeader(`not a NumPy array: it does not begin with \x93NUMPY`)
	}
	if err != nil {
		return h, err
	}
	width := 2
	switch {
	case fixed[6] < 1 || fixed[6] > 3 || fixed[7] != 0:
		return h, badHeader("NumPy format version %d.%d is not 1.0, 2.0 or 3.0", fixed[6], fixed[7])
	case fixed[6] > 1:
		width = 4
	}
	length := make([]byte, 4)
	if err := readAll(r, length[:width]); err != nil {
		return h, err
	}
	size := binary.LittleEndian.Uint32(length)
	if size > maxHeader {
		return h, badHeader("a NumPy header of %d bytes: the file seems damaged", size)
	}
	text := make([]byte, size)
	if err := readAll(r, text); err != nil {
		return h, err
	}
	h.Bytes = int64(8+width) + int64(size)
	if fields.Match(text) {
		return h, badHeader("the NumPy header %s: the array has named fields; save the one that holds the weights",
			number.Quoted(text))
	}
	if !h.parse(string(text)) {
		return h, badHeader("the NumPy header %s is not a dictionary with descr, a string, fortran_order, "+
			"True or False, and shape, a tuple of integers, each once", number.Quoted(text))
	}
	return h, nil
}

func readAll(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return badHeader("the input ends within the NumPy header")
	}
	return err
}

func badHeader(format string, args ...any) error {
	return &graph.InputError{Reason: fmt.Sprintf(format, args...)}
}

// What a header may be: a Python dictionary with three keys, each once, in any order. Python 2 wrote integers as 3L.
const (
	descrItem = `['"]descr['"]\s*:\s*['"]([^'"\\]*)['"]`
	orderItem = `['"]fortran_order['"]\s*:\s*(True|False)`
	shapeItem = `['"]shape['"]\s*:\s*\(((?:\s*\d+L?\s*,)*(?:\s*\d+L?)?)\s*\)`
	anyItem   = `\s*(?:` + descrItem + `|` + orderItem + `|` + shapeItem + `)\s*`
)

var (
	dictionary = regexp.MustCompile(`^\s*\{` + anyItem + `,` + anyItem + `,` + anyItem + `,?\s*\}\s*$`)
	items      = []string{descrItem, orderItem, shapeItem}
	integer    = regexp.MustCompile(`\d+`)
	fields     = regexp.MustCompile(`['"]descr['"]\s*:\s*\[`)
)

// parse reports whether the text is such a dictionary.
func (h *Header) parse(text string) bool {
	ok := dictionary.MatchString(text)
	var values [3]string
	for i, item := range items {
		if found := regexp.MustCompile(item).FindStringSubmatch(text); found != nil {
			values[i] = found[1]
		} else {
			ok = false
		}
	}
	h.Descr, h.Fortran, h.Shape = values[0], values[1] == "True", []int64{}
	for _, digits := range integer.FindAllString(values[2], -1) {
		x, err := strconv.ParseInt(digits, 10, 64)
		ok = ok && err == nil
		h.Shape = append(h.Shape, x)
	}
	return ok
}

// ParseType reads the name of a type.
func ParseType(descr string) (Type, error) {
	order, code := byte('='), descr
	if descr != "" && strings.IndexByte("<>|=", descr[0]) >= 0 {
		order, code = descr[0], descr[1:]
	}
	switch {
	case code == "O":
		return Type{}, badHeader("an array of Python objects (dtype=object) holds no numbers; convert it with astype")
	case !slices.Contains(strings.Fields(codes), code) || order == '|' && code[1] != '1':
		return Type{}, badHeader("entries of type %q are none of bool, int8…64, uint8…64 and float16…64; convert them "+
			"with astype", descr)
	}
	return Type{Code: code, Big: order == '>'}, nil
}
