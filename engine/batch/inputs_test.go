package batch

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ooc/tiles/disk"
)

func TestReadLines(t *testing.T) {
	text := "\ufeff# a week's work\r\n\n  a.gr --kind f32   # with a comment\n'my graph.mtx' --out=\"x " +
		"y.ooc\"\n\t\nc\\ d.npy --no-arc -1\n"
	got, err := ReadLines(strings.NewReader(text), "week.jobs")
	want := []jobLine{{3, []string{"a.gr", "--kind", "f32"}}, {4, []string{"my graph.mtx", "--out=x y.ooc"}},
		{6, []string{"c d.npy", "--no-arc", "-1"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, %v", got, err)
	}
	for _, c := range []struct{ text, want string }{
		{"a.gr\nb.gr 'oops\n", "week.jobs:2: a quote"},
		{"a.gr\n\nb.gr \\", "week.jobs:3"},
		{"a.gr > log\n", `week.jobs:1: ">" is for a shell`},
		{"ä.gr; rm b.gr\n", `week.jobs:1: ";" is for a shell`},
		{"# nothing\n\n", "names no job"},
		{"a.gr\n" + strings.Repeat("x", 2<<20), "week.jobs:2: a line of over"},
		{"a\x00.gr\n", "zero byte"},
	} {
		if _, err := ReadLines(strings.NewReader(c.text), "week.jobs"); !errors.Is(err, errJobs) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%.30q: %v, want %q", c.text, err, c.want)
		}
	}
}

func FuzzReadLines(f *testing.F) {
	for _, text := range []string{"a.gr --kind f32 # c\n", "'a b' \"c\\\"d\" e\\ f\n\n", "$(x) `y` ${z}\n",
		"a;b|c>&d<e\n", "\ufeff\r\n\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := ReadLines(strings.NewReader(text), "x")
		if err != nil {
			return
		}
		last := 0
		for _, l := range lines {
			if l.Number <= last || len(l.Words) == 0 {
				t.Fatalf("%+v", lines)
			}
			last = l.Number
			for _, w := range l.Words { // what was read is what a shell would read of the same words, quoted
				again, err := split("'" + strings.ReplaceAll(w, "'", `'\''`) + "'")
				if err != nil || !slices.Equal(again, []string{w}) {
					t.Fatalf("%q reads back as %q, %v", w, again, err)
				}
			}
		}
	})
}

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.gr", "a.mtx.gz", "c.CSV.zst", "notes.md", "d.npy", "odd[1].gr"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "deeper.gr"), 0o777); err != nil {
		t.Fatal(err)
	}
	in := func(names ...string) (paths []string) {
		for _, n := range names {
			paths = append(paths, filepath.Join(dir, n))
		}
		return paths
	}
	for _, c := range []struct {
		arg           string
		want, skipped []string
	}{
		{dir, in("a.mtx.gz", "b.gr", "c.CSV.zst", "d.npy", "odd[1].gr"), in("notes.md")},
		{filepath.Join(dir, "*.gr"), in("b.gr", "deeper.gr", "odd[1].gr"), nil},
		{filepath.Join(dir, "odd[1].gr"), in("odd[1].gr"), nil},
		{"no such file.gr", []string{"no such file.gr"}, nil},
	} {
		got, skipped, err := Expand(c.arg)
		if err != nil || !slices.Equal(got, c.want) || !slices.Equal(skipped, c.skipped) {
			t.Errorf("%s: %q, skipped %q, %v", c.arg, got, skipped, err)
		}
	}
	half := filepath.Join(dir, "half.ooc") // whose dist.npy is no graph
	if err := os.Mkdir(half, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"lock": "ooc lock\n", "dist.npy": ""} {
		if err := os.WriteFile(filepath.Join(half, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l := queueOf(t, dir, 1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{half, l.Dir, filepath.Join(dir, "*.graph"), filepath.Join(dir, "deeper.gr"), "[x"} {
		if got, _, err := Expand(bad); !errors.Is(err, errJobs) {
			t.Errorf("%s: %q, %v", bad, got, err)
		}
	}
}

func TestDistinct(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	jobs := func(stores ...string) (list []Job) {
		for i, s := range stores {
			list = append(list, Job{Input: string(rune('a'+i)) + ".gr", Store: s})
		}
		return list
	}
	from := []string{"here", "there"}
	if err := Distinct(jobs(filepath.Join(dir, "a.ooc"), filepath.Join(dir, "b.ooc")), from); err != nil {
		t.Error(err)
	}
	for _, list := range [][]Job{
		jobs("a.ooc", "./a.ooc"),
		jobs(filepath.Join(dir, "a.ooc"), filepath.Join(link, "a.ooc")),
	} {
		err := Distinct(list, from)
		if !errors.Is(err, errJobs) || !strings.Contains(err.Error(), "a.gr (here) and b.gr (there)") ||
			!strings.Contains(err.Error(), "--out") {
			t.Errorf("%v", err)
		}
	}
}

func TestRoom(t *testing.T) {
	dir := t.TempDir()
	_, free, err := disk.Volume(dir)
	if err != nil {
		t.Skip(err)
	}
	jobs := someJobs(dir, 4)
	jobs[3].State = Solved
	needs := []Need{{Vertices: 7, Bytes: free/2 + 1<<30}, {Bytes: free/2 + 1<<30}, {Bytes: free * 9, Has: free * 9}, {}}
	err = Room(jobs, needs)
	if !errors.Is(err, disk.ErrNoSpace) || !strings.Contains(err.Error(), "g0.ooc (7 vertices)") ||
		!strings.Contains(err.Error(), "g1.ooc") || strings.Contains(err.Error(), "g2.ooc") {
		t.Errorf("%v", err)
	}
	needs[1] = Need{Bytes: 1, Beside: free}
	if err := Room(jobs, needs); !errors.Is(err, disk.ErrNoSpace) || !strings.Contains(err.Error(), "beside it") {
		t.Errorf("with something beside: %v", err)
	}
	needs[0].Beside = free
	Share(jobs, needs)
	// Half of it is 1 GiB more than the stores leave: other programs may remove files meanwhile.
	if left := free / 2; needs[0].Beside <= 0 || needs[0].Beside > left || needs[1].Beside <= 0 ||
		needs[1].Beside > left {
		t.Errorf("shares of %d and %d, where %d are left", needs[0].Beside, needs[1].Beside, left)
	}
	needs[0].Beside, needs[1].Beside = 0, 0
	if free > 4<<30 {
		if err := Room(jobs, needs); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// TestName gives the same jobs the same queue, and others another.
func TestName(t *testing.T) {
	name := func(jobs []Job) string { return Name("x", jobs) }
	a := []Job{{Input: "a.gr", Store: "a.ooc"}, {Input: "b.gr", Store: "b.ooc"}}
	abs, err := filepath.Abs("a.gr")
	if err != nil {
		t.Fatal(err)
	}
	same := []Job{{Input: abs, Store: "./a.ooc", Flags: []string{"--kind=f32"}}, a[1]}
	if name(a) != name(same) {
		t.Errorf("%s, %s", name(a), name(same))
	}
	for _, other := range [][]Job{{a[1], a[0]}, a[:1], {a[0], {Input: "b.gr", Store: "c.ooc"}}} {
		if name(a) == name(other) {
			t.Errorf("%v has the name of %v", other, a)
		}
	}
}
