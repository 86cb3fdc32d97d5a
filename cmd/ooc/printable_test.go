package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/text"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
)

// hostile is what a name or an id may have in it that clears a screen, goes back in the line and turns the direction of
// writing.
const hostile = "x\x1b[2J\r\u009b1m\u202ey"

// wantPrintable fails the test where raw control characters, or what is no UTF-8, were printed.
func wantPrintable(t *testing.T, what string, r result) {
	t.Helper()
	for _, out := range []string{r.stdout, r.stderr} {
		for _, line := range strings.Split(out, "\n") {
			if line = strings.ReplaceAll(line, "\t", " "); !text.Printable(line) {
				t.Errorf("ooc %q printed %q", what, line)
			}
		}
	}
}

// TestHostileNames gives every command files and stores with hostile names.
func TestHostileNames(t *testing.T) {
	crashtest.Slow(t)
	dir, lines := everyCommand(t)
	stale, err := filepath.Glob(filepath.Join(dir, "*.[ob]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stale {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	evil := strings.NewReplacer("g.gr", hostile+"g.gr", "a.gr", hostile+"a.gr", "b.gr", hostile+"b.gr", "g.ooc",
		hostile+"g.ooc",
		"new.ooc", hostile+"new.ooc", "m1.ooc", hostile+"m1.ooc", "m2.ooc", hostile+"m2.ooc")
	for _, name := range []string{"g.gr", "a.gr", "b.gr"} {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, hostile+name)); err != nil {
			t.Skip("this system has no such names:", err)
		}
	}
	writeFile(t, dir, hostile, "1 2\n2 3\n")
	ooc(t, dir, "solve", hostile+"g.gr", "--device", "cpu").want(t, 0)
	for i := 1; i <= 2; i++ {
		ooc(t, dir, "solve", hostile+"g.gr", "--device", "cpu", "--sources", fmt.Sprintf("part:%d/2", i), "--out",
			fmt.Sprintf("%sm%d.ooc", hostile, i)).want(t, 0)
	}
	ooc(t, dir, "solve", hostile+"a.gr", hostile+"b.gr", "--device", "cpu").want(t, 0)
	queue, err := filepath.Glob(filepath.Join(dir, "*.batch"))
	if err != nil || len(queue) != 1 {
		t.Fatal(queue, err)
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "bench") || strings.HasPrefix(line, "completion") {
			continue
		}
		var args []string
		for _, word := range strings.Fields(line) {
			if strings.HasSuffix(word, ".batch") {
				word = filepath.Base(queue[0])
			}
			if word == "pairs" {
				word = hostile
			} else {
				word = evil.Replace(word)
			}
			args = append(args, word)
		}
		r := ooc(t, dir, args...)
		if r.code != 0 {
			t.Errorf("ooc %q: exit code %d\n%q", args, r.code, r.stderr)
		}
		if !strings.Contains(line, "--predecessors") { // which is no text
			wantPrintable(t, strings.Join(args, " "), r)
		}
		for i, word := range args {
			if strings.Contains(word, hostile) { // and where it is not there
				args[i] = word + hostile
				wantPrintable(t, strings.Join(args, " "), ooc(t, dir, args...))
				break
			}
		}
	}
	drawn := ooc(t, dir, "solve", hostile+"g.gr", "--device", "cpu", "--restart", "--progress", "always").want(t, 0,
		"graph ").stderr
	if strings.Contains(drawn, "\x1b[2J") || strings.Contains(drawn, "\u202e") {
		t.Errorf("drawn: %q", drawn)
	}
	forged := "g.gr\nooc: all is well"
	ooc(t, dir, "solve", forged).want(t, 2, `"g.gr\nooc: all is well" holds a line end`)
	writeFile(t, dir, forged, "p sp 2 1\na 1 2 5\n")
	for _, args := range [][]string{{"solve", forged}, {"solve", "."}, {"solve", "*.gr*"}} {
		if r := ooc(t, dir, args...).want(t, 2, `holds a line end`); strings.Contains(r.stdout+r.stderr,
			"\nooc: all is well") {
			t.Errorf("ooc %q printed %s", args, r.stderr)
		}
	}
}

// TestHostileIDs reads graphs with ids that cannot be shown, and gives every command a store that was made of such a
// graph by another program.
func TestHostileIDs(t *testing.T) {
	crashtest.Slow(t)
	random := seeded(t)
	dir, lines := everyCommand(t)
	for _, id := range []string{"x\x1b[2J", "x\u202ey", "\u2066x", "x\u2028y", "x\u0085", "\x7f", "\xff"} {
		writeFile(t, dir, "ids.csv", "from,to,weight\na,b,1\na,"+id+",2\n")
		r := ooc(t, dir, "solve", "ids.csv").want(t, 3, "ids.csv:3: vertex")
		wantPrintable(t, "solve "+id, r)
	}
	good, err := engine.OpenReadOnly(filepath.Join(dir, "g.ooc"))
	if err != nil {
		t.Fatal(err)
	}
	defer good.Close()
	g, err := good.Graph()
	if err != nil {
		t.Fatal(err)
	}
	csr := &tiles.CSR{Offsets: g.Offsets, Targets: g.Targets, Weights: g.WeightBytes()}
	plain := make([]string, g.N)
	for i := range plain {
		plain[i] = "v" + g.Name(i)
	}
	for what, forge := range map[string]func(m *tiles.Meta, ids []string){
		"escape":    func(_ *tiles.Meta, ids []string) { ids[7] = hostile },
		"line":      func(_ *tiles.Meta, ids []string) { ids[7] = "a\t1\nb" },
		"empty":     func(_ *tiles.Meta, ids []string) { ids[7] = "" },
		"no UTF-8":  func(_ *tiles.Meta, ids []string) { ids[7] = "a\xff" },
		"twice":     func(_ *tiles.Meta, ids []string) { ids[7] = ids[8] },
		"the input": func(m *tiles.Meta, _ []string) { m.Input.Name = "g.gr\nooc: all is well" },
	} {
		if err := os.RemoveAll(filepath.Join(dir, "forged.ooc")); err != nil {
			t.Fatal(err)
		}
		meta, ids := *good.Meta(), append([]string(nil), plain...)
		forge(&meta, ids)
		meta.Command = []string{"ooc", "solve", "g.gr\n" + hostile}
		s, err := tiles.Create(filepath.Join(dir, "forged.ooc"), meta, csr, tiles.IDs{Text: ids})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for _, line := range crashtest.Some(random, 30,
			append(lines, "solve g.ooc", "plan g.ooc", "mst g.ooc", "sssp g.ooc --source 1")) {
			if !strings.Contains(line, "g.ooc") || strings.HasPrefix(line, "watch") { // which would wait for a solve
				continue
			}
			args := strings.Fields(strings.ReplaceAll(line, "g.ooc", "forged.ooc"))
			r := ooc(t, dir, args...)
			wantPrintable(t, what+": "+strings.Join(args, " "), r)
			if strings.Contains(r.stdout+r.stderr, "\nooc: all is well") {
				t.Errorf("%s: ooc %s printed %s", what, args, r.stdout+r.stderr)
			}
			if args[0] == "solve" && r.code != class.Corrupt {
				t.Errorf("%s: ooc %s: exit code %d: %s", what, args, r.code, r.stderr)
			}
		}
		if what != "the input" {
			ooc(t, dir, "sssp", "forged.ooc", "--source", "1").want(t, class.Corrupt, "ids")
			ooc(t, dir, "status", "forged.ooc").want(t, 0, `ooc solve $'g.gr\x0a`)
		}
	}
}

// TestHostileQueue reads a queue that was made elsewhere.
func TestHostileQueue(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.gr", "b.gr"} {
		writeFile(t, dir, name, "p sp 2 1\na 1 2 5\n")
	}
	ooc(t, dir, "solve", "a.gr", "b.gr").want(t, 0)
	found, err := filepath.Glob(filepath.Join(dir, "*.batch", "queue"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	queue, name := found[0], filepath.Base(filepath.Dir(found[0]))
	was := string(readFile(t, queue))
	for _, c := range []struct {
		old, new string
		code     int
	}{
		{`"input":"a.gr"`, `"input":"\u001b[2J\r\u202ea.gr"`, 0},
		{`"input":"a.gr"`, `"input":"a.gr\nooc: all is well"`, class.Corrupt},
		{`"algorithm":"`, `"algorithm":"\u001b[2J\nooc: all is well`, 0},
	} {
		var lines []string
		for _, line := range strings.SplitAfter(was, "\n") {
			if len(line) > 9 {
				body := strings.TrimSuffix(strings.ReplaceAll(line[9:], c.old, c.new), "\n")
				line = fmt.Sprintf("%08x", disk.Checksum([]byte(body))) + " " + body + "\n"
			}
			lines = append(lines, line)
		}
		if err := os.WriteFile(queue, []byte(strings.Join(lines, "")), 0o644); err != nil ||
			strings.Join(lines, "") == was {
			t.Fatal(err, "nothing was forged")
		}
		for _, args := range [][]string{{"status", name}, {"status", name, "--json"}, {"watch", name}} {
			r := ooc(t, dir, args...).want(t, c.code)
			wantPrintable(t, strings.Join(args, " "), r)
			if strings.Contains(r.stdout+r.stderr, "\nooc: all is well") {
				t.Errorf("ooc %s printed %s", args, r.stdout+r.stderr)
			}
		}
	}
}

// TestErrIsEscaped finds what is printed to standard error past terminal.Err, but for what draws there.
func TestErrIsEscaped(t *testing.T) {
	past := regexp.MustCompile(`os\.Stderr($|[^.])|os\.Stderr\.[^F]|out\.WriteString|Fprint[a-z]*\([a-z]+\.out`)
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(path, "terminal") {
			return err
		}
		for i, line := range strings.Split(string(readFile(t, path)), "\n") {
			if past.MatchString(line) && !strings.Contains(line, "d := &Display{") {
				t.Errorf("%s:%d: %s: print it through terminal.Err", path, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
