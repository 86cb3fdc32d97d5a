package ooc

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// campaign is the tier of the fault campaign. The flag is known here alone: with a flag that is not its own, go
// test takes the packages after it for arguments of this test, which then runs their tests itself.
var campaign = flag.String("campaign", "short", "tier of the fault campaign: short runs with all tests, long takes hours")

// fuzzTime is how long the long tier fuzzes each reader.
func fuzzTime() string {
	if d := os.Getenv("OOC_FUZZTIME"); d != "" {
		return d
	}
	return "30m"
}

// long skips a test that is of the long tier only, and makes sure that it has the time.
func long(t *testing.T) {
	t.Helper()
	if *campaign != "long" {
		t.Skip("the long tier is run by: go test -v -timeout 0 -run Campaign -campaign=long ./...")
	}
	if _, limited := t.Deadline(); limited {
		t.Fatal("the long tier takes hours, and go test ends it after ten minutes; give -timeout 0 too")
	}
}

// packages are those that the command line names, or all.
func packages() []string {
	if args := flag.Args(); len(args) > 0 {
		return args
	}
	return []string{"./..."}
}

// TestCampaign runs the long tier of the packages' campaigns, one after another: they measure, too.
func TestCampaign(t *testing.T) {
	long(t)
	args := []string{"test", "-v", "-count=1", "-p=1", "-timeout=0", "-run", "Campaign"}
	for _, p := range listed(t) {
		if p != "ooc" {
			args = append(args, p)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "OOC_CAMPAIGN=long")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v", strings.Join(cmd.Args, " "), err)
	}
}

// TestCampaignFuzz fuzzes every reader, each for half an hour or OOC_FUZZTIME.
func TestCampaignFuzz(t *testing.T) {
	long(t)
	for _, p := range listed(t) {
		out, err := exec.Command("go", "test", "-list", "^Fuzz", p).Output()
		if err != nil {
			t.Fatal(err)
		}
		for target := range strings.FieldsSeq(string(out)) {
			if !strings.HasPrefix(target, "Fuzz") {
				continue
			}
			t.Run(target, func(t *testing.T) {
				cmd := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+target+"$", "-fuzztime", fuzzTime(), "-timeout=0", p)
				var out bytes.Buffer
				cmd.Stdout = io.MultiWriter(os.Stdout, &out)
				cmd.Stderr = os.Stderr
				if err := cmd.Run(); err != nil && !timeOver(target, out.String()) {
					t.Errorf("%s: %v", strings.Join(cmd.Args, " "), err)
				}
			})
		}
	}
}

// timeOver reports whether all that go test says against a target is that its time was over, which it takes for a
// failure if that happens in the wrong moment (https://go.dev/issue/75804).
func timeOver(target, out string) bool {
	alone := regexp.MustCompile(`(?m)^--- FAIL: ` + regexp.QuoteMeta(target) + ` \(.*\)\n +context deadline exceeded\nFAIL\n`)
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
		strings.ReplaceAll(head, "FuzzX", "FuzzY") + "    context deadline exceeded\n" + tail:                            false,
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
	out, err := exec.Command("go", append([]string{"list"}, packages()...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
