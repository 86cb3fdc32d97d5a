package cpu

import (
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// rig is a device with one stream and one buffer, for tests of results.
type rig struct {
	testing.TB
	device *Device
	stream kernels.Stream
}

func newRig(t testing.TB, o Options) *rig {
	t.Helper()
	d, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return &rig{t, d, s}
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// transform runs op on tiles filled with in and returns what it leaves in all of them.
func (r *rig) transform(v entry.Variant, t int, in []byte, op func(tiles []kernels.Tile) error) []byte {
	r.Helper()
	buf, err := r.device.Alloc(int64(len(in)))
	r.must(err)
	defer func() { r.must(buf.Free()) }()
	var tiles []kernels.Tile
	for at := 0; at < len(in); at += t * t * v.Bytes() {
		tiles = append(tiles, kernels.Tile{Buf: buf, Off: int64(at)})
	}
	out := make([]byte, len(in))
	r.must(r.stream.CopyIn(tiles[0], in))
	r.must(op(tiles))
	r.must(r.stream.CopyOut(out, tiles[0]))
	r.must(r.stream.Sync())
	return out
}

// entriesFor returns n random entries, some of them unreachable and, if signed, some below 0.
func entriesFor(r *rand.Rand, v entry.Variant, n int, signed bool) []byte {
	kind := v.Kind()
	memory := kind.Make(n)
	for i := range n {
		w := float64(r.Int32N(1 << 15))
		if signed {
			w -= 1 << 14
		}
		if v.Float() {
			w /= 7
		}
		if r.IntN(3) == 0 || w >= float64(entry.Inf16) {
			w = math.Inf(1)
		}
		kind.Put(memory, i, kind.Bits(w))
	}
	return memory
}

func first(x, y []byte) int {
	for i := range x {
		if x[i] != y[i] {
			return i
		}
	}
	return -1
}

// TestClosureThreads wants the same bits from any number of threads on the path of this machine, and from every path.
func TestClosureThreads(t *testing.T) {
	crashtest.Slow(t)
	r := rand.New(rand.NewPCG(conformance.Seed(t), 0))
	for _, v := range []entry.Variant{entry.I32, entry.F32, entry.U16, entry.F64} {
		for _, shape := range [][2]int{{320, 2}, {64, 6}} {
			edge, m := shape[0], shape[1]
			in := entriesFor(r, v, m*m*edge*edge, false)
			var want []byte
			eachPath(t, func(t *testing.T, path string) {
				numbers := []int{1, 2, 3, 7}
				if want != nil {
					numbers = numbers[2:3]
				}
				for _, threads := range numbers {
					rig := newRig(t, Options{Path: path, Threads: threads})
					got := rig.transform(v, edge, in, func(tiles []kernels.Tile) error {
						return rig.stream.Closure(v, edge, tiles)
					})
					if want == nil {
						want = got
					}
					if at := first(got, want); at >= 0 {
						t.Fatalf("%s T=%d m=%d, %d threads: byte %d is %#x, was %#x", v, edge, m, threads, at, got[at],
							want[at])
					}
				}
			})
		}
	}
}

// FuzzMinPlus compares the paths on random products.
func FuzzMinPlus(f *testing.F) {
	f.Add(uint64(1), uint8(0), uint8(1), uint8(1), false)
	f.Add(uint64(2), uint8(1), uint8(3), uint8(2), true)
	f.Add(uint64(3), uint8(2), uint8(5), uint8(1), false)
	f.Add(uint64(4), uint8(3), uint8(2), uint8(3), true)
	f.Add(uint64(5), uint8(4), uint8(3), uint8(2), true)
	f.Add(uint64(6), uint8(5), uint8(1), uint8(3), false)
	f.Fuzz(func(t *testing.T, seed uint64, variant, edge64, tiles uint8, fresh bool) {
		v := entry.Variants[int(variant)%len(entry.Variants)]
		edge, m := 64*(1+int(edge64)%6), 1+int(tiles)%4
		in := entriesFor(rand.New(rand.NewPCG(seed, 0)), v, (1+2*m)*edge*edge, v.Signed())
		var want []byte
		for _, path := range PathNames() {
			if Lacking(path) != "" {
				continue
			}
			r := newRig(t, Options{Path: path, Threads: 1 + int(seed%3)})
			got := r.transform(v, edge, in, func(tiles []kernels.Tile) error {
				return r.stream.MinPlus(v, edge, []kernels.Product{
					{C: tiles[0], A: tiles[1 : 1+m], B: tiles[1+m:], Fresh: fresh}})
			})
			if want == nil {
				want = got
			}
			if at := first(got, want); at >= 0 {
				t.Fatalf("%s T=%d m=%d fresh=%t on %s: byte %d is %#x, not %#x", v, edge, m, fresh, path, at, got[at],
					want[at])
			}
		}
	})
}

// TestForcedPath wants the path that the environment names, and errors for what cannot be.
func TestForcedPath(t *testing.T) {
	t.Setenv(EnvPath, "portable")
	d, err := Open(Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if d.Path() != "portable" {
		t.Errorf("%s=portable opened %s", EnvPath, d.Path())
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open(Options{Path: "mmx"}); err == nil || !strings.Contains(err.Error(), "mmx") {
		t.Errorf("path mmx: %v", err)
	}
	for _, o := range []Options{{Threads: -1}, {Memory: -1}} {
		if _, err := Open(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	for _, name := range PathNames() {
		if _, err := Open(Options{Path: name}); (err != nil) != (Lacking(name) != "") {
			t.Errorf("path %s: %v, lacking %q", name, err, Lacking(name))
		}
	}
}

// TestNoGoroutinesLeft wants Close to end every goroutine, even where streams were left open.
func TestNoGoroutinesLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	d, err := Open(Options{Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := d.NewStream(); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err == nil {
		t.Error("no error for a device closed under its streams")
	}
	if err := d.Close(); err == nil {
		t.Error("no error for a device closed twice")
	}
	if _, err := d.NewStream(); err == nil {
		t.Error("no error for a stream of a closed device")
	}
	if _, err := d.Alloc(64); err == nil {
		t.Error("no error for a buffer of a closed device")
	}
	for range 1000 { // a goroutine that has returned takes a moment to vanish
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestFault wants a copy from memory that cannot be read to fail its stream, and those that wait for it,
// and to leave the others alone.
func TestFault(t *testing.T) {
	unreadable := unreadablePage(t)
	r := newRig(t, Options{Threads: 1})
	bad, err := r.device.NewStream()
	r.must(err)
	waiter, err := r.device.NewStream()
	r.must(err)
	buf, err := r.device.Alloc(4096)
	r.must(err)
	defer func() { r.must(buf.Free()) }()
	r.must(bad.CopyIn(kernels.Tile{Buf: buf}, unreadable))
	failed, err := bad.Record()
	r.must(err)
	r.must(waiter.Wait(failed))
	for name, got := range map[string]error{
		"event": failed.Sync(), "stream": bad.Sync(), "waiter": waiter.Sync(),
		"close": bad.Close(), "close of waiter": waiter.Close(),
	} {
		if got == nil || !strings.Contains(got.Error(), "fault") {
			t.Errorf("%s: %v, want a memory fault", name, got)
		}
	}
	r.must(r.stream.Sync())
}

// TestCut wants every entry of C in exactly one task, for any shape.
func TestCut(t *testing.T) {
	for _, edge := range []int{64, 128, 320, 448, 1024} {
		for _, products := range []int{1, 3, 100} {
			for _, threads := range []int{1, 2, 16, 1000} {
				c := cutFor(edge, products, threads)
				seen := make([]int, edge*edge)
				for i := range c.tasks() {
					rows, cols := c.block(i)
					if rows.len() > maxHeight || rows.lo%baseEdge != 0 || cols.lo%baseEdge != 0 {
						t.Fatalf("edge %d: rows %v, columns %v", edge, rows, cols)
					}
					for y := rows.lo; y < rows.hi; y++ {
						for x := cols.lo; x < cols.hi; x++ {
							seen[y*edge+x]++
						}
					}
				}
				for i, n := range seen {
					if n != 1 {
						t.Fatalf("edge %d, %d products, %d threads: entry %d in %d tasks", edge, products, threads, i,
							n)
					}
				}
			}
		}
	}
}

// TestPathsWhole wants every path to have all its parts, those that this processor lacks included.
func TestPathsWhole(t *testing.T) {
	for _, p := range paths {
		if err := p.check(); err != nil {
			t.Error(err)
		}
	}
}

// TestIncompletePaths opens paths with a part missing, or that does not fit, and wants an error that names it.
// TestAVX2Registers wants sixteen registers to be enough for AVX2: the assembler takes others too, in instructions that
// processors without AVX-512 do not have.
func TestAVX2Registers(t *testing.T) {
	source, err := os.ReadFile("avx2_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	vectors := 0
	function := ""
	for line := range strings.Lines(string(source)) {
		if strings.HasPrefix(line, "TEXT") {
			function = line
		}
		for _, found := range vectorRegister.FindAllStringSubmatch(line, -1) {
			vectors++
			if n, err := strconv.Atoi(found[2]); err != nil || n > 15 || found[1] == "Z" || found[1] == "K" {
				t.Fatalf("%s%s", function, line)
			}
		}
	}
	if vectors == 0 {
		t.Error("no vectors found")
	}
}

var vectorRegister = regexp.MustCompile(`\b([XYZK])(\d+)\b`)

func TestIncompletePaths(t *testing.T) {
	t.Cleanup(func(all []*path) func() { return func() { paths = all } }(paths))
	for want, spoil := range map[string]func(p *path){
		"cpu: path portable lacks climb for i32-signed": func(p *path) { p.climb[entry.I32Signed] = nil },
		"cpu: path portable lacks strip.panel for f32":  func(p *path) { p.strip[entry.F32].panel = 0 },
		"cpu: path portable lacks transposePast.eight":  func(p *path) { p.transposePast.eight = nil },
		"cpu: path portable lacks perTurn for u16":      func(p *path) { p.perTurn[entry.U16] = 0 },
		"cpu: path portable has a panel of 64 columns":  func(p *path) { p.strip[entry.I32].panel = 64 },
		"cpu: path portable climbs 384 bytes of pairs":  func(p *path) { p.pairClimb[entry.I32].bytes = 384 },
	} {
		p := *portable
		spoil(&p)
		paths = []*path{&p}
		if _, err := Open(Options{Path: "portable"}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
