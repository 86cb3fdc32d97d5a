package crashtest

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// campaign names the variable that says how often tests of the fault campaign do their damage: not at all where it is
// unset; "short": minutes of it, as in .ci/run; "medium": half an hour, as in .ci/run --long; "long": hours. Other
// tests repeat themselves where it is set.
//
// To run one alone: OOC_CAMPAIGN=long go test -v -timeout 0 -run CampaignKills ./cmd/ooc. TMPDIR=/dev/shm makes most
// of them faster. These change what they do:
//
//	OOC_FUZZTIME=2m   how long each reader is fuzzed, and tests that take a given time
//	OOC_KILLS=100     how many kills there are in CampaignKills and CampaignForms
//	OOC_SOAK=1h       how long CampaignSoak takes
//
// These turn tests that are skipped on some machines into failures: OOC_REQUIRE_STOPS (a process was done before it
// could be stopped), OOC_REQUIRE_MOUNT and OOC_REQUIRE_CGROUP (root), OOC_REQUIRE_SYSCALLS (a seccomp listener, Linux
// 5.19), OOC_REQUIRE_GPU, OOC_REQUIRE_OPENCL.
//
// Tests need no Go where they run: go test -c -o forms.test ./cmd/ooc, and there
// ./forms.test -test.v -test.run CampaignForms -test.timeout 0.
const campaign = "OOC_CAMPAIGN"

// Campaign skips a test that repeats its damage many times, unless OOC_CAMPAIGN wants that.
func Campaign(t *testing.T) {
	t.Helper()
	switch size := os.Getenv(campaign); size {
	case "":
		t.Skip("it repeats its damage many times: OOC_CAMPAIGN=short go test -run Campaign ./... (minutes), medium " +
			"(half an hour) or long (hours)")
	case "short":
	case "medium", "long":
		if _, limited := t.Deadline(); limited {
			t.Fatalf("OOC_CAMPAIGN=%s takes longer than the ten minutes after which go test ends it; give "+
				"-timeout 0 too", size)
		}
	default:
		t.Fatalf("OOC_CAMPAIGN is %q, want short, medium or long", size)
	}
}

// Long says whether the campaign is the long one.
func Long() bool { return os.Getenv(campaign) == "long" }

// Times is how often a test of the campaign does its damage, in the short one and in the long one. In the medium one
// it is a tenth of the long one.
func Times(short, long int) int {
	switch os.Getenv(campaign) {
	case "long":
		return long
	case "medium":
		return max(short, long/10)
	}
	return short
}

// Repeats is how often a test repeats itself with new random inputs, or how many it takes: few in a plain go test,
// many in a campaign, half way between in a short one.
func Repeats(few, many int) int {
	switch os.Getenv(campaign) {
	case "":
		return few
	case "short":
		return (few + many + 1) / 2
	}
	return many
}

// Some draws as many of a list as Repeats says, others in each run; all but a short campaign try all.
func Some[T any](r *rand.Rand, few int, list []T) []T {
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:Repeats(min(few, len(list)), len(list))]
}

// Slow skips a test that takes a second or more, where go test -short asks for the quick ones alone.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes a second or more: go test without -short runs it")
	}
}
