package text

import (
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Count prints a number of things.
func Count[N int | int64](n N, one, many string) string {
	return humanize.Comma(int64(n)) + " " + english.PluralWord(int(n), one, many)
}

// Per prints how many units come in a second: "relax" for relaxations, "B" for bytes.
func Per(rate float64, unit string) string {
	x, prefix := humanize.ComputeSI(rate)
	return fmt.Sprintf("%.3g %s%s/s", x, prefix, unit)
}

// Time prints seconds in the two units that matter.
func Time(seconds float64) string {
	if seconds > math.MaxInt64/float64(time.Second) {
		return "centuries" // more than a Duration holds
	}
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}
