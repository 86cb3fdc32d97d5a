package text

import (
	"fmt"
	"testing"

	"ooc/engine/internal/seeds"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		line string
		sep  byte
		want string
	}{
		{"a b", blankBytes, `[{a false} {b false}]`},
		{" a \t b  c ", blankBytes, `[{a false} {b false} {c false}]`},
		{`"New York" Bonn`, blankBytes, `[{New York true} {Bonn false}]`},
		{"New York , Bonn", ',', `[{New York false} {Bonn false}]`},
		{`"a ""b"", c" , d`, ',', `[{a "b", c true} {d false}]`},
		{"New York\tBonn\t7", '\t', `[{New York false} {Bonn false} {7 false}]`},
		{"a;b;", ';', `[{a false} {b false} { false}]`},
		{",a", ',', `[{ false} {a false}]`},
		{"", blankBytes, `[{ false}]`},
		{`5" b`, blankBytes, `[{5" false} {b false}]`},
	} {
		got, err := Split(c.line, c.sep)
		if fmt.Sprint(got) != c.want || err != nil {
			t.Errorf("%q at %q: %v, %v, want %s", c.line, c.sep, got, err, c.want)
		}
	}
	for line, sep := range map[string]byte{`"a`: ',', `"a"b,c`: ',', `"a""`: blankBytes, `"a"b`: blankBytes,
		"\"a\" b\tc": '\t'} {
		if got, err := Split(line, sep); err == nil {
			t.Errorf("%q at %q: %v", line, sep, got)
		}
	}
	if got := string(Separators("a,b\tc \"d;e\"")); got != "\t, " {
		t.Errorf("separators %q", got)
	}
}

// TestCellsComeBack writes ids as cells and reads them again, between every separator.
func TestCellsComeBack(t *testing.T) {
	r := seeds.New(t)
	letters := []rune("ab\"#,; %/-é")
	for range 20000 {
		ids := make([]string, 1+r.IntN(4))
		for i := range ids {
			for range 1 + r.IntN(5) {
				ids[i] += string(letters[r.IntN(len(letters))])
			}
		}
		for _, sep := range []byte("\t,;" + string(blankBytes)) {
			var line []byte
			for i, id := range ids {
				if i > 0 {
					line = append(line, sep)
				}
				line = AppendCell(line, id)
			}
			got, err := Split(string(line), sep)
			if err != nil || len(got) != len(ids) {
				t.Fatalf("%q: %v, %v", line, got, err)
			}
			for i, c := range got {
				if c.Text != ids[i] {
					t.Fatalf("%q: %v", line, got)
				}
			}
		}
	}
}
