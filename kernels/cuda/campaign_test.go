package cuda_test

import (
	"testing"

	"ooc/kernels"
	"ooc/kernels/cuda"
	"ooc/kernels/internal/failing"
	"ooc/tiles/crashtest"
)

const (
	outOfMemory  = 2   // CUDA_ERROR_OUT_OF_MEMORY, after which all goes on
	launchFailed = 719 // CUDA_ERROR_LAUNCH_FAILED, after which nothing does
)

// taking are the calls that take what has to be given back.
var taking = map[string]bool{"memAlloc": true, "hostAlloc": true, "hostRegister": true, "streamCreate": true,
	"eventCreate": true}

// TestCampaignDriver fails each call of the driver in turn, in solves on a driver without a GPU and, where there is
// one, on that of a GPU.
func TestCampaignDriver(t *testing.T) {
	crashtest.Campaign(t)
	for name, driver := range cuda.CampaignDrivers(t) {
		t.Run(name, func(t *testing.T) {
			failing.Campaign(t, failing.Driver{
				Open: func(memory int64, fail func(call string) bool) (kernels.Device, func() string, error) {
					return driver.Open(memory, func(call string) cuda.Result {
						switch {
						case !fail(call):
							return 0
						case taking[call]:
							return outOfMemory
						}
						return launchFailed
					})
				},
				Spoils: func(call string) bool { return !taking[call] },
				Memory: func(call string) bool { return call == "memAlloc" },
				Host:   func(call string) bool { return call == "hostAlloc" || call == "hostRegister" },
				Plain:  func(string) bool { return false },
			})
		})
	}
}
