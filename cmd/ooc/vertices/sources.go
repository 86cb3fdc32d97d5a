package vertices

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"ooc/engine/text"
)

// Sources returns the rows that --sources names, ascending: a selection, a file of one, or random:K. "" is none,
// which means all.
func (v Of) Sources(list string) ([]int32, error) {
	if list == "" {
		return nil, nil
	}
	if text, ok := strings.CutPrefix(list, "random:"); ok {
		return randomSources(text, v.N)
	}
	if _, err := v.Find(list); err != nil {
		if info, err := os.Stat(list); err == nil && info.Mode().IsRegular() {
			list = "@" + list
		}
	}
	at, err := v.Selection("sources", list)
	if err != nil {
		return nil, err
	}
	rows := make([]int32, len(at))
	for i, row := range at {
		rows[i] = int32(row)
	}
	slices.Sort(rows)
	return slices.Compact(rows), nil
}

// randomSources picks K of n vertices, the same in every run, so that the same command continues what it has begun.
func randomSources(word string, n int) ([]int32, error) {
	k, err := strconv.Atoi(word)
	if err != nil || k < 1 || k > n {
		return nil, text.ErrorOf(errUsage, "--sources random:%s: want a number from 1 to %d", word, n)
	}
	rows := make([]int32, 0, k)
	r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	for v := range n { // Knuth's algorithm S
		if r.IntN(n-v) < k-len(rows) {
			rows = append(rows, int32(v))
		}
	}
	return rows, nil
}
