package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"ooc/engine/internal/seeds"
	"ooc/tiles/crashtest"
)

// TestLines compares lines of random texts, and the numbers of those that are expected, with what splitting and
// matching finds, wherever chunks end, the expectation is told, lines are looked at, reading fails or is given up.
func TestLines(t *testing.T) {
	defer func(old int) { ChunkSize = old }(ChunkSize)
	r := seeds.New(t)
	for range 1500 {
		ChunkSize = 1 + r.IntN(1<<r.IntN(12))
		text := randomLines(r)
		if r.IntN(4) == 0 {
			text = strings.ReplaceAll(text, "\n", "\r")
		}
		in, fails := io.Reader(strings.NewReader(text)), r.IntN(4) == 0
		if fails {
			text = text[:r.IntN(len(text)+1)]
			in = io.MultiReader(strings.NewReader(text), iotest.ErrReader(errLost))
		}
		head := text[:min(len(text), 4096)]
		if at := strings.Index(head, "\r"); at >= 0 && at < len(head)-1 && !strings.Contains(head, "\n") {
			text = strings.ReplaceAll(text, "\r", "\n")
		}
		if fails {
			text = text[:strings.LastIndexByte(text, '\n')+1]
		}
		if r.IntN(2) == 0 {
			in = iotest.HalfReader(in)
		}
		compareLines(t, r, &watched{Reader: in}, text, fails)
	}
}

var errLost = errors.New("lost")

// watched is a reader that nobody may use after it was closed.
type watched struct {
	io.Reader
	closed, late atomic.Bool
}

func (w *watched) Read(p []byte) (int, error) {
	if w.closed.Load() {
		w.late.Store(true)
	}
	return w.Reader.Read(p)
}

func randomLines(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(1 << r.IntN(9)) {
		words := []string{"a ", "", "0", "7", "42", "00", "999999999", "1000000000", "-1", "x", " ", "\t", ",", "\r"}
		switch r.IntN(8) {
		case 0:
			b.WriteString(strings.Repeat("9 ", r.IntN(3000)))
		case 1, 2:
			for range r.IntN(9) {
				b.WriteString(words[r.IntN(len(words))])
			}
		default:
			b.WriteString(words[r.IntN(2)])
			sep := []string{" ", "\t", ", ", ",", " \t", "\t\t", "\t "}[r.IntN(7)]
			for range 1 + r.IntN(3) {
				b.WriteString(strconv.Itoa(r.IntN(1<<r.IntN(31))) + sep)
			}
			b.WriteString(strconv.Itoa(r.IntN(100)))
		}
		b.WriteString([]string{"\n", "\r\n"}[r.IntN(20)/19])
	}
	return strings.TrimRight(b.String(), "\r\n"[r.IntN(2)*2:])
}

// compareLines reads in, which holds text and then, if it fails, part of a line.
func compareLines(t *testing.T, r *rand.Rand, in *watched, text string, fails bool) {
	t.Helper()
	kind, sep, n := []string{"a ", ""}[r.IntN(2)], " \t,"[r.IntN(3)], 2+r.IntN(2)
	between := map[byte]string{' ': `[ \t]+`, '\t': `\t *`, ',': `,[ \t]*`}[sep]
	isPlain := regexp.MustCompile("^" + kind + strings.Repeat(between+"(0|[1-9][0-9]{0,8})", n)[len(between):] + "$")
	lines := slices.Collect(strings.Lines(text))
	told, givenUp := r.IntN(1+r.IntN(len(lines)+1)), r.IntN(4*len(lines)+1)
	l := New(in)
	bare := func(i int) string { return strings.TrimSuffix(strings.TrimSuffix(lines[i], "\n"), "\r") }
	for i := 0; i < min(len(lines), givenUp); i++ {
		if i == told {
			l.Expect(kind, sep, n)
		}
		if r.IntN(8) == 0 {
			rest := strings.Join(lines[i:], "")
			if got, all := l.Peek(); !strings.HasPrefix(rest, string(got)) || all && len(got) < len(rest) {
				t.Fatalf("chunks of %d bytes of %q: before line %d, %q are seen, %t", ChunkSize, text, i+1, got, all)
			}
		}
		left := r.IntN(4) // lines that are taken, and then some more at a time
		check := func(i int, x [3]uint32) {
			numbers := []string(nil)
			if i < len(lines) && i >= told {
				numbers = isPlain.FindStringSubmatch(bare(i))
			}
			if numbers == nil || fmt.Sprint(append(numbers[1:], "1")[:3]) != fmt.Sprint(x) {
				t.Fatalf("chunks of %d bytes of %q: line %d is read as %v", ChunkSize, text, i+1, x)
			}
		}
		l.Plain(func(x *[3]uint32) bool {
			check(i, *x)
			if left--; left >= 0 {
				i++
			}
			return left >= 0
		}, func(numbers [][3]uint32, least, most [3]uint32) bool {
			low, high := numbers[0], numbers[0]
			for k, x := range numbers {
				check(i+k, x)
				for c := range x {
					low[c], high[c] = min(low[c], x[c]), max(high[c], x[c])
				}
				if x[0] == x[1] {
					t.Fatalf("chunks of %d bytes of %q: line %d is not like the others", ChunkSize, text, i+k+1)
				}
			}
			if low != least || high != most {
				t.Fatalf("chunks of %d bytes of %q: from line %d on, numbers are from %v to %v", ChunkSize, text, i+1,
					least, most)
			}
			if r.IntN(2) == 0 {
				return false
			}
			i += len(numbers)
			return true
		})
		if left >= 0 && i < len(lines) && i >= told && isPlain.MatchString(bare(i)) {
			t.Fatalf("chunks of %d bytes of %q: line %d is not taken", ChunkSize, text, i+1)
		}
		if l.Line != int64(i) {
			t.Fatalf("chunks of %d bytes of %q: line %d, not %d", ChunkSize, text, l.Line, i)
		}
		if i == len(lines) {
			break
		}
		if got, err := l.Next(); err != nil || string(got) != bare(i) || l.Line != int64(i+1) {
			t.Fatalf("chunks of %d bytes of %q: line %d is %q, %v, not %q", ChunkSize, text, l.Line, got, err, bare(i))
		}
	}
	if givenUp >= len(lines) {
		_, err := l.Next()
		if !fails && (err != io.EOF || l.Line != int64(len(lines))) ||
			fails && (err != errLost || l.Line != int64(len(lines)+1)) {
			t.Fatalf("chunks of %d bytes of %q: %v after line %d", ChunkSize, text, err, l.Line)
		}
	}
	l.Close()
	if in.closed.Store(true); in.late.Load() {
		t.Fatal("read after it was closed")
	}
}

// TestLongestLine holds the reader to the length that it names, wherever the line is and whether it has an end, and the
// documentation to the same.
func TestLongestLine(t *testing.T) {
	crashtest.Slow(t)
	text := make([]byte, 0, maxLine+32)
	for _, start := range []string{"", "short\n"} {
		for _, size := range []int{maxLine, maxLine + 1} {
			for _, end := range []string{"", "\nshort\n"} {
				text = append(text[:0], start...)
				for range size {
					text = append(text, 'x')
				}
				text = append(text, end...)
				lines := New(bytes.NewReader(text)) // which gives as much as is asked for
				longest, err := 0, error(nil)
				for err == nil {
					var line []byte
					line, err = lines.Next()
					longest = max(longest, len(line))
				}
				lines.Close()
				if size == maxLine && (err != io.EOF || longest != maxLine) {
					t.Errorf("%q, a line of %d bytes, %q: %d bytes, %v", start, size, end, longest, err)
				}
				if size > maxLine && !errors.Is(err, errLongLine) {
					t.Errorf("%q, a line of %d bytes, %q: %d bytes were taken, %v", start, size, end, longest, err)
				}
			}
		}
	}
	docs, err := os.ReadFile("../../../../../docs/graph-formats.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("a line longer than %d MiB", maxLine>>20); !bytes.Contains(docs, []byte(want)) {
		t.Errorf("docs/graph-formats.md does not say %q", want)
	}
}

// stuck gives some text, and then nothing, without an end.
type stuck struct{ text []byte }

func (r *stuck) Read(p []byte) (int, error) {
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// TestNoProgress reads an input that never ends and gives nothing.
func TestNoProgress(t *testing.T) {
	l := New(&stuck{[]byte("1 2\n3")})
	defer l.Close()
	if line, err := l.Next(); err != nil || string(line) != "1 2" {
		t.Errorf("%q, %v", line, err)
	}
	if line, err := l.Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("%q, %v", line, err)
	}
}

// TestLongLineAlone wants little more than a long line read at once, and small chunks after it.
func TestLongLineAlone(t *testing.T) {
	defer func(size int) { ChunkSize = size }(ChunkSize)
	ChunkSize = 64
	const long = 5000
	l := New(strings.NewReader(strings.Repeat("x", long) + "\n" + strings.Repeat("1 2\n", 4000)))
	defer l.Close()
	for i := range 4001 {
		if _, err := l.Next(); err != nil {
			t.Fatal(err)
		}
		most := 2 * ChunkSize
		if i < most { // maybe still in the chunk of the long line
			most += long
		}
		if size := len(l.chunk.text); size > most {
			t.Fatalf("after line %d, a chunk of %d bytes", i+1, size)
		}
	}
}
