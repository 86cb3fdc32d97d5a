// Package npy reads the headers of NumPy arrays.
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/number"
)

// Magic is how every array begins.
const Magic = "\x93NUMPY"

// NotAnArray is what is wrong with an input that does not.
const NotAnArray = `not a NumPy array: it does not begin with \x93NUMPY`

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
		return h, badHeader(NotAnArray)
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
	p := literal{rest: string(text)}
	if err := p.header(&h); err != nil {
		return h, badHeader("the NumPy header %s: %v", number.Quoted(text), err)
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

// literal parses the one kind of Python expression that a header may be: a dictionary with the keys descr
// (a string), fortran_order (True or False) and shape (a tuple of integers), each once, in any order.
type literal struct{ rest string }

func (p *literal) header(h *Header) error {
	if !p.take("{") {
		return fmt.Errorf("it is not a dictionary")
	}
	seen := map[string]bool{}
	for !p.take("}") {
		key, err := p.text()
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("%q is there twice", key)
		}
		seen[key] = true
		if !p.take(":") {
			return fmt.Errorf("no value follows %q", key)
		}
		if err := p.value(h, key); err != nil {
			return err
		}
		if !p.take(",") {
			if !p.take("}") {
				return fmt.Errorf("the dictionary does not end")
			}
			break
		}
	}
	p.take("") // blanks
	switch {
	case p.rest != "":
		return fmt.Errorf("something follows the dictionary")
	case len(seen) != 3:
		return fmt.Errorf("descr, fortran_order or shape is missing")
	}
	return nil
}

func (p *literal) value(h *Header, key string) (err error) {
	switch key {
	case "descr":
		if p.take("[") {
			return fmt.Errorf("the array has named fields; save the one that holds the weights")
		}
		text, err := p.text()
		if err != nil {
			return err
		}
		h.Descr = text
		return nil
	case "fortran_order":
		h.Fortran = p.take("True")
		if !h.Fortran && !p.take("False") {
			return fmt.Errorf("fortran_order is neither True nor False")
		}
		return nil
	case "shape":
		h.Shape, err = p.tuple()
		return err
	}
	return fmt.Errorf("unknown key %q", key)
}

// take skips blanks, and then token if it is there.
func (p *literal) take(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	rest, ok := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return ok
}

// text parses a string in single or double quotes; none that has a meaning here holds an escape.
func (p *literal) text() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.take(quote) {
			text, rest, ok := strings.Cut(p.rest, quote)
			if !ok || strings.Contains(text, `\`) {
				break
			}
			p.rest = rest
			return text, nil
		}
	}
	return "", fmt.Errorf("a string is missing or does not end")
}

// tuple parses (), (3,), (3, 4) and so on. Python 2 wrote 3L.
func (p *literal) tuple() ([]int64, error) {
	if !p.take("(") {
		return nil, fmt.Errorf("shape is not a tuple")
	}
	shape := []int64{}
	for !p.take(")") {
		end := strings.IndexFunc(p.rest, func(r rune) bool { return r < '0' || r > '9' })
		x, err := strconv.ParseInt(p.rest[:max(end, 0)], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("shape is not a tuple of integers")
		}
		shape = append(shape, x)
		p.rest = p.rest[end:]
		p.take("L")
		if !p.take(",") && !strings.HasPrefix(p.rest, ")") {
			return nil, fmt.Errorf("shape is not a tuple of integers")
		}
	}
	return shape, nil
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
		return Type{}, badHeader("entries of type %q are none of bool, int8…64, uint8…64 and float16…64; convert them with astype", descr)
	}
	return Type{Code: code, Big: order == '>'}, nil
}
