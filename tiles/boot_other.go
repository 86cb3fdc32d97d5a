//go:build !linux

package tiles

import "os"

// bootID is empty: without a name for the run of the system no note is trusted.
func bootID() string { return "" }

func incarnationOf(*os.File, string) incarnation { return incarnation{} }
