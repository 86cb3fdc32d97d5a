package ooc

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"
)

// source is the hand-written Go of a package, without tests.
type source struct {
	lines, files, names int // names: exported at top level, each file's
	imports             map[string]bool
}

// sources reads all packages of the module, by their folders.
func sources(t *testing.T) map[string]*source {
	t.Helper()
	all := map[string]*source{}
	err := filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && file != "." && (e.Name() == "testdata" || e.Name()[0] == '.'):
			return fs.SkipDir
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments)
		if err != nil || ast.IsGenerated(f) {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(file))
		if all[dir] == nil {
			all[dir] = &source{imports: map[string]bool{}}
		}
		all[dir].add(f, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// add counts a file.
func (s *source) add(f *ast.File, text []byte) {
	s.lines += bytes.Count(text, []byte("\n"))
	s.files++
	name := func(id *ast.Ident) {
		if id.IsExported() {
			s.names++
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				name(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					name(spec.Name)
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						name(id)
					}
				}
			}
		}
	}
	for _, i := range f.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil && strings.HasPrefix(path, "ooc/") {
			s.imports[strings.TrimPrefix(path, "ooc/")] = true
		}
	}
}

// TestDesignSizes holds the table of packages in docs/design.md to the code, to a tenth of the lines, and each package to
// about 4,000 lines.
func TestDesignSizes(t *testing.T) {
	const most, slack = 4400, 50
	doc := design(t)
	all, sum := sources(t), &source{}
	for _, s := range all {
		sum.lines, sum.files, sum.names = sum.lines+s.lines, sum.files+s.files, sum.names+s.names
	}
	delete(all, ".")
	all["all, with the root"] = sum
	row := regexp.MustCompile("(?m)^\\| (?:`([^`|]+)`|(all, with the root)) \\|(?: [0-9,]* ?\\|){3} ([0-9,]+) \\| \\d+ \\| \\d+ \\|$")
	said := map[string]int{}
	for _, m := range row.FindAllStringSubmatch(doc, -1) {
		n, err := strconv.Atoi(strings.ReplaceAll(m[3], ",", ""))
		if err != nil {
			t.Error(err)
		}
		said[m[1]+m[2]] = n
	}
	for _, p := range slices.Sorted(maps.Keys(all)) {
		s := all[p]
		if n := said[p]; max(n-s.lines, s.lines-n) > s.lines/10+slack || n == 0 {
			t.Errorf("docs/design.md says that %s has %d lines; its row ends with | %s | %d | %d |", p, n, humanize.Comma(int64(s.lines)), s.files, s.names)
		}
		if s.lines > most && s != sum {
			t.Errorf("%s has %d lines, more than a package of one purpose should: divide it", p, s.lines)
		}
	}
	for p := range said {
		if all[p] == nil {
			t.Errorf("docs/design.md has a row for %s, which is no package", p)
		}
	}
}

// TestDesignImports holds the list of imports in docs/design.md to the code.
func TestDesignImports(t *testing.T) {
	said := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^    (\S+) +→ (.*)$`).FindAllStringSubmatch(design(t), -1) {
		said[m[1]] = strings.Split(m[2], ", ")
	}
	const leftOut = "kernels/entry engine/text tiles/crashtest kernels/conformance"
	listed := func(p string) bool {
		return !strings.Contains(p, "internal/") && !slices.Contains(strings.Fields(leftOut), p)
	}
	for p, s := range sources(t) {
		var names []string
		for i := range s.imports {
			if listed(i) {
				names = append(names, strings.TrimPrefix(i, "engine/"))
			}
		}
		if len(names) == 0 || !listed(p) || p == "cmd/ooc" {
			continue
		}
		p = strings.TrimPrefix(p, "engine/")
		was := slices.Sorted(slices.Values(said[p]))
		if slices.Sort(names); !slices.Equal(was, names) {
			t.Errorf("docs/design.md lists other imports of %s than these: %s", p, strings.Join(names, ", "))
		}
		delete(said, p)
	}
	delete(said, "cmd/ooc")
	for p := range said {
		t.Errorf("docs/design.md lists imports of %s, which has none or is left out", p)
	}
}

// design returns the page that describes the packages.
func design(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", "design.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
