package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ooc/kernels/cpu"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// objects is docs/json.md: by title, the fields of an object and what they are.
type objects struct {
	fields map[string]map[string]string
	of     map[string][]string // by command, the titles of what it prints
	seen   map[string]bool     // title and field
}

var (
	titleLine   = regexp.MustCompile(`^### (.+)$`)
	fieldLine   = regexp.MustCompile("^\\| `([^`]+)` \\| ([^|]+) \\|")
	commandLine = regexp.MustCompile("^\\| `(ooc [^`]+)`[^|]* \\| (.+) \\|$")
	link        = regexp.MustCompile(`\[([^\]]+)\]\(#`)
)

func readObjects(t *testing.T) *objects {
	t.Helper()
	o := &objects{map[string]map[string]string{}, map[string][]string{}, map[string]bool{}}
	title := ""
	for line := range strings.SplitSeq(string(readFile(t, "../../docs/json.md")), "\n") {
		if m := titleLine.FindStringSubmatch(line); m != nil {
			title = m[1]
			o.fields[title] = map[string]string{}
		} else if m := commandLine.FindStringSubmatch(line); m != nil && title == "" {
			for _, l := range link.FindAllStringSubmatch(m[2], -1) {
				o.of[m[1]] = append(o.of[m[1]], l[1])
			}
		} else if m := fieldLine.FindStringSubmatch(line); m != nil {
			o.fields[title][m[1]] = m[2]
		}
	}
	maps.Copy(o.fields["store status"], o.fields["status"]) // as it says
	delete(o.fields["store status"], "job")
	for _, titles := range o.of {
		for _, title := range titles {
			if o.fields[title] == nil {
				t.Errorf("docs/json.md has no table of %q", title)
			}
		}
	}
	return o
}

// titleOf finds the object of a type that a command line prints.
func (o *objects) titleOf(line, kind string) string {
	if kind == "error" {
		return kind
	}
	best := ""
	for command := range o.of {
		words := strings.Fields(command)[1:]
		words = slices.DeleteFunc(words, func(w string) bool { return strings.ToUpper(w) == w })
		for _, title := range o.of[command] {
			if title[strings.LastIndex(title, " ")+1:] == kind && containsAll(strings.Fields(line), words) &&
				(best == "" || len(command) > len(best)) {
				best = command
			}
		}
	}
	for _, title := range o.of[best] {
		if title[strings.LastIndex(title, " ")+1:] == kind {
			return title
		}
	}
	return ""
}

func containsAll(all, some []string) bool {
	for _, s := range some {
		if !slices.Contains(all, s) {
			return false
		}
	}
	return true
}

// check compares an object with its table.
func (o *objects) check(title string, object map[string]any) (wrong []string) {
	for name, v := range object {
		if name == "type" {
			continue
		}
		field := name
		is, ok := o.fields[title][name]
		for _, pattern := range slices.Sorted(maps.Keys(o.fields[title])) {
			if match, _ := filepath.Match(pattern, name); !ok && match && len(pattern) > 1 {
				field, is = pattern, o.fields[title][pattern]
			}
		}
		if o.seen[title+" "+field] = true; is == "" {
			wrong = append(wrong, fmt.Sprintf("%s: docs/json.md does not name %q", title, name))
			continue
		}
		for _, w := range o.checkValue(is, v) {
			wrong = append(wrong, fmt.Sprintf("%s: %s: %s", title, name, w))
		}
	}
	return wrong
}

// checkValue compares a value with what its field is said to be.
func (o *objects) checkValue(is string, v any) []string {
	what, nullable := strings.CutSuffix(is, ", or null")
	if v == nil && nullable {
		return nil
	}
	bad := []string{fmt.Sprintf("%v is not %s", v, is)}
	if items, ok := strings.CutPrefix(what, "list of "); ok {
		list, ok := v.([]any)
		if !ok {
			return bad
		}
		kind, nulls := strings.CutSuffix(items, " or null")
		for _, x := range list {
			if x == nil && nulls {
				continue
			}
			if wrong := o.checkValue(strings.TrimSuffix(kind, "s"), x); wrong != nil {
				return wrong
			}
		}
		return nil
	}
	if m := link.FindStringSubmatch(what); m != nil {
		object, ok := v.(map[string]any)
		if !ok {
			return bad
		}
		return o.check(m[1], object)
	}
	ok := false
	switch x := v.(type) {
	case string:
		ok = what == "text"
	case bool:
		ok = what == "boolean"
	case float64:
		ok = what == "number" || what == "integer" && x == math.Trunc(x)
	case map[string]any:
		ok = what == "map of numbers"
	}
	if !ok {
		return bad
	}
	return nil
}

// linesWithJSON are command lines of every command that has --json, and the exit codes of those that fail.
func linesWithJSON(t *testing.T) (dir string, lines []string, fail map[string]int) {
	dir = t.TempDir()
	ooc(t, dir, "gen", "road", "g.gr", "-n", "300", "--undirected").want(t, 0)
	ooc(t, dir, "solve", "g.gr", "--device", "cpu").want(t, 0)
	writeFile(t, dir, "v.txt", "1 5\n2 7\n")
	writeFile(t, dir, "a.gr", "p sp 2 1\na 1 2 5\n")
	writeFile(t, dir, "b.gr", "p sp 2 1\na 1 2 7\n")
	writeFile(t, dir, "c.csv", "from,to,km\nparis,lyon,465.1\n")
	writeFile(t, dir, "negative.csv", "a,b,4\nb,c,-3\nc,a,-2\n")
	writeFile(t, dir, "matrix.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n1.5\n2.5\n0\n")
	ooc(t, dir, "solve", "matrix.mtx", "--device", "cpu").want(t, 0)
	ooc(t, dir, "solve", "a.gr", "b.gr", "--device", "cpu").want(t, 0)
	for i := 1; i <= 2; i++ {
		ooc(t, dir, "solve", "g.gr", "--device", "cpu", "--sources", fmt.Sprintf("part:%d/2", i), "--out",
			fmt.Sprintf("m%d.ooc", i)).want(t, 0)
	}
	queue, err := filepath.Glob(filepath.Join(dir, "*.batch"))
	if err != nil || len(queue) != 1 {
		t.Fatal(queue, err)
	}
	fastest := cpu.PathNames()[slices.IndexFunc(cpu.PathNames(),
		func(name string) bool { return cpu.Lacking(name) == "" })]
	lines = []string{
		"solve g.gr", "solve g.gr --out two.ooc --algorithm blocked --device cpu,cpu --tile 64",
		"solve g.gr --out e.ooc --algorithm eliminate", "solve g.gr --out k.ooc --algorithm blocked",
		"solve a.gr negative.csv", "solve c.csv", "solve b.gr a.gr --restart",
		"solve a.gr b.gr negative.csv --dry-run", "solve negative.csv", "status g.ooc",
		"status " + filepath.Base(queue[0]), "query g.ooc 1 2", "query g.ooc --row 1", "query g.gr 1 2 --count",
		"query a.ooc --col 1", "query a.ooc --rows 1,2 --cols 1,2", "query g.ooc 1 --k-nearest 3", "path g.ooc 1 2",
		"path a.ooc 2 1", "export g.ooc d.npy", "export g.ooc p.npy --predecessors --rows 1,2",
		"verify g.ooc", "verify g.ooc --rows 0", "verify matrix.ooc", "verify g.ooc --full", "scrub g.ooc",
		"stats g.ooc", "stats g.gr --sources 1,2", "stats g.gr --values v.txt --within 9",
		"stats g.gr --values v.txt --decay exp:1",
		"stats a.ooc --k-nearest 1 --bins 5 --within 100", "stats g.gr --betweenness both",
		"merge m.ooc m1.ooc m2.ooc", "near g.gr n.npz --k-nearest 3", "near a.gr n.csv --within 9",
		"near a.gr t.csv --within 9 --targets 1",
		"sssp g.gr --source 1", "sssp a.gr --source 2 --method product", "mst g.gr --undirected", "plan g.gr",
		"plan g.gr --for stats", "plan matrix.mtx", "plan --vertices 5000 --device h200 --nodes 4 --node-link 1GB/s",
		"devices",
		"bench kernels --rounds 1 --tile 512 --threads 1 --predecessors --paths " + fastest, "solve g.gr --tile 65600",
		"status nothing.ooc", "mst a.gr", "bench cuda --rounds 1", "bench opencl", "version",
	}
	return dir, lines, map[string]int{"solve a.gr negative.csv": class.SomeFailed,
		"solve a.gr b.gr negative.csv --dry-run": class.SomeFailed, "solve negative.csv": class.NegativeCycle,
		"solve g.gr --tile 65600": class.Usage, "status nothing.ooc": class.Input, "mst a.gr": class.Input}
}

// TestEveryJSON runs every command with --json. Each line must be an object that docs/json.md describes, field by
// field, and each field that it describes must have been printed.
func TestEveryJSON(t *testing.T) {
	crashtest.Slow(t)
	docs := readObjects(t)
	gpu, device := hasGPU(t), openCL(t)
	dir, lines, fail := linesWithJSON(t)
	for _, line := range lines {
		r := ooc(t, dir, append(strings.Fields(line), "--json")...)
		if line == "bench opencl" && device == "" {
			delete(docs.fields, "opencl")
			fail[line] = class.Failed
		}
		if !gpu && strings.HasPrefix(line, "bench cuda") {
			delete(docs.fields, "cuda")
			fail[line] = class.Failed
		}
		r.want(t, fail[line])
		printed := strings.Split(strings.TrimSpace(r.stdout), "\n")
		for _, text := range printed {
			var object map[string]any
			if err := json.Unmarshal([]byte(text), &object); err != nil {
				t.Fatalf("ooc %s --json printed %q: %v", line, text, err)
			}
			kind, _ := object["type"].(string)
			title := docs.titleOf(line, kind)
			if docs.fields[title] == nil {
				t.Fatalf("ooc %s --json printed a %q, which docs/json.md does not have", line, kind)
			}
			for _, wrong := range docs.check(title, object) {
				t.Errorf("ooc %s --json: %s", line, wrong)
			}
		}
		if fail[line] > 0 && !strings.Contains(printed[len(printed)-1], `"type":"error"`) {
			t.Errorf("ooc %s --json failed without an error: %s", line, printed[len(printed)-1])
		}
	}
	for title, fields := range docs.fields {
		for name := range fields {
			if !docs.seen[title+" "+name] {
				t.Errorf("docs/json.md: %s has %q, which no run printed", title, name)
			}
		}
	}
	everyJSON(t, lines)
}

// everyJSON demands that every command that has --json is among the lines.
func everyJSON(t *testing.T, lines []string) {
	t.Helper()
	var commands func(*cobra.Command)
	commands = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "ooc ")
		if cmd.Flags().Lookup("json") != nil &&
			!slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, name) }) {
			t.Errorf("no line for ooc %s --json", name)
		}
		for _, sub := range cmd.Commands() {
			commands(sub)
		}
	}
	commands(newRoot())
}
