package number

import (
	"math"
	"math/bits"
)

// What most lines of most files are like can be read in one pass over their bytes, without taking them
// apart first. The functions here do that for text that ends with a line end. What they do not
// understand they leave to the readers, which know every rule and say what is wrong.

// Plain reads weights; it is what weighing does, for numbers of at most 19 digits.
type Plain struct {
	Float     bool // words are the bits of a float32
	Never     bool // no weight is plain
	fractions bool // and fractions may be read; else the first one must be noted
	whole     bool // the header says that there are none: what may be one is left to the readers
	Scale     uint64
	Rounding  Rounding // of the weights that were read
	None      uint32   // in a matrix, the word of the number that is no arc; noArcWord if there is none
}

// NoArc stands for an entry of a matrix that is no arc. It is no weight: −2³¹ in i32, −0 in f32.
const NoArc = 1 << 31

// Natural reads digits at text[i:]. There are some if next > i, and the number is right if they are at
// most 19.
func Natural(text []byte, i int) (id uint64, next int) {
	k := uint(i) // unsigned, so that the compiler need not check it again
	for k < uint(len(text)) {
		d := text[k] - '0'
		if d > 9 {
			break
		}
		id = id*10 + uint64(d)
		k++
	}
	return id, int(k)
}

// Read reads the weight at text[i:]. It returns i where that is not a plain one.
func (p *Plain) Read(text []byte, i int) (word uint32, next int) {
	start := i
	if p.Never {
		return 0, start
	}
	negative := text[i] == '-'
	if negative {
		i++
	}
	mant, next := Natural(text, i)
	digits, places := next-i, 0
	if text[next] == '.' {
		point := next + 1
		for next = point; next < len(text); next++ {
			d := text[next] - '0'
			if d > 9 {
				break
			}
			mant = mant*10 + uint64(d)
		}
		places = next - point
		digits += places
	}
	if digits == 0 || digits > MaxDigits {
		return 0, start
	}
	if places == 0 && !p.Float && p.Scale == 1 && !negative && mant < 1<<24 && text[next]|0x20 != 'e' {
		return uint32(mant), next
	}
	exp := -places
	if text[next]|0x20 == 'e' {
		e, after := plainExponent(text, next+1)
		if after == next+1 {
			return 0, start
		}
		exp, next = exp+e, after
	}
	found := p.Rounding.found
	word, ok := p.word(mant, exp)
	if !ok {
		return 0, start
	}
	if p.Rounding.found != found {
		p.Rounding.first = start
	}
	if negative && word != 0 {
		if p.Float {
			word |= 1 << 31
		} else {
			word = -word
		}
	}
	return word, next
}

// ReadEntry reads an entry of a matrix at text[i:]. It returns -1 where that is not a plain one.
func (p *Plain) ReadEntry(text []byte, i int) (word uint32, next int) {
	if text[i]|0x20 == 'i' && text[i+1]|0x20 == 'n' && text[i+2]|0x20 == 'f' {
		return NoArc, i + 3
	}
	word, next = p.Read(text, i)
	switch {
	case next == i:
		return 0, -1
	case word == p.None:
		word = NoArc
	}
	return word, next
}

// plainExponent reads what follows an e: a sign, and one to three digits.
func plainExponent(text []byte, i int) (e, next int) {
	start, negative := i, text[i] == '-'
	if negative || text[i] == '+' {
		i++
	}
	x, next := Natural(text, i)
	if next == i || next > i+3 {
		return 0, start
	}
	if negative {
		return -int(x), next
	}
	return int(x), next
}

// word returns the word of mant·10^exp.
func (p *Plain) word(mant uint64, exp int) (word uint32, ok bool) {
	if p.fractions {
		x, exact, ok := nearestFloat32(mant, exp)
		if ok {
			p.Rounding.see(mant, exp, exact)
		}
		return math.Float32bits(x), ok
	}
	hi, lo := bits.Mul64(mant, p.Scale)
	if hi != 0 || exp < -MaxDigits || exp > MaxDigits || p.whole && exp < 0 {
		return 0, false
	}
	if exp < 0 {
		ten := powers10[-exp]
		whole := lo / ten
		if whole*ten != lo {
			return 0, false
		}
		lo = whole
	} else if exp > 0 {
		if hi, lo = bits.Mul64(lo, powers10[exp]); hi != 0 {
			return 0, false
		}
	}
	if lo > math.MaxInt32 {
		return 0, false
	}
	p.Rounding.see(mant, exp, inSingle(int64(lo)))
	if p.Float {
		return math.Float32bits(float32(lo)), true
	}
	return uint32(lo), true
}

// nearestFloat32 returns mant·10^exp rounded to the nearest float32, and whether that is the nearest float64 too; or
// false where it takes more care.
//
// The float64 here is off by at most 2 units in its last place: mant rounds by at most half a unit, the
// power of ten is exact, and the operation rounds by half a unit again. So rounding it to float32 gives
// what rounding the number itself would, unless it lies within that error of the middle between two
// float32, that is unless its 29 last bits, which float32 has not, are about one half.
func nearestFloat32(mant uint64, exp int) (x float32, exact, ok bool) {
	if mant == 0 {
		return 0, true, true
	}
	y := float64(mant)
	switch {
	case exp < -maxExactPower || exp > maxExactPower:
		return 0, false, false
	case exp < 0:
		y /= exactPowers[-exp]
	default:
		y *= exactPowers[exp]
	}
	const lost, margin = 52 - 23, 3
	if off := int64(math.Float64bits(y)&(1<<lost-1)) - 1<<(lost-1); off >= -margin && off <= margin {
		return 0, false, false
	}
	return float32(y), float64(float32(y)) == y, y > 0x1p-126 && y < 0x1.fffffep127 // in between float32 are normal
}

// maxExactPower is the largest power of ten that float64 holds exactly: 5^22 is below 2^53.
const maxExactPower = 22

var exactPowers = [maxExactPower + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

var powers10 = [MaxDigits + 1]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}
