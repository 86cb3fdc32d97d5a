package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// writers are the commands that write a file, without its name, and the extension that it has to have. gen reads
// nothing.
var writers = []struct{ line, ext string }{
	{"solve g.gr --restart --timeline", ".json"},
	{"solve g.gr --out n.ooc --timeline", ".json"},
	{"solve g.gr --out n.ooc --dry-run --timeline", ".json"},
	{"export g.ooc", ".csv"},
	{"export g.ooc", ".npy"},
	{"export g.ooc --predecessors", ".npy"},
	{"stats g.ooc --plot", ".svg"},
	{"sssp g.gr --source 1 --out", ".npy"},
	{"sssp g.ooc --source 1 --out", ".txt"},
	{"near g.gr --within 9", ".npz"},
	{"near g.ooc --k-nearest 2", ".mtx"},
	{"gen random -n 5", ".gr"},
}

// outputs is a folder with a graph, its store, a batch and a store whose import died.
func outputs(t *testing.T) (dir, batch string) {
	dir = t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "50", "-m", "200").want(t, 0)
	ooc(t, dir, "solve", "g.gr", "--device", "cpu").want(t, 0)
	writeFile(t, dir, "a.gr", "p sp 2 1\na 1 2 5\n")
	writeFile(t, dir, "b.gr", "p sp 2 1\na 1 2 7\n")
	ooc(t, dir, "solve", "a.gr", "b.gr", "--device", "cpu").want(t, 0)
	for _, folder := range []string{"half.ooc", "g.ooc/core"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, dir, folder+"/lock", "ooc lock\n")
	}
	queue, err := filepath.Glob(filepath.Join(dir, "*.batch"))
	if err != nil || len(queue) != 1 {
		t.Fatal(queue, err)
	}
	return dir, filepath.Base(queue[0])
}

// refused demands that a command changes nothing, with --overwrite too.
func refused(t *testing.T, dir string, line string, texts ...string) {
	t.Helper()
	before := tree(t, dir)
	for _, flags := range []string{"", " --overwrite"} {
		r := ooc(t, dir, strings.Fields(line+flags)...)
		if after := tree(t, dir); !maps.Equal(before, after) {
			t.Fatalf("ooc %s%s changed files, exit code %d\n%s", line, flags, r.code, r.stderr)
		}
		r.want(t, class.Usage, texts...)
	}
}

// TestOutputsDestroyNothing tells every command that writes a file to write it over its input, or into a store or a
// batch.
func TestOutputsDestroyNothing(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	dir, batch := outputs(t)
	link := func(make func(from, to string) error, from, to string) {
		if err := make(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Skip(err)
		}
	}
	for _, ext := range []string{".json", ".csv", ".npy", ".svg", ".txt", ".gr", ".npz", ".mtx"} {
		link(os.Link, "g.gr", "hard"+ext)
		link(os.Symlink, "g.gr", "soft"+ext)
		link(os.Symlink, "g.ooc/dist.npy", "store"+ext)
		if err := os.Mkdir(filepath.Join(dir, "folder"+ext), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	link(os.Symlink, "g.ooc", "way")
	for _, w := range writers {
		for _, name := range crashtest.Some(r, 4,
			[]string{"g.ooc/new", "way/new", "g.ooc/core/new", "half.ooc/new", batch + "/new", "store", "folder",
				"hard", "soft"}) {
			if strings.HasPrefix(w.line, "gen") && (name == "hard" || name == "soft") {
				continue
			}
			refused(t, dir, w.line+" "+name+w.ext, "write "+name+w.ext)
		}
	}
	for _, line := range []string{
		"solve g.gr --restart --timeline g.gr", "solve g.gr --out n.ooc --timeline g.gr",
		"solve g.gr --out n.ooc --timeline n.ooc",
		"solve g.gr --out n.ooc --timeline g.ooc/dist.npy", "solve g.ooc --restart --timeline g.gr",
		"export g.ooc g.ooc/dist.npy", "export g.ooc way/dist.npy",
	} {
		refused(t, dir, line, "write")
	}
	for _, out := range []string{"g.ooc/n.ooc", "g.ooc/core/n.ooc", batch + "/n.ooc"} {
		before := tree(t, dir)
		ooc(t, dir, "solve", "g.gr", "--out", out).want(t, class.Usage, "--out")
		if !maps.Equal(before, tree(t, dir)) {
			t.Errorf("solve --out %s changed files", out)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, batch, "moved.ooc"), os.DirFS(filepath.Join(dir, "g.ooc"))); err != nil {
		t.Fatal(err)
	}
	ooc(t, dir, "solve", "g.gr", "--out", batch+"/moved.ooc").want(t, 0, "already solved")
	writeFile(t, dir, "rows.csv", "1\n2\n")
	refused(t, dir, "export g.ooc rows.csv --rows @rows.csv", "rows.csv")
	refused(t, dir, "export g.ooc rows.csv --rows 3,@rows.csv", "rows.csv")
	for _, lines := range []string{
		"g.gr --out n.ooc --timeline g.gr", "a.gr --restart --timeline b.gr\nb.gr",
		"a.gr --restart --timeline jobs\nb.gr",
		"a.gr --restart --timeline b.ooc\nb.gr", "a.gr --restart --timeline t\nb.gr --restart --timeline ./t",
		"a.gr --restart --timeline g.ooc/dist.npy\nb.gr",
	} {
		writeFile(t, dir, "jobs", lines+"\n")
		refused(t, dir, "solve --jobs jobs --device cpu", "jobs:1")
	}
}

// TestOutputsAreReplaced wants of every command that what is there stays without --overwrite, before anything is done,
// and is replaced with it, in its mode.
func TestOutputsAreReplaced(t *testing.T) {
	crashtest.Slow(t)
	dir, _ := outputs(t)
	if err := os.RemoveAll(filepath.Join(dir, "g.ooc/core")); err != nil {
		t.Fatal(err)
	}
	for _, w := range writers {
		name := "out" + w.ext
		writeFile(t, dir, name, "old")
		if err := os.Chmod(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
		before := tree(t, dir)
		line := strings.Fields(w.line + " " + name)
		ooc(t, dir, line...).want(t, class.Failed, "write "+name+": file already exists; replace it with --overwrite")
		if !maps.Equal(before, tree(t, dir)) {
			t.Errorf("ooc %v changed files", line)
		}
		ooc(t, dir, append(line, "--overwrite")...).want(t, 0)
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("ooc %v: mode %v, %v", line, info.Mode(), err)
		}
		if replaced := string(readFile(t, dir, name)) != "old"; replaced == strings.Contains(w.line, "--dry-run") {
			t.Errorf("ooc %v: replaced %v", line, replaced)
		}
		os.RemoveAll(filepath.Join(dir, "n.ooc"))
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		ooc(t, dir, append(line, "--overwrite")...).want(t, 0) // which nothing has to be there for
		os.Remove(filepath.Join(dir, name))
		os.RemoveAll(filepath.Join(dir, "n.ooc"))
	}
}

// TestTimelineOfWhatIsSolved gives a solve with a timeline again: the store has none left to give, and nothing is in
// the way.
func TestTimelineOfWhatIsSolved(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "50", "-m", "200").want(t, 0)
	writeFile(t, dir, "jobs", "g.gr --out b.ooc --timeline b.json\ng.gr --out c.ooc\n")
	for _, line := range []string{"solve g.gr --timeline a.json", "solve --jobs jobs"} {
		ooc(t, dir, strings.Fields(line)...).want(t, 0)
		before := tree(t, dir)
		ooc(t, dir, strings.Fields(line)...).want(t, 0)
		for _, name := range []string{"a.json", "b.json"} {
			path := filepath.Join(dir, name)
			if was, is := before[path], tree(t, dir)[path]; was != is {
				t.Errorf("ooc %s wrote %s again", line, name)
			}
		}
	}
	if text := string(readFile(t, dir, "b.json")); !strings.HasPrefix(text, "[") ||
		!strings.HasSuffix(strings.TrimSpace(text), "]") {
		t.Errorf("a timeline of %d bytes", len(text))
	}
	os.RemoveAll(filepath.Join(dir, "c.ooc"))
	os.RemoveAll(filepath.Join(dir, "b.ooc"))
	ooc(t, dir, "solve", "--jobs", "jobs").want(t, class.Failed, "jobs:1: write b.json", "--overwrite")
	if tiles.IsStore(filepath.Join(dir, "c.ooc")) {
		t.Error("the batch began")
	}
	ooc(t, dir, "solve", "--jobs", "jobs", "--overwrite").want(t, 0) // the same batch
	if queues, _ := filepath.Glob(filepath.Join(dir, "*.batch")); len(queues) != 1 {
		t.Error(queues)
	}
}
