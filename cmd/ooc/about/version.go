// Package about is what the command says about itself: its version and build, its help and
// manual pages.
package about

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/terminal"
)

// number is the version of everything in this repository. The Python package and .ci/release read it here.
const number = "0.1.0"

// version is what was built, in JSON. A build from sources outside a clone knows no commit.
type version struct {
	Version    string  `json:"version"`
	Commit     *string `json:"commit"`
	CommitTime *string `json:"commit_time"`
	Modified   *bool   `json:"modified"` // since the commit
	Go         string  `json:"go"`
	Platform   string  `json:"platform"`
}

// build reads what the linker wrote into this program.
func build() version {
	v := version{Version: number, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = terminal.Known(s.Value)
		case "vcs.time":
			v.CommitTime = terminal.Known(s.Value)
		case "vcs.modified":
			modified := s.Value == "true"
			v.Modified = &modified
		}
	}
	return v
}

func (v version) String() string {
	var of []string
	if v.Commit != nil {
		of = append(of, "commit "+*v.Commit)
	}
	if v.Modified != nil && *v.Modified {
		of = append(of, "modified")
	}
	return fmt.Sprintf("%s (%s)", v.Version, strings.Join(append(of, v.Go, v.Platform), ", "))
}

// Version is what --version prints behind the name of the command. It is a variable only for tests.
var Version = func() string { return build().String() }

// VersionCommand returns ooc version.
func VersionCommand() *cobra.Command {
	var asJSON bool
	cmd := Command("version", nil)
	cmd.Run = func(cmd *cobra.Command, _ []string) {
		v := build()
		terminal.Either(asJSON, "version", v, terminal.Out, "%s version %s", cmd.Root().Name(), v)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}
