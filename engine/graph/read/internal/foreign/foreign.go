// Package foreign recognises files of graphs and tables in formats that are not read, and says what turns them into one
// that is.
package foreign

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"sync"
)

//go:embed formats.txt
var text string

// format is a format that is not read.
type format struct {
	name    string
	json    bool
	pattern *regexp.Regexp
	remedy  string // FILE is the input, KEY what the pattern's group key matches
}

// formats reads formats.txt.
var formats = sync.OnceValue(func() (all []format) {
	pattern := ""
	macros := []string{}
	put := func(s string) string { return strings.NewReplacer(macros...).Replace(s) }
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		last := len(all) - 1
		switch name, rest, _ := strings.Cut(line, " "); {
		case line == "" || line[0] == '#':
		case line[0] == '@':
			macros = append(macros, name+"@", put(rest))
		case line[0] != '\t':
			all, pattern = append(all, format{name: line}), ""
		case pattern == "":
			pattern, all[last].json = strings.CutPrefix(line[1:], "json: ")
			all[last].pattern = regexp.MustCompile(put(pattern))
		default:
			all[last].remedy = strings.TrimPrefix(all[last].remedy+" "+put(line[1:]), " ")
		}
	}
	return all
})

// Recognise returns the format of an input that begins with head, and what to do about it; "" if it is none of these.
func Recognise(head []byte) (name, remedy string) {
	latin1 := make([]rune, len(head)) // a pattern of bytes is one of characters then
	for i, c := range head {
		latin1[i] = rune(c)
	}
	start, isJSON := string(latin1), startsJSON(head)
	for _, f := range formats() {
		if f.json && !isJSON {
			continue
		}
		if m := f.pattern.FindStringSubmatch(start); m != nil {
			return f.name, strings.Replace(f.remedy, "KEY", m[max(f.pattern.SubexpIndex("key"), 0)], 1)
		}
	}
	return "", ""
}

// startsJSON reports whether head is, or begins, an array or object with something in it, alone or one a line.
func startsJSON(head []byte) bool {
	head = bytes.TrimSpace(head)
	if len(head) < 2 || head[0] != '{' && head[0] != '[' {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(head))
	err := d.Decode(new(json.RawMessage))
	rest := bytes.TrimLeft(head[d.InputOffset():], " \t\r")
	return err == io.ErrUnexpectedEOF || err == nil && (len(rest) == 0 || rest[0] == '\n')
}
