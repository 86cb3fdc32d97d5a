package flagvalue

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ooc/cmd/ooc/exit"
)

// Error says what is wrong with the flags of a command line.
func Error(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid):
		fl, cause := invalid.GetFlag(), invalid.Unwrap()
		switch fl.Value.Type() { // whose errors speak of Go
		case "bool":
			cause = errors.New("want true or false, or nothing")
		case "intSlice":
			cause = errors.New("want whole numbers, separated by commas")
		}
		err = fmt.Errorf("--%s %s: %w", fl.Name, Plainly(invalid.GetValue()), cause)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		err = fmt.Errorf("%w; give -- before names that begin with -", err)
	}
	return exit.UsageError(err)
}

// Check refuses flags that do not go together, and flags and arguments that are empty, as a script gives them whose
// variable is not set.
func Check(cmd *cobra.Command) (err error) {
	if err := cmd.ValidateFlagGroups(); err != nil { // all groups are pairs of which one may be given
		_, group, _ := strings.Cut(err.Error(), "[")
		group, _, _ = strings.Cut(group, "]")
		return exit.UsageError(fmt.Errorf("--%s: give one of them", strings.Replace(group, " ", " and --", 1)))
	}
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		if text := fl.Value.String(); err == nil && (text == "" || text == "[]") {
			err = exit.UsageError(fmt.Errorf("--%s is empty: give it a value, or leave it away", fl.Name))
		}
	})
	if i := slices.Index(cmd.Flags().Args(), ""); err == nil && i >= 0 {
		err = exit.UsageError(fmt.Errorf("argument %d is empty: give it a value, or leave it away", i+1))
	}
	return err
}
