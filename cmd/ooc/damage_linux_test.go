package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ooc/engine/mpi/mpitest"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// heads are how many bytes at the front of a store's file describe it.
var heads = map[string]int{
	"state": 512, "sums": 64, "graph.csr": 64, "ids": 64, "live": 40, "factors": 4096, "lock": 9, "dist.npy": 128,
}

// TestDamageIsNamed flips bits of every file of every kind of store, some of them in heads, and asks. Each answer is
// that of the whole store, or exit code 8 and the name of the file. Nothing is said of other stores or versions, and
// scrub and verify find whatever answers are made of.
func TestDamageIsNamed(t *testing.T) {
	crashtest.Slow(t)
	dir, r := t.TempDir(), seeded(t)
	var towns strings.Builder
	for i := range 150 {
		fmt.Fprintf(&towns, "town%d,town%d,%d\ntown%d,town%d,%d\n", i, (i+1)%150, 1+i%9, i, (i*7+3)%150, 2+i%5)
	}
	writeFile(t, dir, "towns.csv", towns.String())
	writeFile(t, dir, "D.npy", string(matrix(100, func(u, v int) int32 { return int32(1 + (u*31+v*17)%97) })))
	ooc(t, dir, "gen", "road", "g.gr", "-n", "200", "--seed", "3").want(t, 0)
	for _, c := range []struct{ store, args, from, to string }{
		{"rows.ooc", "solve towns.csv --tile 64", "town3", "town77"},
		{"upper.ooc", "solve g.gr --undirected --tile 64", "3", "77"},
		{"predecessors.ooc", "solve g.gr --predecessors --tile 64", "3", "77"},
		{"sources.ooc", "solve g.gr --sources 3,7,11..90 --tile 64", "3", "77"},
		{"factors.ooc", "solve g.gr --keep factors", "3", "77"},
		{"ids.ooc", "solve towns.csv --keep factors", "town3", "town77"},
		{"matrix.ooc", "solve D.npy --tile 64", "3", "77"},
		{"g.parts", "solve g.gr --cluster mpi --part-dir . --tile 64 --round 64", "3", "77"},
	} {
		t.Run(c.store, func(t *testing.T) {
			args := append(strings.Fields(c.args), "--device", "cpu")
			if c.store == "g.parts" {
				l := crashtest.Some(r, 1, mpitest.Launchers(t))[0]
				if text, err := asCommand(t, l.Command(t, 2, selfPath(t), args...), dir).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
			} else {
				ooc(t, dir, append(args, "--out", c.store)...).want(t, 0)
			}
			flipAll(t, r, dir, c.store, c.from, c.to)
		})
	}
}

// flipAll damages the files of a store, one bit at a time.
func flipAll(t *testing.T, r *rand.Rand, dir, store, from, to string) {
	t.Helper()
	questions := [][]string{
		{"scrub", store}, {"verify", store, "--rows", "0"}, {"verify", store, "--rows", "3", "--seed", "1"},
		{"query", store, "--row", from}, {"path", store, from, to},
		{"stats", store, "--json"}, {"status", store}, {"solve", store}, // which goes on where a restore point is lost
	}
	ask := func(args []string) (text string, r result) {
		r = ooc(t, dir, args...)
		text, _, _ = strings.Cut(r.stdout, "; ") // how long it took, and how many rows agree
		if args[0] == "solve" {
			text = ""
		}
		return fmt.Sprintln(r.code, text), r
	}
	var whole []string
	for _, args := range questions {
		text, _ := ask(args)
		whole = append(whole, text)
	}
	var files []string
	err := filepath.WalkDir(filepath.Join(dir, store), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		found := slices.Contains([]string{"dist.npy", "graph.csr", "ids", "factors"}, name)
		if name == "sums" { // of a matrix
			found = !slices.Contains(files, filepath.Join(filepath.Dir(path), "factors"))
		}
		for turn := range crashtest.Times(4, 60) {
			size := len(good)
			if head := heads[name]; turn%2 == 0 && head > 0 {
				size = min(head, size)
			}
			b, bit := slices.Clone(good), r.IntN(8*size)
			b[bit/8] ^= 1 << (bit % 8)
			if err := os.WriteFile(path, b, 0o666); err != nil {
				t.Fatal(err)
			}
			for i, args := range questions {
				text, r := ask(args)
				switch {
				case text == whole[i] && !(found && i < 2):
				case r.code != class.Corrupt || !strings.Contains(r.stderr, name) ||
					strings.Contains(r.stderr, "another store") || strings.Contains(r.stderr, "version"):
					t.Errorf("%s, byte %d, bit %d: ooc %s: %.300s\nof the whole store: %.300s\n%s",
						path, bit/8, bit%8, strings.Join(args, " "), text, whole[i], r.stderr)
				}
			}
		}
		if err := os.WriteFile(path, good, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
