package terminal

import "ooc/engine/text"

// Count prints a number of things.
func Count[N int | int64](n N, one, many string) string { return text.Count(n, one, many) }

// Per prints how many units come in a second, Rate relaxations, DistanceRate distances and PerSecond bytes; Time prints
// seconds.
var (
	Per          = text.Per
	Rate         = text.Rate
	DistanceRate = text.DistanceRate
	PerSecond    = text.PerSecond
	Time         = text.Time
)

// TimeLeft prints the seconds that are left; less than none are unknown.
func TimeLeft(seconds float64) string {
	if seconds < 0 {
		return "time left unknown yet"
	}
	return Time(seconds) + " left"
}
