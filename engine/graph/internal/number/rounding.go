package number

import "bytes"

// Rounding is what float32 cannot hold of the weights that were read.
type Rounding struct {
	Places int    // digits behind the point of the weight that has most of them
	First  string // the first weight that float32 rounds; "" if there is none
	Line   int64  // where it stands; 0 where that is not known
}

// note notes a weight, which float32 holds exactly or not.
func (r *Rounding) note(tok []byte, exact bool) {
	if !exact && r.First == "" {
		r.First = string(tok)
	}
	digits, exp := cutExponent(tok)
	if point := bytes.IndexByte(digits, '.'); point >= 0 {
		digits = bytes.TrimRight(digits, "0")
		exp -= len(digits) - point - 1
		digits = bytes.TrimRight(digits, ".")
	}
	if -exp > r.Places {
		last := bytes.TrimRight(digits, "0")
		if exp += len(digits) - len(last); bytes.ContainsAny(last, "123456789") {
			r.Places = max(r.Places, -exp)
		}
	}
}
