// Package pages makes large slices, and gives back the memory of slices that have served.
package pages

import (
	"os"
	"unsafe"
)

// hugePage is the size of a huge page, or of more than one.
const hugePage = 2 << 20

// Make is make of a slice, in huge pages where the system has such: much of the time to fill a large one for the first
// time goes to its pages.
func Make[T any](n int) []T {
	s := make([]T, n)
	bytes := uintptr(n) * unsafe.Sizeof(*new(T))
	at := unsafe.Pointer(unsafe.SliceData(s))
	if skip := -uintptr(at) & (hugePage - 1); bytes >= skip+hugePage {
		advise(unsafe.Slice((*byte)(unsafe.Add(at, skip)), (bytes-skip)&^(hugePage-1)))
	}
	return s
}

// Discard gives back the whole pages of b, which is not read any more before it is written: at once, where the
// garbage collector would first have to stop everybody. Systems other than Linux keep them until it comes.
func Discard(b []byte) {
	page := uintptr(os.Getpagesize())
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (page - 1)
	if n := uintptr(len(b)); n >= skip+page {
		discard(b[skip : skip+(n-skip)&^(page-1)])
	}
}
