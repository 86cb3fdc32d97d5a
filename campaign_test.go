package ooc

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"ooc/tiles/crashtest"
)

// fuzzTime is how long each reader is fuzzed.
func fuzzTime() string {
	if d := os.Getenv("OOC_FUZZTIME"); d != "" {
		return d
	}
	return "30m"
}

// TestCampaignFuzz fuzzes every reader, each for half an hour or OOC_FUZZTIME.
func TestCampaignFuzz(t *testing.T) {
	crashtest.Campaign(t)
	if !crashtest.Long() {
		t.Skip("it takes half an hour for each reader: of OOC_CAMPAIGN=long only")
	}
	targets := 0
	for _, p := range listed(t) {
		out, err := exec.Command("go", "test", "-list", "^Fuzz", p).Output()
		if err != nil {
			t.Fatal(err)
		}
		for target := range strings.FieldsSeq(string(out)) {
			if !strings.HasPrefix(target, "Fuzz") {
				continue
			}
			targets++
			t.Run(target, func(t *testing.T) {
				cmd := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+target+"$", "-fuzztime", fuzzTime(),
					"-timeout=0", p)
				var out bytes.Buffer
				cmd.Stdout = io.MultiWriter(os.Stdout, &out)
				cmd.Stderr = os.Stderr
				if err := cmd.Run(); err != nil && !timeOver(target, out.String()) {
					t.Errorf("%s: %v", strings.Join(cmd.Args, " "), err)
				}
			})
		}
	}
	if targets == 0 {
		t.Error("no fuzz targets")
	}
}

// timeOver reports whether all that go test says against a target is that its time was over, which it takes for a
// failure if that happens in the wrong moment (https://go.dev/issue/75804).
func timeOver(target, out string) bool {
	alone := regexp.MustCompile(`(?m)^--- FAIL: ` + regexp.QuoteMeta(target) +
		` \(.*\)\n +context deadline exceeded\nFAIL\n`)
	return alone.MatchString(out) && strings.Count(out, "--- FAIL") == 1 && !strings.Contains(out, "panic") &&
		!strings.Contains(out, "Failing input")
}

// TestFuzzTimeOver tells the end of the time from what a target found.
func TestFuzzTimeOver(t *testing.T) {
	const head = "fuzz: elapsed: 3s, execs: 90 (30/sec), new interesting: 1 (total: 9)\n--- FAIL: FuzzX (3.01s)\n"
	const tail = "FAIL\nexit status 1\nFAIL\tooc/tiles\t3.02s\n"
	for out, want := range map[string]bool{
		head + "    context deadline exceeded\n" + tail:                                                                  true,
		head + "    --- FAIL: FuzzX (0.00s)\n        x_test.go:9: wrong\n    Failing input written to testdata\n" + tail: false,
		head + "    x_test.go:9: context deadline exceeded\n" + tail:                                                     false,
		head + "    context deadline exceeded\n    Failing input written to testdata/fuzz/FuzzX/0\n" + tail:              false,
		strings.ReplaceAll(head, "FuzzX", "FuzzY") +
			"    context deadline exceeded\n" + tail: false,
		"": false,
		head + "    fuzzing process hung or terminated unexpectedly: exit status 2\n    context deadline exceeded\n" + tail: false,
	} {
		if got := timeOver("FuzzX", out); got != want {
			t.Errorf("%v of\n%s", got, out)
		}
	}
}

// listed are the packages by their paths.
func listed(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
