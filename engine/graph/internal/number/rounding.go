package number

import "math"

// Rounding is what float32 cannot hold of the weights that were read.
type Rounding struct {
	Places int    // digits behind the point of the weight that has most of them
	First  string // the first weight that float32 rounds; "" if there is none
	Line   int64  // where it stands; 0 where that is not known

	found bool // in Plain, first is where such a weight begins
	first int
}

// see notes the weight ±mant·10^exp, which float32 holds exactly or not.
func (r *Rounding) see(mant uint64, exp int, exact bool) {
	for -exp > r.Places && mant != 0 {
		if mant%10 != 0 {
			r.Places = -exp
			break
		}
		mant /= 10
		exp++
	}
	r.found = r.found || !exact
}

// Take adds what was noted of a block, whose first line has a number, and forgets it.
func (r *Rounding) Take(p *Plain, text []byte, line int64) {
	b := &p.Rounding
	r.Places = max(r.Places, b.Places)
	if b.found && r.First == "" {
		end := b.first
		for end < len(text) && text[end] > ' ' && text[end] != ',' && text[end] != ';' && text[end] != '"' {
			end++
		}
		r.First, r.Line = string(text[b.first:end]), line
		for _, c := range text[:b.first] {
			if c == '\n' {
				r.Line++
			}
		}
	}
	*b = Rounding{}
}

// note is see for a number that was taken apart, and x what became of it.
func (r *Rounding) note(d decimal, tok []byte, exact bool) {
	if d.Digits > 0 {
		r.Places = max(r.Places, int(min(max(-d.exp, 0), math.MaxInt32)))
	}
	if !exact && r.First == "" {
		r.First = string(tok)
	}
}

// inSingle reports whether float32 holds an integer.
func inSingle(x int64) bool { return x > -1<<24 && x < 1<<24 || int64(float32(x)) == x }
