package cuda

import (
	"errors"
	"fmt"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// place is where memory of a GPU lies.
type place struct {
	device *Device
	at     address
}

type (
	books  = ledger.Ledger[place, hostBlock, *stream]
	buffer = ledger.Buffer[place]
	own    = ledger.Own[place]
)

func (d *Device) take(bytes int64, _ bool) (place, error) {
	at, err := got(d, "cuMemAlloc", func() (address, Result) { return d.driver.memAlloc(bytes) })
	if e := (*Error)(nil); errors.As(err, &e) && e.Result == outOfMemory {
		err = fmt.Errorf("%w: %w", kernels.ErrNoMemory, err)
	}
	return place{d, at}, err
}

func (d *Device) give(p place) error {
	return d.call("cuMemFree", func() Result { return d.driver.memFree(p.at) })
}

// addressOf returns the address of a tile that is in a buffer.
func addressOf(t kernels.Tile) address { return kernels.Bare(t.Buf).(*buffer).At.at + address(t.Off) }

// resolve returns the address of a tile of so many bytes.
func (d *Device) resolve(t kernels.Tile, bytes int64) (address, error) {
	if _, err := d.Find(t, bytes); err != nil {
		return 0, err
	}
	return addressOf(t), nil
}

// vector is the size of the loads of the kernels in bytes, to which tiles that they use are aligned.
const vector = 16

func (d *Device) resolveTile(f *form, v entry.Variant, edge int, t kernels.Tile) (address, error) {
	at, err := d.resolve(t, int64(edge)*int64(edge)*f.entryBytes(v))
	if err == nil && at%vector != 0 {
		return 0, fmt.Errorf("tile at offset %d: want a multiple of %d", t.Off, vector)
	}
	return at, err
}
