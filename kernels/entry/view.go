package entry

import "unsafe"

// Word is a type whose memory entries can be viewed as.
type Word interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~float32 | ~int64 | ~uint64 | ~float64
}

// View returns memory as numbers. They are little-endian, as on every platform that ooc builds for. b is aligned for
// them: Make and the allocators of devices return such memory. What does not fill a whole number is left out. The
// result is not nil.
func View[E Word](b []byte) []E {
	var e E
	if len(b) == 0 {
		return []E{}
	}
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(e)))
}

// Bytes returns numbers as memory.
func Bytes[E Word](s []E) []byte {
	var e E
	if len(s) == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(e)))
}

// As returns words of one type as words of another of the same size.
func As[To, From Word](s []From) []To { return View[To](Bytes(s)) }

// Make returns memory for n words of 4 bytes, aligned for them. That of entries is Kind.Make.
func Make(n int) []byte { return Bytes(make([]uint32, n)) }
