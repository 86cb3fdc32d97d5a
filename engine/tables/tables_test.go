package tables

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ooc/engine/graph"
	"ooc/tiles/crashtest"
)

// TestTables measures every table at one small size, and wants a number in every cell that is measured.
func TestTables(t *testing.T) {
	crashtest.Slow(t)
	var out bytes.Buffer
	dir := t.TempDir()
	s := &suite{Options: Options{Quick: true, Dir: dir}, ctx: context.Background(), out: &out}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	s.preface()
	for _, make := range all {
		out.Reset()
		table := make(s)
		table.sizes = []int{700}
		for i := range table.columns { // rules of time are for others
			table.columns[i].growth = 0
		}
		s.began = time.Now().Add(time.Hour)
		if err := s.print(table); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		head, row := strings.Split(lines[len(lines)-3], "|"), strings.Split(lines[len(lines)-1], "|")
		if len(head) != len(row) || strings.TrimSpace(row[1]) != "700" {
			t.Fatalf("%s\nhas no row of 700 under its head", out.String())
		}
		for i, c := range table.columns {
			if text := strings.TrimSpace(row[i+2]); c.run != nil &&
				!regexp.MustCompile(`^[0-9.e-]+$`).MatchString(text) {
				t.Errorf("%s: %s is %q", table.title, c.title, text)
			}
		}
		for i, r := range table.ratios {
			if text := strings.TrimSpace(row[i+2+len(table.columns)]); !strings.HasSuffix(text, "×") {
				t.Errorf("%s: %s is %q", table.title, r.title, text)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestCellsAreLeftOut wants cells to be left out by what was measured before, and errors to be told.
func TestCellsAreLeftOut(t *testing.T) {
	var out bytes.Buffer
	var ran []int
	failing := errors.New("failing")
	s := &suite{Options: Options{Quick: true}, ctx: context.Background(), out: &out}
	s.began = time.Now().Add(time.Hour)
	slow := column{title: "slow", growth: 3, run: func(g *graph.Graph) (float64, error) {
		ran = append(ran, g.N)
		if g.N > 500 {
			return 0, failing
		}
		return float64(g.N) / 100, nil
	}}
	err := s.print(table{sizes: []int{100, 110, 200, 400}, columns: []column{slow}})
	if err != nil {
		t.Fatal(err)
	}
	if len(ran) != 2 || !strings.Contains(out.String(), "| 110 | 1.1 |\n| 200 | – |\n| 400 | – |") {
		t.Errorf("ran %v:\n%s", ran, out.String())
	}
	ran = nil
	full := &suite{Options: Options{Budget: 30 * time.Hour}, ctx: context.Background(), out: &out, began: time.Now()}
	hours := column{title: "hours", growth: 1, run: func(g *graph.Graph) (float64, error) {
		ran = append(ran, g.N)
		return float64(g.N) * 3600, nil
	}}
	if err := full.print(table{sizes: []int{1, 2, 3}, columns: []column{hours}}); err != nil {
		t.Fatal(err)
	}
	full.began = time.Now().Add(-31 * time.Hour)
	if err := full.print(table{sizes: []int{1}, columns: []column{hours}}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ran, []int{1, 2}) { // cells of up to two hours, within thirty
		t.Errorf("with a budget of 30 hours, ran %v", ran)
	}
	slow.growth = 0
	if err := s.print(table{sizes: []int{100, 600}, columns: []column{slow}}); !errors.Is(err, failing) {
		t.Errorf("a column that fails: %v", err)
	}
}
