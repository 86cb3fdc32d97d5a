package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestCompletion asks what a shell asks.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	// The words, and cobra's number for the rest: 0 files, 4 nothing, 16 folders.
	for _, c := range []struct{ line, want string }{
		{"solve --kind ", "i32 f32 u16 f64 u8 :4"},
		{"mst --kind ", "i32 f32 :4"},
		{"solve --device ", "auto cuda opencl cpu :4"},
		{"solve --layout ", "upper square :4"},
		{"stats --betweenness ", "vertices edges both :4"},
		{"solve --tile ", ":4"},
		{"solve --device-memory ", ":4"},
		{"solve --sources ", ":0"},
		{"solve --timeline ", ":0"},
		{"solve --out-dir ", ":16"},
		{"solve a.gr ", ":0"},
		{"status ", ":16"},
		{"stats ", ":0"},
		{"merge m.ooc a.ooc b.ooc ", ":16"},
		{"query g.ooc ", ":4"},
		{"verify ", ":0"},
		{"export g.ooc ", ":0"},
		{"export g.ooc d.npy ", ":4"},
		{"gen ", "random rmat powerlaw smallworld neighbours grid road ring star tree complete :4"},
		{"gen grid --seed 1 ", ":0"},
		{"version ", ":4"},
		{"help bench ", "cuda kernels opencl tables :4"},
	} {
		r := ooc(t, dir, append([]string{"__complete"}, strings.Split(c.line, " ")...)...).want(t, 0)
		if got := strings.Join(strings.Fields(r.stdout), " "); got != c.want {
			t.Errorf("ooc %q is completed with %q, want %q", c.line, got, c.want)
		}
	}
}

// TestCompletedWordsAreTaken sets every flag to every word that is offered for it.
func TestCompletedWordsAreTaken(t *testing.T) {
	flags := 0
	eachFlag(newRoot(), func(cmd *cobra.Command, fl *pflag.Flag) {
		offer, ok := cmd.GetFlagCompletionFunc(fl.Name)
		if !ok {
			return
		}
		words, _ := offer(cmd, nil, "")
		for _, w := range words {
			if err := fl.Value.Set(w); err != nil {
				t.Errorf("%s --%s %s: %v", cmd.CommandPath(), fl.Name, w, err)
			}
		}
		if slices.Contains(words, "auto") {
			flags++
		}
	})
	if flags < 5 { // --device and --algorithm of several commands
		t.Errorf("%d flags take auto", flags)
	}
}
