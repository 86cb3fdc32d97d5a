package text

import (
	"encoding/json"
	"testing"
)

// hostile has one of each kind of character that must not reach a terminal.
const hostile = "a\x1b[2Jb\rc\u0085d\u202ee\u2066f\u2028g\x7fh\x00i"

func TestPrintable(t *testing.T) {
	for _, ok := range []string{"", "Zürich", "Αθήνα", "ירושלים\u200f", "東京", "a b", "\ufffd"} {
		if !Printable(ok) || !Printable([]byte(ok)) || Line(ok) != ok {
			t.Errorf("%q is not printable", ok)
		}
	}
	for _, bad := range []string{hostile, "a\nb", "a\tb", "\xff", "a\xe2\x80", "\x9b1m"} {
		if Printable(bad) || Printable([]byte(bad)) {
			t.Errorf("%q is printable", bad)
		}
		if line := Line(bad); !Printable(line) || line == bad {
			t.Errorf("%q becomes %q", bad, line)
		}
	}
	if got := Line("a\xffb\n\u202e"); got != `a\xffb\u000a\u202e` {
		t.Error(got)
	}
}

// TestAppendPrintable gives text in two pieces, cut anywhere, and JSON, which stays the same.
func TestAppendPrintable(t *testing.T) {
	whole := "Zürich\t東京\n" + hostile + "\xff\xe2\x80"
	want := "Zürich\t東京\n" + Line(hostile+"\xff") + "<\xe2\x80>"
	for cut := range len(whole) {
		out, rest := AppendPrintable(nil, []byte(whole[:cut]))
		if len(rest) > 3 {
			t.Fatalf("%d bytes are kept", len(rest))
		}
		out, rest = AppendPrintable(out, append(rest, whole[cut:]...))
		if got := string(out) + "<" + string(rest) + ">"; got != want {
			t.Fatalf("cut at %d:\n%s\n%s", cut, got, want)
		}
	}
	object, _ := json.Marshal(hostile)
	shown, _ := AppendPrintable(nil, object)
	var got string
	if err := json.Unmarshal(shown, &got); err != nil || got != hostile || !Printable(shown) {
		t.Errorf("%s reads back as %q, %v", shown, got, err)
	}
}

func TestOneLine(t *testing.T) {
	if OneLine("a\nb") || !OneLine(hostile) || !OneLine(Line("a\nb")) {
		t.Error("a line has two")
	}
}
