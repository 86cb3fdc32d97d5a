package tiles

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNPYHeader pins the header byte for byte.
func TestNPYHeader(t *testing.T) {
	for _, c := range []struct {
		k    Kind
		g    Geometry
		text string
	}{
		{I32, Geometry{100, 64, 4}, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2, 64, 64), }"},
		{F32, Geometry{200_000, 1024, 4}, "{'descr': '<f4', 'fortran_order': False, 'shape': (196, 196, 1024, 1024), }"},
		{F32, Geometry{maxN, 1 << 16, 4}, "{'descr': '<f4', 'fortran_order': False, 'shape': (32767, 32767, 65536, 65536), }"},
	} {
		want := append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0xf6, 0x0f}, c.text...)
		for len(want) < 4095 {
			want = append(want, ' ')
		}
		want = append(want, '\n')
		if got := npyHeader(c.k, c.g); !bytes.Equal(got, want) {
			t.Errorf("%v %+v:\n%q", c.k, c.g, got[:120])
		}
	}
}

// numpyCheck opens the matrix as docs/format.md tells a reader to.
const numpyCheck = `
import sys, numpy as np
d = np.load(sys.argv[1], mmap_mode="r")
n = int(sys.argv[2])
T = d.shape[2]
assert d.offset == 4096 and d.dtype.itemsize == 4 and d.flags.c_contiguous, (d.offset, d.dtype)
assert isinstance(d, np.memmap)
full = d.transpose(0, 2, 1, 3).reshape(d.shape[0] * T, d.shape[1] * T)[:n, :n]
for u in range(n):
    for v in range(n):
        want = u * 1000 + v
        assert d[u // T, v // T, u % T, v % T] == want and full[u, v] == want, (u, v)
print(d.dtype.str, d.shape)
`

func TestNumPyOpensIt(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import numpy").CombinedOutput(); err != nil {
		if os.Getenv("OOC_REQUIRE_SCIPY") == "1" {
			t.Fatalf("NumPy is required: %v: %s", err, out)
		}
		t.Skipf("no NumPy here: %v", err)
	}
	const n = 150
	s := newStore(t, n, 64)
	b := make([]byte, 16384)
	for i := range 3 {
		for j := range 3 {
			for k := range 64 * 64 {
				x := uint32((i*64+k/64)*1000 + j*64 + k%64)
				b[4*k], b[4*k+1], b[4*k+2], b[4*k+3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
			}
			must(t, s.WriteTile(i, j, b))
		}
	}
	out, err := exec.Command("python3", "-c", numpyCheck, s.path(nameDist), "150").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "<i4 (3, 3, 64, 64)" {
		t.Errorf("NumPy: %v: %s", err, out)
	}
}
