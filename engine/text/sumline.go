package text

import (
	"bytes"
	"fmt"
	"hash/crc32"
)

// SumLine returns a JSON object as a line of a file: the CRC-32C of the object in eight hexadecimal digits, a space,
// and the object.
func SumLine(object []byte) []byte { return fmt.Appendf(nil, "%s %s\n", sumOf(object), object) }

// CutSum returns the object of such a line, if the line is whole and its digits are right.
func CutSum(line []byte) (object []byte, ok bool) {
	line, whole := bytes.CutSuffix(line, []byte("\n"))
	digits, object, cut := bytes.Cut(line, []byte(" "))
	return object, whole && cut && string(digits) == sumOf(object)
}

func sumOf(object []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(object, crc32.MakeTable(crc32.Castagnoli)))
}
