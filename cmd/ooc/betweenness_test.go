package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// TestBetweennessEqualsNetworkX compares every number, of random graphs, connected and not, from all vertices or some.
func TestBetweennessEqualsNetworkX(t *testing.T) {
	crashtest.Slow(t)
	needPython(t, "networkx")
	r := seeded(t)
	dir := t.TempDir()
	var args []string
	for i, c := range []struct {
		most int
		unit float64
	}{{1, 1}, {1, 0.25}, {3, 1}, {200, 1}, {5, 0.25}, {800, 0.25}} {
		n := 20 + r.IntN(80)
		for _, m := range []int{n / 2, n, 5 * n} {
			for _, name := range []string{"g%d-%d.gr", "g%d-%d.txt"} {
				name = fmt.Sprintf(name, i, m)
				start, line := "", []string{"stats", name, "--json", "--betweenness", "both"}
				if strings.HasSuffix(name, ".gr") {
					start = "a "
				} else {
					line = append(line, "--undirected")
				}
				text := randomArcs(r, start, n, m, c.most, c.unit)
				args = append(args, writeFile(t, dir, name, text))
				sources, endpoints := "all", r.IntN(2)
				if r.IntN(2) == 0 {
					sources = someIDs(r, text)
					line = append(line, "--sources", sources)
				}
				if endpoints == 1 {
					line = append(line, "--endpoints")
				}
				args = append(args, writeFile(t, dir, name+".json", ooc(t, dir, line...).want(t, 0).stdout), sources,
					fmt.Sprint(endpoints))
			}
		}
	}
	if out := scipy(t, dir, "betweenness.py", args...); !strings.Contains(out, "numbers") {
		t.Error(out)
	}
}

// someIDs lists ids that arcs begin at.
func someIDs(r *rand.Rand, arcs string) string {
	var ids []string
	seen := map[string]bool{}
	for line := range strings.Lines(arcs) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] == "p" || f[0] == "c" || r.IntN(2) == 0 {
			continue
		}
		if id := f[len(f)-3]; !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		f := strings.Fields(arcs)
		return f[len(f)-3]
	}
	return strings.Join(ids, ",")
}

// TestBetweenness asks for each form, and for what is refused.
func TestBetweenness(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "roads.csv", "paris,lyon,465\nlyon,nice,472\nnice,isle,1\n")
	writeFile(t, dir, "zero.csv", "paris,lyon,465\nlyon,nice,0\n")
	writeFile(t, dir, "negative.csv", "paris,lyon,465\nlyon,nice,-1\n")
	writeFile(t, dir, "big.csv", "a,b,1e17\nb,c,1.5\n")
	ooc(t, dir, "solve", "roads.csv").want(t, 0)
	ooc(t, dir, "export", "roads.ooc", "m.npy").want(t, 0)
	roads := []string{"stats", "roads.csv", "--undirected"}
	ask := func(more string) result { return ooc(t, dir, append(roads, strings.Fields(more)...)...) }
	ask("--betweenness both").want(t, 0, "betweenness  at most 0.6666666666666666 at lyon\n",
		"of edges     at most 0.6666666666666666 from lyon to nice\n", "added up betweenness in")
	ask("--betweenness vertices --csv").want(t, 0, ",betweenness,betweenness_centrality\n", ",2,0.6666666666666666\n")
	ask("--betweenness vertices --csv --sources paris").want(t, 0, ",,\n") // networkx has nan there
	ask("--betweenness edges --csv").want(t, 0, "source,target,betweenness,betweenness_centrality\n"+
		"paris,lyon,3,0.5\nlyon,nice,4,0.6666666666666666\nnice,isle,3,0.5\n")
	ask("--betweenness both --endpoints --sources paris,isle --json").want(t, 0, `"betweenness":[4,5,5,4]`,
		`"edges":{"source":["paris",`)
	ask("--betweenness vertices --csv --sources paris --targets isle,nice,paris").want(t, 0, ",1,0.3333333333333333\n",
		",0.5,0.16666666666666666\n")
	ask("--betweenness edges --csv --targets isle").want(t, 0, "paris,lyon,0.5,0.08333333333333333\n"+
		"lyon,nice,1,0.16666666666666666\nnice,isle,1.5,0.25\n")
	for line, want := range map[string]struct {
		code int
		says string
	}{
		"roads.csv --targets paris":                                    {class.Usage, "--targets is for --betweenness"},
		"roads.csv --betweenness vertices --targets lisbon":            {class.Input, "has no vertex"},
		"roads.ooc --betweenness vertices --targets paris":             {class.Usage, "is for graphs"},
		"roads.csv --betweenness both --csv":                           {class.Usage, "--json for both"},
		"roads.csv --betweenness edges --endpoints":                    {class.Usage, "--endpoints is for"},
		"roads.csv --betweenness edges --csv --bins 2":                 {class.Usage, "no column for --bins"},
		"m.npy --betweenness edges":                                    {class.Usage, "a line for each: FROM TO WEIGHT"},
		"m.npy --betweenness edges --store s.ooc":                      {class.Usage, "leave one of them out"},
		"big.csv --betweenness edges --undirected":                     {class.Input, "distances from a are so long"},
		"roads.csv --betweenness vertices --targets paris --endpoints": {class.Usage, "without --endpoints"},
		"roads.csv --endpoints":                                        {class.Usage, "--endpoints is for"},
		"roads.csv --betweenness vertices --store s.ooc":               {class.Usage, "leave one of them out"},
		"roads.ooc --betweenness vertices":                             {class.Usage, "--betweenness is for graphs"},
		"zero.csv --betweenness edges":                                 {class.Input, "from lyon to nice has weight 0"},
		"negative.csv --betweenness edges":                             {class.Input, "from lyon to nice has weight -1"},
	} {
		ooc(t, dir, append([]string{"stats"}, strings.Fields(line)...)...).want(t, want.code, want.says)
	}
	for _, flag := range []string{"--within=100", "--k-nearest=2"} {
		ask("--betweenness edges --csv "+flag).want(t, class.Usage, "no column for "+strings.Split(flag, "=")[0])
		ask("--betweenness edges --json "+flag).want(t, 0, `"edges":{`) // as the error says, and so below
	}
	ask("--betweenness edges --csv --bins 2 --plot d.svg").want(t, 0)
	ooc(t, dir, "stats", "zero.csv", "--betweenness", "edges", "--unweighted").want(t, 0)
	ooc(t, dir, "stats", "big.csv", "--betweenness", "edges", "--unweighted", "--undirected").want(t, 0)
	if left, err := filepath.Glob(filepath.Join(dir, "*.stats")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestQueryCount counts shortest paths of pairs and rows.
func TestQueryCount(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", "a,b,1\na,c,1.5\nb,d,1\nc,d,0.5\nd,e,2\nx,a,1\n")
	writeFile(t, dir, "zero.csv", "a,b,1\nb,c,0\n")
	writeFile(t, dir, "pairs.txt", "a d\na e\nx e\n")
	ooc(t, dir, "solve", "g.csv").want(t, 0)
	for line, want := range map[string]string{
		"g.csv a d e x --count":           "a\td\t2\t2\na\te\t4\t2\na\tx\tunreachable\t0\n",
		"g.csv --pairs pairs.txt --count": "a\td\t2\t2\na\te\t4\t2\nx\te\t5\t2\n",
		"g.csv --row b --count --undirected": "b\ta\t1\t1\nb\tb\t0\t1\nb\tc\t1.5\t1\nb\td\t1\t1\nb\te\t3\t1\n" +
			"b\tx\t2\t1\n",
		"g.csv a d --count --json": `{"type":"distance","from":"a","to":"d","distance":2,"paths":2}` + "\n",
	} {
		if got := ooc(t, dir, append([]string{"query"}, strings.Fields(line)...)...).want(t, 0).stdout; got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	ooc(t, dir, "query", "g.ooc", "a", "d", "--count").want(t, class.Usage, "--count is for graphs")
	ooc(t, dir, "query", "g.csv", "--col", "a", "--count").want(t, class.Usage, "--count is for pairs")
	ooc(t, dir, "query", "g.csv", "a", "--k-nearest", "2", "--count").want(t, class.Usage, "--count is for pairs")
	ooc(t, dir, "query", "zero.csv", "a", "c", "--count").want(t, class.Input, "from b to c has weight 0")
	// Added to 1e17, a weight of 1.5 changes nothing. There and back, no arc is the last.
	writeFile(t, dir, "big.csv", "a,b,1e17\nb,c,1.5\nc,d,1.5\n")
	ooc(t, dir, "query", "big.csv", "a", "d", "--count", "--directed").want(t, 0, "\t1\n")
	ooc(t, dir, "query", "big.csv", "a", "d", "--count", "--undirected").want(t, class.Input,
		"big.csv: distances from a are so long", "--unweighted")
	ooc(t, dir, "query", "big.csv", "a", "d", "--count", "--undirected", "--unweighted").want(t, 0, "a\td\t3\t1\n")
}

// TestBetweennessGoesOn kills, or stops, the command again and again, and wants the bytes of one run.
func TestBetweennessGoesOn(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	dir := t.TempDir()
	ooc(t, dir, "gen", "road", "road.gr", "-n", "2500", "--seed", "7").want(t, 0)
	ooc(t, dir, "gen", "powerlaw", "power.gr", "-n", "2500", "-m", "9000", "--unweighted", "--seed", "7").want(t, 0)
	for _, name := range []string{"road.gr", "power.gr"} {
		args := []string{"stats", name, "--undirected", "--checkpoint", "1us", "--json", "--betweenness", "both"}
		began := time.Now()
		want := ooc(t, dir, append(args, "--out", "once.stats")...).want(t, 0).stdout
		took := time.Since(began)
		resumed := false // among sources, which the note at the end says
		for kills := 0; ; {
			cmd := command(t, dir, args...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			how := []os.Signal{os.Interrupt, os.Kill, os.Kill}[r.IntN(3)]
			timer := time.AfterFunc(time.Duration(r.Int64N(int64(took/2))), func() { _ = cmd.Process.Signal(how) })
			_ = cmd.Wait()
			timer.Stop()
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); code != class.Interrupted &&
					(!ok || !status.Signaled()) {
					t.Fatalf("%s: %v", name, cmd.ProcessState)
				}
				kills++
				continue
			}
			if got := stdout.String(); got != want {
				t.Fatalf("%s: killed %d times, it printed something else", name, kills)
			}
			_, note, _ := strings.Cut(stderr.String(), "; added up betweenness in ")
			resumed = resumed || strings.Contains(note, " sources of an earlier run")
			if kills >= crashtest.Repeats(20, crashtest.Times(50, 2000)) {
				break
			}
		}
		if !resumed {
			t.Errorf("%s: no note tells of sources of an earlier run", name)
		}
	}
}
