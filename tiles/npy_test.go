package tiles

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ooc/kernels/entry"
)

// TestNPYHeader pins the header byte for byte.
func TestNPYHeader(t *testing.T) {
	for _, c := range []struct {
		k    entry.Kind
		g    Geometry
		text string
	}{
		{entry.KindI32, Geometry{N: 100, T: 64, EntryBytes: 4},
			"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2, 64, 64), }"},
		{entry.KindF32, Geometry{N: 200_000, T: 1024, EntryBytes: 4},
			"{'descr': '<f4', 'fortran_order': False, 'shape': (196, 196, 1024, 1024), }"},
		{entry.KindF32, Geometry{N: maxN, T: 1 << 16, EntryBytes: 4},
			"{'descr': '<f4', 'fortran_order': False, 'shape': (32767, 32767, 65536, 65536), }"},
		{entry.KindF32, Geometry{N: 100, T: 64, EntryBytes: 8},
			"{'descr': [('distance', '<f4'), ('predecessor', '<i4')], 'fortran_order': False, 'shape': (2, 2, " +
				"64, 64), }"},
		{entry.KindF64, Geometry{N: 100, T: 64, EntryBytes: 16},
			"{'descr': [('distance', '<f8'), ('predecessor', '<i4'), ('', '|V4')], 'fortran_order': False, 'shape': " +
				"(2, 2, 64, 64), }"},
	} {
		want := append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0xf6, 0x0f}, c.text...)
		for len(want) < 4095 {
			want = append(want, ' ')
		}
		want = append(want, '\n')
		if got := (&Store{meta: Meta{Kind: c.k}, geo: c.g}).npyHeader(); !bytes.Equal(got, want) {
			t.Errorf("%v %+v:\n%q", c.k, c.g, got[:120])
		}
	}
}

// numpyCheck follows the program of docs/format.md, which has opened the
// matrix as d: entry (u,v) is 1000u + v.
const numpyCheck = `
assert isinstance(d, np.memmap) and d.offset == 4096 and d.flags.c_contiguous, (d.offset, d.dtype)
assert d.dtype.str == "<i4" and d.shape == (3, 3, 64, 64) and full.shape == (n, n), (d.dtype, d.shape)
want = np.add.outer(1000 * np.arange(n), np.arange(n))
assert (full == want).all()
for u in range(n):
    assert (row(u) == want[u]).all() and (column(u) == want[:, u]).all(), u
    assert all(distance(u, v) == want[u, v] for v in range(n)), u
assert true == 3.005 and unreachable == 1061109567, (true, unreachable)
at = 119320  # of entry (130, 70), as the page says
assert np.fromfile(store + "/dist.npy", "<i4", 1, offset=at)[0] == 130070 == d[2, 1, 2, 6]
print("good")
`

// docProgram is the NumPy program of docs/format.md, for another store.
func docProgram(t *testing.T, dir string) string {
	t.Helper()
	page, err := os.ReadFile("../docs/format.md")
	must(t, err)
	_, short, ok := strings.Cut(string(page), "```python\n")
	short, rest, closed := strings.Cut(short, "```")
	_, program, ok2 := strings.Cut(rest, "```python\n")
	program, _, closed2 := strings.Cut(program, "```")
	if !ok || !closed || !ok2 || !closed2 || strings.Count(program, `"roads.ooc"`) != 1 {
		t.Fatal("docs/format.md has no such programs")
	}
	// The three lines give the entry as a value; they take over the imports of the other.
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(short, "roads.ooc/", dir+"/")), "\n")
	lines[len(lines)-1] = "assert (" + strings.TrimSpace(strings.Split(lines[len(lines)-1], "#")[0]) + ") == 3005"
	return strings.Replace(program, `"roads.ooc"`, strconv.Quote(dir), 1) + strings.Join(lines, "\n") + "\n"
}

// upperProgram is the NumPy program of docs/format.md for layout upper, after the first lines of the other.
func upperProgram(t *testing.T, dir string) string {
	t.Helper()
	page, err := os.ReadFile("../docs/format.md")
	must(t, err)
	_, rest, ok := strings.Cut(string(page), "### Layout upper")
	_, program, ok2 := strings.Cut(rest, "```python\n")
	program, _, closed := strings.Cut(program, "```")
	head := strings.Join(strings.SplitAfter(docProgram(t, dir), "\n")[:6], "")
	if !ok || !ok2 || !closed || !strings.Contains(head, "np.load") {
		t.Fatal("docs/format.md has no such program")
	}
	return head + program
}

// TestNumPyOpensUpper runs the program for layout upper over a store of either layout.
func TestNumPyOpensUpper(t *testing.T) {
	needNumPy(t)
	const n = 150
	upper, square := upperAndSquare(t, entry.KindI32, n, 64)
	for s, shape := range map[*Store]string{upper: "(6, 64, 64)", square: "(3, 3, 64, 64)"} {
		check := `
u = np.arange(n)
want = np.minimum.outer(u, u) * 65536 + np.maximum.outer(u, u)
assert isinstance(d, np.memmap) and d.offset == 4096 and d.shape == ` + shape + `, d.shape
assert full.shape == (n, n) and (full == want).all()
for u in range(n):
    assert (row(u) == want[u]).all(), u
    assert all(distance(u, v) == want[u, v] for v in range(n)), u
print("good")
`
		out, err := exec.Command("python3", "-c", upperProgram(t, s.Dir())+check).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "good" {
			t.Errorf("NumPy, shape %s: %v: %s", shape, err, out)
		}
	}
}

// needNumPy skips a test where there is no NumPy.
func needNumPy(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("python3", "-c", "import numpy").CombinedOutput(); err != nil {
		if os.Getenv("OOC_REQUIRE_SCIPY") == "1" {
			t.Fatalf("NumPy is required: %v: %s", err, out)
		}
		t.Skipf("no NumPy here: %v", err)
	}
}

func TestNumPyOpensIt(t *testing.T) {
	needNumPy(t)
	const n = 150
	m := testMeta(n, 64)
	m.Scale = 1000
	s, err := Create(filepath.Join(t.TempDir(), "a.ooc"), m, nil, IDs{})
	must(t, err)
	defer s.Close()
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
	out, err := exec.Command("python3", "-c", docProgram(t, s.Dir())+numpyCheck).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "good" {
		t.Errorf("NumPy: %v: %s", err, out)
	}
}
