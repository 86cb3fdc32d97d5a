package main

import (
	"regexp"
	"strings"
	"testing"

	"ooc/tiles/crashtest"
)

// TestNumbersAreTheSameEverywhere asks every command that shows distances for those of one store: what was 0.002025
// in the input is that wherever it is shown, and nothing else is.
func TestNumbersAreTheSameEverywhere(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "g.csv", "a,b,0.002025\nb,c,0.1\nc,d,16777217.5\n")
	for _, scale := range []string{"f32", "i32"} {
		store, edges := scale+".ooc", "g.csv"
		far := map[string]string{"f32": "16777218", "i32": "16777.5"}[scale]
		words := []string{"solve", edges, "--undirected", "--out", store}
		if scale == "i32" {
			edges = "small.csv"
			writeFile(t, dir, edges, "a,b,0.002025\nb,c,0.1\nc,d,100.5\n")
			words, far = append(words, "--scale", "1000000"), "100.5"
			words[1] = edges
		}
		ooc(t, dir, words...).want(t, 0, "weights 0.002025…"+far)
		for _, c := range []struct {
			args string
			want []string
		}{
			{"status " + store, []string{"weights 0.002025…" + far}},
			{"query " + store + " a b c", []string{"a\tb\t0.002025\n", "a\tc\t0.102025\n"}},
			{"query " + store + " --row b", []string{"b\ta\t0.002025\n", "b\tc\t0.1\n"}},
			{"query " + store + " --col b", []string{"a\tb\t0.002025\n", "c\tb\t0.1\n"}},
			{"query " + store + " b --k-nearest 2", []string{"b\ta\t0.002025\n", "b\tc\t0.1\n"}},
			{"query " + store + " b --within 0.1", []string{"b\tc\t0.1\n"}},
			{"path " + store + " a c", []string{"a\tc\t0.102025\t2\n", "\ta\tb\t0.002025\n", "\tb\tc\t0.1\n"}},
			{"path " + store + " a c --json", []string{`"length":0.102025`, `"weights":[0.002025,0.1]`}},
			{"stats " + store + " --k-nearest 1 --csv", []string{"\na,", ",b,0.002025\n"}},
			{"stats " + store + " --k-nearest 2 --json",
				[]string{"0.002025", "0.1",
					`"diameter":` + map[string]string{"f32": "16777218", "i32": "100.602025"}[scale]}},
			{"stats " + store + " --bins 0,0.1,1", []string{" 0.1 …"}},
			{"stats " + store + " --bins 0,0.1,1 --json", []string{`"edges":[0,0.1,1]`}},
			{"export " + store + " -", []string{"a,0,0.002025,0.102025,"}},
			{"export " + store + " - --format mtx", []string{"\n0.002025\n0\n0.1\n"}},
			{"sssp " + store + " --source a", []string{"b\t0.002025\ta\n", "c\t0.102025\tb\n"}},
			{"sssp " + store + " --source a --json", []string{`"distance":0.002025,`, `"distance":0.102025,`}},
			{"mst " + store, []string{"\t0.002025\n", "\t0.1\n"}},
			{"mst " + store + " --json", []string{`"weight":0.002025}`, `"weight":0.1}`}},
		} {
			r := ooc(t, dir, strings.Fields(c.args)...).want(t, 0)
			for _, want := range c.want {
				if !strings.Contains(r.stdout, want) {
					t.Errorf("%s lacks %q:\n%s", c.args, want, r.stdout)
				}
			}
			if noise := regexp.MustCompile(`\b0\.(0020[^2 ]|00202[^5]|002025\d|10\d*00|0999)\d*`).FindString(r.stdout); noise != "" && !strings.HasPrefix(c.args, "stats") {
				t.Errorf("%s prints %s:\n%s", c.args, noise, r.stdout)
			}
		}
	}
	writeFile(t, dir, "cycle.csv", "a,b,0\nb,a,-0.1\n")
	writeFile(t, dir, "loop.csv", "a,b,0.5\na,a,-0.1\n")
	for _, file := range []string{"cycle.csv", "loop.csv"} {
		ooc(t, dir, "solve", file).want(t, 4, "negative cycle of length -0.1:")
		ooc(t, dir, "solve", file, "--scale", "10").want(t, 4, "negative cycle of length -0.1:")
	}
}
