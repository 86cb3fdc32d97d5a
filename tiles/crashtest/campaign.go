package crashtest

import "os"

// Long says whether the long tier of the fault campaign runs: the variable
// OOC_CAMPAIGN is "long", which the test at the root of the module sets for
// -campaign=long.
func Long() bool { return os.Getenv("OOC_CAMPAIGN") == "long" }

// Times is how often a test of the campaign does its damage, in the short and
// in the long tier.
func Times(short, long int) int {
	if Long() {
		return long
	}
	return short
}
