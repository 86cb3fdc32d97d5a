package opencl_test

import (
	"testing"

	"ooc/kernels"
	"ooc/kernels/internal/failing"
	"ooc/kernels/opencl"
	"ooc/tiles/crashtest"
)

// TestCampaignDriver fails each call of the driver in turn, in solves.
func TestCampaignDriver(t *testing.T) {
	crashtest.Campaign(t)
	failing.Campaign(t, failing.Driver{
		Open: func(memory int64, fail func(call string) bool) (kernels.Device, func() string, error) {
			return opencl.OpenBooked(t, opencl.Options{Memory: memory}, fail)
		},
		Spoils: func(string) bool { return false },
		Memory: func(call string) bool { return call == "clCreateBuffer" },
		Host:   func(call string) bool { return call == "clEnqueueMapBuffer" },
		Plain: func(call string) bool {
			// Memory of the host is then not page-locked, or another device is not there.
			return call == opencl.HostBuffer || call == opencl.OtherDevice || call == "clReleaseEvent" ||
				call == "clGetEventInfo" || call == "clGetPlatformInfo"
		},
	})
}
