package ooc

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ooc/tiles/crashtest"
)

// pages are those of docs that show how to extend ooc: a block of code for each file, and one that shows how a table
// ends once it has its new line, in the place of what is there.
var pages = []struct {
	page  string
	files []string // of the blocks that begin with package, in order
	table string
	was   string // the text that the other block takes the place of
	test  string
}{
	{"add-a-reader.md", []string{"engine/graph/read/pajek.go", "engine/graph/read/pajek_test.go"},
		"engine/graph/read/read.go",
		"var Formats = []inputFormat{dimacs, matrixMarket, npy, sciPy, metis, tntp, textMatrix, edgeList}\n", "TestPajek"},
	{"add-a-statistic.md", []string{"engine/stats/typical.go", "engine/stats/typical_test.go"}, "engine/stats/table.go",
		"\tnearest,\n}\n", "TestTypical"},
	{"add-an-exporter.md", []string{"engine/export/txt.go", "engine/export/txt_test.go"}, "engine/export/export.go",
		"\tmtxFormat,\n}\n", "TestTXT"},
	{"add-an-algorithm.md", []string{"engine/rounds/plain.go"}, "engine/algorithms.go",
		"\trounds.SingleStage,\n})\n", ""},
	{"add-a-row-engine.md", []string{"engine/rows/dijkstra.go"}, "engine/algorithms.go",
		"\tsearches.CoreEngine{},\n}\n", ""},
}

// TestCampaignPages builds ooc with all that those pages show, and runs their tests and commands.
func TestCampaignPages(t *testing.T) {
	crashtest.Campaign(t)
	dir := t.TempDir()
	overlay := filepath.Join(dir, "overlay.json")
	replaced, tables := map[string]string{}, map[string]string{}
	replace := func(file, text string) {
		at, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replaced[at] = filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		write(t, replaced[at], text)
	}
	run := func(where string, words ...string) string {
		t.Helper()
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = where
		cmd.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, out)
		}
		return string(out)
	}
	var commands []string
	for _, p := range pages {
		text := read(t, filepath.Join("docs", p.page))
		files := p.files
		for _, block := range regexp.MustCompile("(?ms)^```(go|sh)\n(.*?)^```").FindAllStringSubmatch(text, -1) {
			switch code := block[2]; {
			case block[1] == "sh":
				commands = append(commands, code)
			case strings.HasPrefix(code, "package "):
				if len(files) == 0 || !strings.Contains(text, filepath.Base(files[0])) {
					t.Fatalf("%s: where does this go?\n%s", p.page, code)
				}
				replace(files[0], code)
				files = files[1:]
			default:
				table := tables[p.table] // two pages may each add a line
				if table == "" {
					table = read(t, p.table)
				}
				if strings.Count(table, p.was) != 1 {
					t.Fatalf("%s: %s has no %q once", p.page, p.table, p.was)
				}
				tables[p.table] = strings.Replace(table, p.was, code, 1)
				replace(p.table, tables[p.table])
			}
		}
		if len(files) > 0 {
			t.Fatalf("%s does not show %v", p.page, files)
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	write(t, overlay, string(list))
	for _, p := range pages {
		if p.test == "" {
			continue
		}
		if out := run(".", "go", "test", "-v", "-overlay", overlay, "-run", "^"+p.test+"$",
			"./"+filepath.Dir(p.table)); !strings.Contains(out, "--- PASS: "+p.test) {
			t.Errorf("%s: %s did not run:\n%s", p.page, p.test, out)
		}
	}
	run(".", "go", "build", "-overlay", overlay, "-o", filepath.Join(dir, "ooc"), "./cmd/ooc")
	if len(commands) == 0 {
		t.Fatal("no commands")
	}
	for _, c := range commands {
		run(dir, "sh", "-ec", c)
	}
}

// headings are what links into a page may end with: its headings as GitHub writes them.
func headings(t *testing.T, page string) map[string]bool {
	t.Helper()
	text := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(read(t, page), "")
	all := map[string]bool{}
	for _, h := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(h[1]), "")
		all[strings.ReplaceAll(name, " ", "-")] = true
	}
	return all
}

// TestPagesName wants every test, every file and every heading that a page names to be there.
func TestPagesName(t *testing.T) {
	tests := map[string]bool{"TestCampaign": true} // as tests of the campaign begin
	err := filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, "_test.go") {
			for _, name := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)`).FindAllStringSubmatch(read(t, file),
				-1) {
				tests[name[1]] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob("docs/*.md")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	named, linked := 0, 0
	for _, page := range append(all, "README.md") {
		text := read(t, page)
		for _, name := range regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w+)").FindAllStringSubmatch(text, -1) {
			if named++; !tests[name[1]] {
				t.Errorf("%s names %s, which is no test", page, name[1])
			}
		}
		for _, link := range regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`).FindAllStringSubmatch(text, -1) {
			linked++
			to := page // where a link has only a heading
			if link[1] != "" {
				to = filepath.Join(filepath.Dir(page), link[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if link[2] != "" && !headings(t, to)[link[2]] {
				t.Errorf("%s: %s has no heading %q", page, to, link[2])
			}
		}
	}
	if named == 0 || linked == 0 {
		t.Errorf("%d tests and %d files are named", named, linked)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
