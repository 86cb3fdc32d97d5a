//go:build unix

package show

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"ooc/cmd/ooc/terminal"
	"ooc/engine/live"
)

// screen is a terminal that has room for all rows that are ever written.
type screen struct {
	rows  []string
	y     int
	width int
}

// write understands what the display sends, and fails for all else.
func (s *screen) write(t *testing.T, text string) {
	t.Helper()
	for len(text) > 0 {
		var n int
		var what byte
		switch c, _ := fmt.Sscanf(text, "\x1b[%d%c", &n, &what); {
		case strings.HasPrefix(text, "\x1b[K"): // each row is written from its first column
			text = text[3:]
		case strings.HasPrefix(text, "\x1b[J"):
			s.rows, text = s.rows[:s.y], text[3:]
		case c == 2 && what == 'A':
			s.y, text = s.y-n, text[strings.IndexByte(text, 'A')+1:]
		case text[0] == '\r':
			text = text[1:]
		case text[0] == '\n':
			s.y, text = s.y+1, text[1:]
		default:
			end := strings.IndexAny(text, "\r\n\x1b")
			if end <= 0 {
				t.Fatalf("%q", text)
			}
			for len(s.rows) <= s.y {
				s.rows = append(s.rows, "")
			}
			if s.rows[s.y] = text[:end]; len([]rune(text[:end])) > s.width {
				t.Errorf("a row wraps: %q", text[:end])
			}
			text = text[end:]
		}
	}
}

// resize wraps rows that are too long, as many terminals do, or cuts them off. The cursor stays with its row.
func (s *screen) resize(width int, wraps bool) {
	var rows []string
	y := 0
	for i, row := range s.rows {
		if i == s.y {
			y = len(rows)
		}
		for r := []rune(row); len(r) > width; r = r[width:] {
			rows, row = append(rows, string(r[:width])), string(r[width:])
			if !wraps {
				row = ""
				break
			}
		}
		if row != "" || len(rows) == 0 {
			rows = append(rows, row)
		}
	}
	s.rows, s.y, s.width = rows, y, width
}

// TestResizeLeavesNoCopies draws blocks and lines that stay, on a terminal that is resized in between.
func TestResizeLeavesNoCopies(t *testing.T) {
	tty, its, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	defer its.Close()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, wraps := range []bool{true, false} {
		d := &Display{block: terminal.NewBlock(its, false), Steering: &steering{}, help: (&steering{}).help}
		s := &screen{width: 100}
		for i := range 60 {
			if i == 0 || r.IntN(3) == 0 {
				width := 40 + r.IntN(120)
				if err := pty.Setsize(its,
					&pty.Winsize{Cols: uint16(width), Rows: uint16(6 + r.IntN(40))}); err != nil {
					t.Fatal(err)
				}
				s.resize(width, wraps)
			}
			d.Status(someStatus(r))
			s.write(t, drained(t, tty, its))
			if n := strings.Count(strings.Join(s.rows, "\n"), "keys  "); n != 1 {
				t.Fatalf("wraps %v: %d blocks on the screen:\n%s", wraps, n, strings.Join(s.rows, "\n"))
			}
		}
		d.End()
		s.write(t, drained(t, tty, its))
		if s.y != len(s.rows) || !strings.HasPrefix(s.rows[s.y-1], "keys  ") {
			t.Errorf("wraps %v: at the end the cursor is on row %d of\n%s", wraps, s.y, strings.Join(s.rows, "\n"))
		}
	}
}

func someStatus(r *rand.Rand) live.Status {
	return live.Status{Store: "roads.ooc", Vertices: 21048, Arcs: 43388, Kind: "i32", Algorithm: "blocked",
		Device: "AVX-512, 2 threads, AMD EPYC",
		State:  live.Running, Stage: live.StageRounds, Round: 3, Rounds: 9, Progress: r.Float64(),
		Rate: 1e9 * r.Float64(), Ceiling: 1e9, ETA: 12}
}

// drained returns all that was written to a terminal.
func drained(t *testing.T, tty, its *os.File) string {
	t.Helper()
	const end = "\x1b[999z" // which nobody writes
	if _, err := its.WriteString(end); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	buf := make([]byte, 1<<16)
	_ = tty.SetReadDeadline(time.Now().Add(time.Minute)) // of no use where terminals have none
	for !strings.HasSuffix(text.String(), end) {
		n, err := tty.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(buf[:n])
	}
	return strings.TrimSuffix(text.String(), end)
}
