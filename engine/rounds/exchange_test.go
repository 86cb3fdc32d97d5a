package rounds

import (
	"context"
	"testing"

	"ooc/kernels"
)

// TestReceiveStopped stops one who waits for a tile while another part sends it: what is offered then is not looked at,
// which the race detector checks.
func TestReceiveStopped(t *testing.T) {
	for range 200 {
		ctx, stop := context.WithCancel(context.Background())
		h := &handover{ctx: ctx, offers: map[offerKey]*offer{}}
		sent := make(chan error)
		go func() { sent <- h.send([]int{1}, 0, 1, parcel{slot: kernels.Tile{Off: 64}}) }()
		stop()
		if slot, err := h.receive(0, 0, 1, nil); err != nil && slot != (kernels.Tile{}) {
			t.Error("a slot is returned with an error")
		}
		<-sent
	}
}
