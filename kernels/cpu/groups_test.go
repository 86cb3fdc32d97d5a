package cpu

import (
	"fmt"
	"testing"

	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/tiles/crashtest"
)

func TestTileOps(t *testing.T) {
	crashtest.Slow(t)
	eachPath(t, func(t *testing.T, path string) {
		conformance.Group[kernels.TileOps](t, func(memory int64) (kernels.Device, error) {
			return Open(Options{Memory: memory, Path: path, Threads: 3})
		})
	})
}

func TestVectorOps(t *testing.T) {
	crashtest.Slow(t)
	for _, threads := range []int{1, 3} {
		t.Run(fmt.Sprintf("threads=%d", threads), func(t *testing.T) {
			conformance.Group[kernels.VectorOps](t, func(memory int64) (kernels.Device, error) {
				return Open(Options{Memory: memory, Threads: threads})
			})
		})
	}
}

func TestHostLaneOps(t *testing.T) {
	crashtest.Slow(t)
	eachPath(t, func(t *testing.T, path string) {
		conformance.Group[kernels.HostLaneOps](t, func(memory int64) (kernels.Device, error) {
			return Open(Options{Memory: memory, Threads: 1, Path: path})
		})
	})
}

func TestPeerOps(t *testing.T) {
	open := func(memory int64) (kernels.Device, error) { return Open(Options{Memory: memory, Threads: 1}) }
	conformance.PeerOps(t, open, open)
}
