package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// everyCommand returns command lines of every command, in a folder with what they need. Each prints something to
// standard output. A new command has to be added.
func everyCommand(t *testing.T) (dir string, lines []string) {
	t.Helper()
	dir = t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "100", "-m", "400", "--undirected").want(t, 0)
	ooc(t, dir, "solve", "g.gr", "--device", "cpu").want(t, 0)
	writeFile(t, dir, "pairs", "1 2\n2 3\n")
	writeFile(t, dir, "a.gr", "p sp 2 1\na 1 2 5\n")
	writeFile(t, dir, "b.gr", "p sp 2 1\na 1 2 7\n")
	ooc(t, dir, "solve", "a.gr", "b.gr", "--device", "cpu").want(t, 0)
	queue, err := filepath.Glob(filepath.Join(dir, "*.batch"))
	if err != nil || len(queue) != 1 {
		t.Fatal(queue, err)
	}
	queue[0] = filepath.Base(queue[0])
	for i := 1; i <= 2; i++ {
		ooc(t, dir, "solve", "g.gr", "--device", "cpu", "--sources", fmt.Sprintf("part:%d/2", i), "--out",
			fmt.Sprintf("m%d.ooc", i)).want(t, 0)
	}
	lines = []string{
		"solve g.gr", "solve g.gr --json", "solve g.gr --dry-run", "solve g.gr --dry-run --json",
		"solve g.gr --out new.ooc", "solve g.gr --out other.ooc --json",
		"solve a.gr b.gr", "solve a.gr b.gr --json", "solve a.gr b.gr --dry-run", "solve a.gr b.gr --dry-run --json",
		"status g.ooc", "status g.ooc --json", "status " + queue[0], "status " + queue[0] + " --json", "watch g.ooc",
		"watch " + queue[0],
		"query g.ooc 1 2", "query g.ooc --row 1", "query g.ooc --row 1 --json", "query g.ooc --col 1",
		"query g.ooc --pairs pairs", "query g.ooc 1 --k-nearest 3",
		"path g.ooc 1 2", "path g.ooc 1 2 --json", "path g.ooc --pairs pairs",
		"export g.ooc -", "export g.ooc d.npy --json --overwrite", "export g.ooc - --format mtx",
		"export g.ooc - --predecessors",
		"merge m.ooc m1.ooc m2.ooc", "merge m.ooc m1.ooc m2.ooc --json", "verify g.ooc", "verify g.ooc --json",
		"verify g.ooc --full", "verify g.ooc --full --json", "scrub g.ooc", "scrub g.ooc --json",
		"stats g.ooc", "stats g.ooc --json", "stats g.ooc --csv", "stats g.gr", "stats g.gr --json",
		"near g.gr n.csv --within 100 --json --overwrite", "near g.gr n.csv --within 9 --targets 1,2 --json --overwrite",
		"sssp g.gr --source 1", "sssp g.gr --source 1 --json",
		"mst g.gr --undirected", "mst g.gr --undirected --json", "plan g.gr", "plan g.gr --json",
		"gen --help", "devices", "devices --json", "bench", "bench tables --quick --budget 1ns", "help", "help solve",
		"help formats", "man", "man solve", "completion bash", "--version", "version", "version --json", "solve --help",
	}
	for _, c := range newRoot().Commands() {
		if c.IsAdditionalHelpTopicCommand() {
			continue
		}
		found := false
		for _, line := range lines {
			name, _, _ := strings.Cut(line, " ")
			found = found || name == c.Name()
		}
		if !found {
			t.Errorf("no line for ooc %s", c.Name())
		}
	}
	return dir, lines
}

// TestFewFiles leaves every command too few files to open, and demands an error, no trace and nothing that is in the
// way of the same command.
func TestFewFiles(t *testing.T) {
	crashtest.Slow(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	r := seeded(t)
	dir, lines := everyCommand(t)
	for _, line := range lines {
		failed := false
		few := crashtest.Some(r, 1, []int{5, 6}) // with 6, the runtime found itself without
		for _, files := range append(few, crashtest.Some(r, 1, []int{7, 10})...) {
			cmd := command(t, dir, strings.Fields(line)...)
			cmd.Args = append([]string{"sh", "-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(files)}, cmd.Args...)
			cmd.Path = sh
			r := finish(t, cmd)
			if r.code != 0 {
				failed = true
				if r.code != class.Failed && r.code != class.SomeFailed ||
					!strings.Contains(r.stdout+r.stderr, "too many open files") {
					t.Errorf("ooc %s, %d files: exit code %d\n%s", line, files, r.code, r.stderr)
				}
			}
		}
		if !failed {
			t.Errorf("ooc %s never failed", line)
		}
		if strings.HasPrefix(line, "solve") {
			ooc(t, dir, strings.Fields(line)...).want(t, 0)
		}
	}
}

// TestFullOutput gives every command a standard output that takes nothing: exit code 5 and a sentence.
func TestFullOutput(t *testing.T) {
	crashtest.Slow(t)
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	dir, lines := everyCommand(t)
	for _, line := range lines {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd := command(t, dir, strings.Fields(line)...)
		var stderr strings.Builder
		cmd.Stdout, cmd.Stderr = full, &stderr
		_ = cmd.Run()
		full.Close()
		code, said := cmd.ProcessState.ExitCode(), stderr.String()
		if code != class.NoSpace ||
			strings.Count(said, "standard output is not complete: write /dev/stdout: no space left on device") != 1 {
			t.Errorf("ooc %s: exit code %d\n%s", line, code, said)
		}
	}
	for _, store := range []string{"new.ooc", "other.ooc"} { // what was solved is solved
		ooc(t, dir, "query", store, "1", "2").want(t, 0)
	}
}

// TestAllOutputIsChecked finds what is printed to standard output past terminal.Out, whose failing nobody would see.
func TestAllOutputIsChecked(t *testing.T) {
	past := regexp.MustCompile(`os\.Stdout($|[^.])|os\.Stdout\.[^F]|fmt\.Print`)
	checked := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			path == filepath.Join("terminal", "out.go") {
			return err
		}
		checked++
		for i, line := range strings.Split(string(readFile(t, path)), "\n") {
			if past.MatchString(line) {
				t.Errorf("%s:%d: %s: print it through terminal.Out", path, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil || checked < 20 {
		t.Fatal(checked, err)
	}
}
