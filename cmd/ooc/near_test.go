package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine/near"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// TestNear asks for the near pairs of a graph with names, in every way.
func TestNear(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", "from,to,km\nParis,Lyon,4.6\nLyon,Nice,4.7\nNice,Lyon,4.7\nLyon,\"Le Mans\",0\n")
	ooc(t, dir, "near", "g.csv", "a.csv", "--within", "4.7").want(t, 0, "wrote a.csv", "6 pairs")
	want := "from,to,distance\nParis,Lyon,4.6\nParis,\"Le Mans\",4.6\nLyon,Nice,4.7\nLyon,\"Le " +
		"Mans\",0\nNice,Lyon,4.7\nNice,\"Le Mans\",4.7\n"
	if got := string(readFile(t, dir, "a.csv")); got != want {
		t.Errorf("%s", got)
	}
}

// TestNearTargets asks for the nearest of some, which a file names.
func TestNearTargets(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", "from,to,km\nParis,Lyon,4.6\nLyon,Nice,4.7\nNice,Lyon,4.7\nLyon,\"Le Mans\",0\n")
	writeFile(t, dir, "cities.csv", "target,name\nNice,N\nLe Mans,M\n")
	writeFile(t, dir, "bad.csv", "target\nNice\nRome\n")
	for line, want := range map[string]string{
		"--targets @cities.csv --k-nearest 1": "Paris,\"Le Mans\",4.6\nLyon,\"Le Mans\",0\nNice,Nice,0\n" +
			"\"Le Mans\",\"Le Mans\",0\n",
		"--targets Nice,Lyon --within 4.7": "Paris,Lyon,4.6\nLyon,Lyon,0\nLyon,Nice,4.7\nNice,Lyon,4.7\n" +
			"Nice,Nice,0\n",
		"--targets Nice --k-nearest 5 --within 5": "Lyon,Nice,4.7\nNice,Nice,0\n",
	} {
		ooc(t, dir, append([]string{"near", "g.csv", "a.csv", "--overwrite"}, strings.Fields(line)...)...).want(t, 0)
		if got := string(readFile(t, dir, "a.csv")); got != "from,to,distance\n"+want {
			t.Errorf("%s: %s", line, got)
		}
	}
	ooc(t, dir, "near", "g.csv", "b.csv", "--k-nearest", "1", "--targets", "@bad.csv").want(t, class.Input, "bad.csv:3",
		`no vertex "Rome"`)
}

// TestNearRefuses refuses what cannot be, before anything is made.
func TestNearRefuses(t *testing.T) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "50", "-m", "200").want(t, 0)
	writeFile(t, dir, "m.npy", string(matrix(20, func(u, v int) int32 { return 1 })))
	writeFile(t, dir, "negative.csv", "a,b,4\nb,c,-3\nc,a,-2\n")
	writeFile(t, dir, "x.npz"+near.Extension, "mine")
	before := tree(t, dir)
	for line, code := range map[string]int{
		"near g.gr y.csv": class.Usage, "near g.gr y.txt --within 3": class.Usage,
		"near g.gr y --within 3": class.Usage, "near g.gr g.gr --within 3": class.Usage,
		"near g.gr y.csv --within 3 --ids y.csv": class.Usage, "near m.npy y.csv --within 3": class.Input,
		"near negative.csv y.csv --within 3": class.NegativeCycle,
		"near g.gr x.npz --within 3":         class.Input, "near g.gr no/y.csv --within 3": class.Input,
		"near no.gr y.csv --within 3":   class.Input,
		"near g.gr y.csv --targets 1,2": class.Usage, "near g.gr y.csv --targets 99 --within 3": class.Input,
		"near g.gr y.csv --targets random:51 --within 3": class.Usage,
	} {
		ooc(t, dir, strings.Fields(line)...).want(t, code)
		if after := tree(t, dir); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Fatalf("ooc %s changed files", line)
		}
	}
}

// TestNearGoesOn stops a run by Ctrl-C, and then by a kill, and compares what the same command ends with.
func TestNearGoesOn(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	ooc(t, dir, "gen", "road", "g.gr", "-n", "1000", "--seed", "5").want(t, 0)
	line := []string{"near", "g.gr", "x.npz", "--within", "inf", "--ids", "ids.csv"}
	ooc(t, dir, append(line, "--overwrite")...).want(t, 0)
	want, ids := readFile(t, dir, "x.npz"), readFile(t, dir, "ids.csv")
	clean := func() {
		for _, name := range []string{"x.npz", "ids.csv"} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	clean()
	r := stopNear(t, dir, os.Interrupt, line...)
	r.want(t, class.Interrupted, "interrupted; continue with:", strings.Join(line, " "))
	stopNear(t, dir, os.Kill, line...)
	ooc(t, dir, "near", "g.gr", "x.npz", "--k-nearest", "3").want(t, class.Input, `"--within`)
	ooc(t, dir, line...).want(t, 0, "x.npz.near: going on; ")
	if !bytes.Equal(readFile(t, dir, "x.npz"), want) || !bytes.Equal(readFile(t, dir, "ids.csv"), ids) {
		t.Error("it ended with something else")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// stopNear starts a command and stops it once its spool holds more rows.
func stopNear(t *testing.T, dir string, how os.Signal, line ...string) result {
	t.Helper()
	spool := filepath.Join(dir, line[2]+near.Extension)
	size := func() int64 {
		info, err := os.Stat(spool)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	was := max(size(), 4096)
	cmd := command(t, dir, line...)
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the code says how
		close(ended)
	}()
	for {
		select {
		case <-ended:
			if _, err := os.Stat(spool); err != nil {
				tooFast(t, "ooc near")
			}
			return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
		default:
		}
		if size() > was {
			_ = cmd.Process.Signal(how) // it may have ended
			<-ended
			return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
		}
	}
}

// TestNearEqualsSciPy compares pairs of every kind, with negative arcs too.
func TestNearEqualsSciPy(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "scipy")
	r, dir := seeded(t), t.TempDir()
	for _, negative := range []bool{false, true} {
		n := 60 + r.IntN(40)
		potential := make([]int, n)
		for i := range potential {
			if negative {
				potential[i] = r.IntN(1000)
			}
		}
		var b strings.Builder
		fmt.Fprintf(&b, "p sp %d %d\n", n, 3*n)
		for range 3 * n {
			u := r.IntN(n)
			v := (u + 1 + r.IntN(n-1)) % n
			w := 1 + r.IntN(500) + potential[u] - potential[v]
			if w == 0 {
				w = 1 // which SciPy cannot say
			}
			fmt.Fprintf(&b, "a %d %d %d\n", u+1, v+1, w)
		}
		args := []string{writeFile(t, dir, "g.gr", b.String())}
		for i, kind := range []string{"i32", "f32", "f64", "u16"} {
			if negative && kind == "u16" {
				continue
			}
			for j, q := range [][2]string{{"600", "0"}, {"900", "7"}} {
				name := fmt.Sprintf("%v%d%d.npz", negative, i, j)
				line := []string{"near", "g.gr", name, "--kind", kind, "--within", q[0]}
				if q[1] != "0" {
					line = append(line, "--k-nearest", q[1])
				}
				ooc(t, dir, line...).want(t, 0)
				args = append(args, filepath.Join(dir, name), q[0], q[1])
			}
		}
		scipy(t, dir, "near.py", args...)
	}
}
