package ooc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is the hand-written Go of a package, without tests.
type source struct {
	code    int // lines that are neither empty nor a comment
	imports map[string]bool
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

// noCode is a line that is empty or a comment.
var noCode = regexp.MustCompile(`^\s*(//.*)?$`)

// add counts a file.
func (s *source) add(f *ast.File, text []byte) {
	for line := range strings.Lines(string(text)) {
		if !noCode.MatchString(strings.TrimSuffix(line, "\n")) {
			s.code++
		}
	}
	for _, i := range f.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil && strings.HasPrefix(path, "ooc/") {
			s.imports[strings.TrimPrefix(path, "ooc/")] = true
		}
	}
}

// mostCode is how many lines of hand-written code there may be, without tests, comments and empty lines. It only
// falls: what raises it says by how much and why.
const (
	mostCode = 71_541
	slack    = 200 // how far below it may be
)

// TestDesignSize holds the sum of hand-written code to mostCode.
func TestDesignSize(t *testing.T) {
	sum := 0
	for _, s := range sources(t) {
		sum += s.code
	}
	if sum > mostCode {
		t.Errorf("%d lines of code, more than %d: delete what was replaced", sum, mostCode)
	}
	if sum < mostCode-slack {
		t.Errorf("%d lines of code, where %d are allowed: lower mostCode to that", sum, mostCode)
	}
}

// TestDesignLayout wants each package in the section of docs/design.md about them, and each of its tables' names to
// be one.
func TestDesignLayout(t *testing.T) {
	_, section, _ := strings.Cut(design(t), "## 2. Layout")
	section, _, _ = strings.Cut(section, "Imports never point up")
	all := sources(t)
	for p := range all {
		if p != "." && !strings.Contains(p, "internal/") && !strings.Contains(section, "`"+p+"`") {
			t.Errorf("docs/design.md does not say what %s is for", p)
		}
	}
	rows := regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(section, -1)
	if len(rows) == 0 {
		t.Error("docs/design.md has no table of packages")
	}
	for _, row := range rows {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			if all[name[1]] == nil && name[1] != "cmd/ooc/python" {
				t.Errorf("docs/design.md has a line for %s, which is no package", name[1])
			}
		}
	}
}

// TestDesignImports holds the list of imports in docs/design.md to the code.
func TestDesignImports(t *testing.T) {
	said := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^    (\S+) +→ (.*)$`).FindAllStringSubmatch(design(t), -1) {
		said[m[1]] = strings.Split(m[2], ", ")
	}
	const leftOut = "kernels/entry tiles/class engine/text tiles/crashtest kernels/conformance"
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
