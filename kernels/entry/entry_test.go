package entry_test

import (
	"math"
	"slices"
	"testing"

	"ooc/kernels/entry"
)

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		kind        entry.Kind
		bytes       int
		numpy       string
		none        uint64
		plain, sign entry.Variant
	}{
		{entry.KindI32, 4, "<i4", 0x3f3f3f3f, entry.I32, entry.I32Signed},
		{entry.KindF32, 4, "<f4", 0x7f800000, entry.F32, entry.F32Signed},
		{entry.KindU16, 2, "<u2", 0x7f7f, entry.U16, entry.U16},
		{entry.KindF64, 8, "<f8", 0x7ff0000000000000, entry.F64, entry.F64},
	} {
		k := c.kind
		if !k.Valid() || k.Bytes() != c.bytes || k.NumPy() != c.numpy || k.Unreachable() != c.none {
			t.Errorf("%s: %v, %d bytes, %q, unreachable %#x", k, k.Valid(), k.Bytes(), k.NumPy(), k.Unreachable())
		}
		if k.Variant(false) != c.plain || k.Variant(true) != c.sign {
			t.Errorf("%s: variants %s and %s", k, k.Variant(false), k.Variant(true))
		}
		for _, v := range []entry.Variant{c.plain, c.sign} {
			if v.Kind() != k || v.Unreachable() != c.none || v.Bytes() != c.bytes || c.plain != c.sign &&
				v.Signed() != (v == c.sign) {
				t.Errorf("%s: kind %s, unreachable %#x, signed %v", v, v.Kind(), v.Unreachable(), v.Signed())
			}
		}
		if m := k.Make(3); len(m) != 3*c.bytes {
			t.Errorf("%s: 3 entries in %d bytes", k, len(m))
		} else {
			k.Fill(m, c.none)
			k.Put(m, 1, 7)
			if k.At(m, 0) != c.none || k.At(m, 1) != 7 || k.At(m, 2) != c.none {
				t.Errorf("%s: %#x, %#x, %#x", k, k.At(m, 0), k.At(m, 1), k.At(m, 2))
			}
		}
		if !math.IsInf(k.Value(c.none), 1) || !math.IsInf(k.Distance(c.none, 1000), 1) {
			t.Errorf("%s: unreachable is %v, scaled %v", k, k.Value(c.none), k.Distance(c.none, 1000))
		}
	}
	k, none := entry.KindU8, uint64(255)
	if !k.Valid() || k.Bytes() != 1 || k.NumPy() != "|u1" || k.Unreachable() != none || k.Wide() != entry.KindI32 ||
		k.PairBytes() != 0 || k.Kernels() {
		t.Errorf("%s: %d bytes, %q, unreachable %#x, as %s", k, k.Bytes(), k.NumPy(), k.Unreachable(), k.Wide())
	}
	row := k.Make(12)
	for i := range 3 { // in the last part, as Narrow has it
		k.Put(row, 9+i, []uint64{254, none, 0}[i])
	}
	if k.Widen(row); entry.View[int32](row)[0] != 254 || entry.View[int32](row)[1] != entry.Inf32 ||
		entry.View[int32](row)[2] != 0 {
		t.Errorf("254, none and 0 become %v", entry.View[int32](row))
	}
	if k.Fill(row, none); k.At(row, 11) != none || !math.IsInf(k.Value(none), 1) || k.Value(254) != 254 ||
		k.Bits(math.Inf(1)) != none || k.Bits(254) != 254 {
		t.Error("entries of a byte are not their numbers")
	}
	if slices.ContainsFunc(entry.Kinds, func(k entry.Kind) bool { return !k.Kernels() }) ||
		slices.Contains(entry.Kinds, k) {
		t.Errorf("kinds with kernels: %v", entry.Kinds)
	}
	if entry.Kind("u128").Valid() {
		t.Error("u128 is a kind")
	}
	if got := entry.KindI32.Distance(1500, 1000); got != 1.5 {
		t.Errorf("1500 by 1000 is %v", got)
	}
	for k, bits := range map[entry.Kind]uint64{entry.KindI32: 7, entry.KindU16: 7, entry.KindF32: 0x40e00000,
		entry.KindF64: 0x401c000000000000} {
		if k.Value(bits) != 7 || k.Bits(7) != bits || k.Bits(math.Inf(1)) != k.Unreachable() {
			t.Errorf("%s: %#x is %v", k, bits, k.Value(bits))
		}
	}
	if s := int64(entry.Inf16) * 2; s > math.MaxUint16 {
		t.Errorf("twice Inf16 is %d and wraps", s)
	}
	if s := int64(entry.Inf32) * 2; s > math.MaxInt32 {
		t.Errorf("twice Inf32 is %d and wraps", s)
	}
}

func TestViews(t *testing.T) {
	b := entry.Make(3)
	w := entry.View[uint32](b)
	w[1] = math.Float32bits(2.5)
	if f := entry.View[float32](b); len(b) != 12 || len(f) != 3 || f[1] != 2.5 {
		t.Errorf("%d bytes, floats %v", len(b), f)
	}
	if got := entry.As[float32](w); &got[0] != &entry.View[float32](entry.Bytes(w))[0] {
		t.Error("a view is a copy")
	}
	if entry.View[int32](nil) == nil || entry.Bytes([]int32(nil)) == nil {
		t.Error("an empty view is nil")
	}
	if got := entry.View[uint64](b); len(got) != 1 {
		t.Errorf("12 bytes are %d words of 8", len(got))
	}
}

func TestRoundUp(t *testing.T) {
	for _, c := range [][4]int{{0, 64, 0, 0}, {1, 64, 1, 64}, {64, 64, 1, 64}, {65, 64, 2, 128}} {
		if entry.CeilDiv(c[0], c[1]) != c[2] || entry.RoundUp(c[0], c[1]) != c[3] {
			t.Errorf("%d by %d: %d, %d", c[0], c[1], entry.CeilDiv(c[0], c[1]), entry.RoundUp(c[0], c[1]))
		}
	}
}
