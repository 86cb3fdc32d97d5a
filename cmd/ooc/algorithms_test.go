package main

import (
	"bytes"
	"fmt"
	"testing"

	"ooc/engine"
	"ooc/tiles/crashtest"
)

// TestEveryAlgorithm wants the same bytes of every algorithm, in one stream and in several, and those of SciPy.
func TestEveryAlgorithm(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	dir := t.TempDir()
	ooc(t, dir, "gen", "rmat", "g.gr", "-n", "700", "--seed", fmt.Sprint(r.Uint32())).want(t, 0)
	solve := []string{"solve", "g.gr", "--tile", "64", "--device", "cpu", "--out"}
	ooc(t, dir, append(solve, "blocked.ooc", "--algorithm", "blocked")...).want(t, 0)
	want := readFile(t, dir, "blocked.ooc", "dist.npy")
	for _, algorithm := range engine.Algorithms {
		for _, flags := range [][]string{nil, {"--streams", "1"}} {
			out := algorithm + fmt.Sprint(len(flags)) + ".ooc"
			args := append(append(solve, out, "--algorithm", algorithm), flags...)
			ooc(t, dir, args...).want(t, 0)
			if !bytes.Equal(readFile(t, dir, out, "dist.npy"), want) {
				t.Errorf("%v gives other bytes than blocked rounds", args)
			}
		}
		ooc(t, dir, "plan", "g.gr", "--algorithm", algorithm, "--device", "cpu").want(t, 0, "algorithm", "time")
	}
	ooc(t, dir, "status", "squaring0.ooc").want(t, 0, "squaring", "solved")
	small := func(algorithm string) result {
		cmd := command(t, dir, append(solve, "small.ooc", "--device-memory", "1500KiB", "--algorithm", algorithm)...)
		cmd.Env = append(cmd.Env, "GOMAXPROCS=2") // each thread takes some of that
		return finish(t, cmd)
	}
	small("single-stage").want(t, 2, "has to fit the device", "needs", "--algorithm blocked streams")
	small("squaring").want(t, 0, "solved small.ooc")
	if !bytes.Equal(readFile(t, dir, "small.ooc", "dist.npy"), want) {
		t.Error("squaring that streams gives other bytes")
	}
	ooc(t, dir, "solve", "g.gr", "--algorithm", "squaring", "--sources", "1,2", "--out", "rows.ooc").want(t, 2, "needs every row")
	scipy(t, dir, "compare.py", "squaring0.ooc", "g.gr") // last, since it skips where there is none
}
