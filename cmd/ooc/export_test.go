package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ooc/tiles/crashtest"
)

// towns makes the solved store of the small graph.
func towns(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, dir, "towns.csv", small)
	ooc(t, dir, append([]string{"solve", "towns.csv"}, flags...)...).want(t, 0)
	return dir
}

func TestExportText(t *testing.T) {
	dir := towns(t)
	const whole = ",paris,lyon,nice,isle\nparis,0,4,7,inf\nlyon,3,0,3,inf\nnice,0,4,0,inf\nisle,1,5,8,0\n"
	writeFile(t, dir, "ids", "\ufeffnice\r\n\n# a comment\nparis\n")
	writeFile(t, dir, "@", "isle\n")
	for _, c := range []struct {
		args, stdin, out string
	}{
		{"-", "", whole},
		{"- --format csv --unreachable -1", "", strings.ReplaceAll(whole, "inf", "-1")},
		{"- --rows isle,lyon --cols paris..nice", "", ",paris,lyon,nice\nisle,1,5,8\nlyon,3,0,3\n"},
		{"- --rows @ids,paris --cols isle", "", ",isle\nnice,inf\nparis,inf\nparis,inf\n"},
		{"- --rows @- --cols @@", "lyon\nisle..isle\n", ",isle\nlyon,inf\nisle,0\n"},
		{"- --format mtx --rows paris --cols nice..isle", "",
			"%%MatrixMarket matrix array integer general\n% shortest-path distances, 2147483647 where there is no " +
				"path\n1 2\n7\n2147483647\n"},
		{"- --format mtx --rows paris --cols nice..isle --unreachable inf", "",
			"%%MatrixMarket matrix array real general\n% shortest-path distances, inf where there is no path\n1 " +
				"2\n7\ninf\n"},
	} {
		cmd := command(t, dir, append([]string{"export", "towns.ooc"}, strings.Fields(c.args)...)...)
		cmd.Stdin = strings.NewReader(c.stdin)
		if r := finish(t, cmd).want(t, 0); r.stdout != c.out {
			t.Errorf("%s wrote\n%swant\n%s", c.args, r.stdout, c.out)
		}
	}
	ooc(t, dir, "export", "towns.ooc", "d.csv").want(t, 0, "wrote d.csv")
	if got := string(readFile(t, dir, "d.csv")); got != whole {
		t.Errorf("d.csv holds\n%s", got)
	}
}

func TestExportMistakes(t *testing.T) {
	dir := towns(t)
	writeFile(t, dir, "ids", "nice\nrome\n")
	writeFile(t, dir, "none", "# nothing\n")
	for _, c := range []struct {
		code        int
		words, text string
	}{
		{2, "d.npy --unreachable far", "--unreachable far"},
		{2, "d.npy --format xls", "want one of npy, csv, mtx"},
		{2, "d", ".npy, .csv, .mtx"},
		{2, "d.npy --rows nice..paris", "ends before it starts"},
		{2, "d.npy --rows @none", "names no vertex"},
		{2, "d.npy --rows nice,@", "--rows nice,@: a file's name goes behind @"},
		{3, "d.npy --rows rome", `--rows: towns.ooc has no vertex "rome"`},
		{3, "d.npy --cols paris..rome", `no vertex "rome"`},
		{3, "d.npy --cols paris,,nice", `no vertex ""`},
		{3, "d.npy --cols @ids", `ids:2: towns.ooc has no vertex`},
		{3, "d.npy --cols @missing", "missing"},
		{3, "no/d.npy", "write no/d.npy: there is no folder no"},
	} {
		ooc(t, dir, append([]string{"export", "towns.ooc"}, strings.Fields(c.words)...)...).want(t, c.code, c.text)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*d*")); len(left) != 1 { // ids
		t.Errorf("left behind: %v", left)
	}
}

// TestExportNamesThatClash asks for vertices whose ids look like something else.
func TestExportNamesThatClash(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", "@x,a..b,1\na..b,\"c,d\",2\n@x,#1,3\n")
	writeFile(t, dir, "ids", "#1\nc,d\n")
	ooc(t, dir, "solve", "g.csv").want(t, 0)
	for rows, lines := range map[string]string{
		"@x":      "@x,3\n",
		"a..b,@x": "a..b,2\n@x,3\n",
		"c,d":     "\"c,d\",0\n",
		"@ids":    "\"#1\",inf\n\"c,d\",0\n",
	} {
		r := ooc(t, dir, "export", "g.ooc", "-", "--rows", rows, "--cols", "c,d").want(t, 0)
		if r.stdout != ",\"c,d\"\n"+lines {
			t.Errorf("--rows %s wrote\n%swant\n%s", rows, r.stdout, lines)
		}
	}
}

// TestExportEqualsSciPy has NumPy and SciPy read every format, whole and in part, of a store of each kind.
func TestExportEqualsSciPy(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "scipy")
	r := seeded(t)
	for _, c := range []struct {
		weight func() string
		flags  []string
		types  [3]string // of .npy, .mtx and .csv
	}{
		{func() string { return fmt.Sprint(r.IntN(1000)) }, nil, [3]string{"int32", "int64", "float64"}},
		{func() string { return fmt.Sprint(r.Float32()) }, nil, [3]string{"float32", "float64", "float64"}},
		{func() string { return fmt.Sprintf("%.2f", r.Float64()) }, []string{"--scale", "100"},
			[3]string{"float64", "float64", "float64"}},
	} {
		dir, n := t.TempDir(), 100+r.IntN(200)
		var text strings.Builder
		fmt.Fprintf(&text, "p sp %d %d\n", n, 2*n)
		for range 2 * n {
			fmt.Fprintf(&text, "a %d %d %s\n", 1+r.IntN(n), 1+r.IntN(n), c.weight())
		}
		writeFile(t, dir, "g.gr", text.String())
		ooc(t, dir, append([]string{"solve", "g.gr"}, c.flags...)...).want(t, 0)
		var rows, cols []string
		var rowIDs, colIDs []string
		for range 20 {
			u, v := r.IntN(n), r.IntN(n)
			rows, rowIDs = append(rows, fmt.Sprint(u)), append(rowIDs, fmt.Sprint(u+1))
			cols, colIDs = append(cols, fmt.Sprint(v)), append(colIDs, fmt.Sprint(v+1))
		}
		args, want := []string{"g.ooc", strings.Join(rows, ","), strings.Join(cols, ",")}, ""
		for i, ext := range []string{".npy", ".mtx", ".csv", ".mtx.gz", ".csv.gz"} {
			ooc(t, dir, "export", "g.ooc", "whole"+ext).want(t, 0)
			ooc(t, dir, "export", "g.ooc", "part"+ext, "--rows", strings.Join(rowIDs, ","), "--cols",
				strings.Join(colIDs, ",")).want(t, 0)
			args = append(args, "whole"+ext, "part"+ext)
			kind := c.types[[]int{0, 1, 2, 1, 2}[i]]
			want += fmt.Sprintf("whole%s %s %d %d\npart%s %s 20 20\n", ext, kind, n, n, ext, kind)
		}
		if out := scipy(t, dir, "exports.py", args...); out != want {
			t.Errorf("SciPy found\n%swant\n%s", out, want)
		}
	}
}

// TestExportInterrupted ends exports by signals and kills, and demands that what stands under the final
// name is whole. A signal leaves nothing else.
func TestExportInterrupted(t *testing.T) {
	crashtest.Slow(t)
	r, dir := seeded(t), t.TempDir()
	ooc(t, dir, "gen", "ring", "g.gr", "-n", "2500").want(t, 0)
	ooc(t, dir, "solve", "g.gr").want(t, 0)
	ooc(t, dir, "export", "g.ooc", "whole.csv").want(t, 0)
	want := readFile(t, dir, "whole.csv")
	interrupted := 0
	for _, sig := range []os.Signal{os.Interrupt, os.Kill} {
		for range 6 {
			cmd := command(t, dir, "export", "g.ooc", "d.csv", "--overwrite")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			begun(t, dir)
			time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
			_ = cmd.Process.Signal(sig)
			_ = cmd.Wait()
			left, _ := filepath.Glob(filepath.Join(dir, ".d.csv*"))
			if _, err := os.Stat(filepath.Join(dir, "d.csv")); err == nil {
				if !bytes.Equal(readFile(t, dir, "d.csv"), want) {
					t.Fatalf("%v left half a file", sig)
				}
			} else if code := cmd.ProcessState.ExitCode(); sig == os.Interrupt && code != 130 {
				t.Errorf("exit code %d", code)
			} else {
				interrupted++
			}
			if sig == os.Interrupt && len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			for _, file := range append(left, filepath.Join(dir, "d.csv")) {
				_ = os.Remove(file)
			}
		}
	}
	if interrupted == 0 {
		t.Error("every export was over before it was interrupted")
	}
}

// begun waits until an export to d.csv has made its hidden file, or is over.
func begun(t *testing.T, dir string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		hidden, _ := filepath.Glob(filepath.Join(dir, ".d.csv*"))
		whole, _ := filepath.Glob(filepath.Join(dir, "d.csv"))
		if len(hidden)+len(whole) > 0 {
			return
		}
	}
	t.Fatal("no export began within a minute")
}

// TestExportNoSpace exports to a tmpfs that the file does not fit.
func TestExportNoSpace(t *testing.T) {
	dir, small := t.TempDir(), t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small).CombinedOutput(); err != nil {
		if os.Getenv("OOC_REQUIRE_MOUNT") == "1" {
			t.Fatalf("mount: %v: %s", err, out)
		}
		t.Skipf("cannot mount a tmpfs: %v: %s", err, out)
	}
	defer exec.Command("umount", small).Run()
	ooc(t, dir, "gen", "ring", "g.gr", "-n", "1000").want(t, 0)
	ooc(t, dir, "solve", "g.gr").want(t, 0)
	for _, file := range []string{"d.npy", "d.csv", "d.mtx"} {
		ooc(t, dir, "export", "g.ooc", filepath.Join(small, file)).want(t, 5, "no space")
	}
	if left, err := os.ReadDir(small); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// BenchmarkExport sets an export of a 2-D .npy, n = 15,000, beside cp and sync of that file. Both read what
// is in the page cache, and end when the file is on disk.
func BenchmarkExport(b *testing.B) {
	dir := b.TempDir()
	peerGraph(b, dir, 15000)
	ooc(b, dir, "solve", "g.gr").want(b, 0)
	ooc(b, dir, "export", "g.ooc", "model.npy").want(b, 0)
	timed := func(cmd *exec.Cmd) float64 {
		defer os.Remove(filepath.Join(dir, "d.npy"))
		cmd.Dir = dir
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %v: %s", cmd.Args, err, out)
		}
		return time.Since(began).Seconds()
	}
	compare(b, func() float64 { return timed(command(b, dir, "export", "g.ooc", "d.npy")) },
		func() float64 { return timed(exec.Command("sh", "-c", "cp model.npy d.npy && sync d.npy")) })
}

// TestPredecessorsAreSciPys has SciPy and networkx rebuild shortest paths from exported predecessors.
func TestPredecessorsAreSciPys(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "scipy")
	r := seeded(t)
	dir, n := t.TempDir(), 60+r.IntN(100)
	var text strings.Builder
	fmt.Fprintf(&text, "p sp %d %d\n", n, 2*n)
	for range 2 * n {
		fmt.Fprintf(&text, "a %d %d %d\n", 1+r.IntN(n), 1+r.IntN(n), 1+r.IntN(9))
	}
	writeFile(t, dir, "g.gr", text.String())
	ooc(t, dir, "solve", "g.gr").want(t, 0)
	ooc(t, dir, "export", "g.ooc", "d.npy").want(t, 0)
	ooc(t, dir, "export", "g.ooc", "p.npy", "--predecessors").want(t, 0, "wrote p.npy")
	ooc(t, dir, "export", "g.ooc", "q.npy", "--predecessors", "--no-path", "-1").want(t, 0)
	for _, words := range []string{"x.npy --predecessors --cols 1", "x.npy --predecessors --unreachable 1",
		"x.npy --no-path -1", "x.csv --predecessors"} {
		ooc(t, dir, append([]string{"export", "g.ooc"}, strings.Fields(words)...)...).want(t, 2)
	}
	if out := scipy(t, dir, "predecessors.py", "g.gr", "d.npy", "p.npy", "q.npy"); !strings.Contains(out,
		fmt.Sprintf("%d trees", n)) {
		t.Error(out)
	}
}
