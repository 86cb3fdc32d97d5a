// Package terminal holds standard output, draws on a terminal and reads keys from it: blocks of rows, a line that
// counts, and keys, for which it changes the terminal's modes and restores them. It knows no command and no store.
// Widths are in characters.
package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"ooc/engine/text"
)

// Out is standard output, and all that is printed there goes through it or through Raw. It escapes what is not
// printable, since names and ids may come from anyone. It remembers the first write that fails, so that whoever
// prints need not look; a command has failed if Close says so.
var Out = &output{}

// OutFile and ErrFile are the files of Out and Err, for blocks that are drawn on terminals.
var OutFile, ErrFile = os.Stdout, os.Stderr

// Raw is standard output for what is no text: it escapes nothing.
var Raw io.Writer = writer(func(p []byte) error {
	Out.mu.Lock()
	defer Out.mu.Unlock()
	return Out.write(p)
})

type output struct {
	mu   sync.Mutex
	err  error  // guarded by mu, as those below
	rest []byte // of a character whose end was not written yet
	buf  []byte
}

// Write writes text, unless a write has failed before.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	whole := p
	if len(o.rest) > 0 {
		whole = append(o.rest, p...)
	}
	o.buf, whole = text.AppendPrintable(o.buf[:0], whole)
	o.rest = append([]byte(nil), whole...)
	if err := o.write(o.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// write writes bytes. The caller holds mu.
func (o *output) write(p []byte) error {
	if o.err == nil {
		_, o.err = os.Stdout.Write(p) // whose reader may have gone: that ends the process here
	}
	return o.err
}

// Close closes standard output, since there are volumes that say only then what they could not take, and returns the
// first error.
func (o *output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.rest) > 0 {
		_ = o.write([]byte(text.Line(string(o.rest))))
	}
	if closing := os.Stdout.Close(); o.err == nil {
		o.err = closing
	}
	return o.err
}

// Err is standard error for text, in which it escapes what is not printable.
var Err io.Writer = writer(func(p []byte) error {
	out, rest := text.AppendPrintable(nil, p)
	_, err := os.Stderr.Write(append(out, text.Line(string(rest))...))
	return err
})

// writer writes all that it is given, or fails.
type writer func(p []byte) error

func (w writer) Write(p []byte) (int, error) {
	if err := w(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Known is a field of an object that is null where the value stands for none.
func Known[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// encode is a value in JSON. What is JSON already stays as it is.
func encode(v any) []byte {
	if done, ok := v.(json.RawMessage); ok && done != nil {
		return done
	}
	body, err := json.Marshal(v)
	if err != nil { // only a NaN or an infinity in a status could do that
		return fmt.Appendf(nil, `{"message":%q}`, err)
	}
	return body
}

// Members is a JSON object of names and values, in turn.
func Members(pairs ...any) json.RawMessage {
	object := []byte("{")
	for i := 0; i < len(pairs); i += 2 {
		object = fmt.Appendf(object, "%q:%s,", pairs[i], encode(pairs[i+1]))
	}
	return append(bytes.TrimSuffix(object, []byte(",")), '}')
}

// Object is a struct in JSON. Members of the given names are null where they are 0, empty or left out: what is unknown,
// or does not apply.
func Object(v any, unknown ...string) json.RawMessage {
	var all []any
	in := json.NewDecoder(bytes.NewReader(encode(v)))
	for _, _ = in.Token(); in.More(); {
		var value json.RawMessage
		name, _ := in.Token()
		_ = in.Decode(&value)
		if i := slices.Index(unknown, name.(string)); i >= 0 {
			if unknown = slices.Delete(slices.Clone(unknown), i, i+1); string(value) == "0" || string(value) == `""` {
				value = nil
			}
		}
		all = append(all, name, value)
	}
	for _, name := range unknown {
		all = append(all, name, nil)
	}
	return Members(all...)
}

// PrintJSON prints one object on one line, with a type beside the members of all parts.
func PrintJSON(kind string, parts ...any) { _ = WriteJSON(Out, kind, parts...) }

// WriteJSON is PrintJSON for a stream, which is written to once.
func WriteJSON(w io.Writer, kind string, parts ...any) error {
	line := fmt.Appendf(nil, `{"type":%q`, kind)
	for _, part := range parts {
		if body := encode(part); len(body) > 2 {
			line = append(append(line, ','), body[1:len(body)-1]...)
		}
	}
	_, err := w.Write(append(line, "}\n"...))
	return err
}

// If is a text where something is so, else nothing.
func If(so bool, format string, args ...any) string {
	if !so {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Either prints an object to standard output, or else a line for people to a stream.
func Either(asJSON bool, kind string, object any, to io.Writer, format string, args ...any) {
	if asJSON {
		PrintJSON(kind, object)
	} else {
		fmt.Fprintf(to, format+"\n", args...)
	}
}

// Clip cuts a row to a number of characters, in which all that is not printable is escaped.
func Clip(row string, width int) string {
	row = text.Line(row)
	if utf8.RuneCountInString(row) <= width {
		return row
	}
	return string([]rune(row)[:max(0, width-1)]) + "…"
}

// Command is a command of ooc to paste into a shell: its name, flags that are ready to paste, and names of any kind.
// Where a name begins with -, it says that no flags follow.
func Command(name string, flags []string, names ...string) string {
	words := append([]string{"ooc", name}, flags...)
	if slices.ContainsFunc(names, func(n string) bool { return len(n) > 1 && n[0] == '-' }) {
		words = append(words, "--")
	}
	for _, n := range names {
		words = append(words, text.Quote(n))
	}
	return strings.Join(words, " ")
}
