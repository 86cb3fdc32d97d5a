package plan

import "ooc/kernels/entry"

// unlimited is more memory than any device has.
const unlimited = 1 << 50

// Chooser returns the request that choices are made by, where another one would round sums differently: which
// algorithm, which tiles, how wide rounds are, and where an elimination stops. Of integers that is q itself. Of
// floats it has fixed rates in the place of those that were measured, and, on a processor, any amount of memory: so
// choices follow from counted work, and are the same in every run. Nor does it know the tile edge, since a store has
// that before anything is begun, or where the store is. Times that are shown are those of q.
func (q *Basis) Chooser() *Basis {
	if !q.Facts.Kind.Float() {
		return q
	}
	c, r := *q, q.Rates
	c.Tile, c.InMemory = 0, false
	c.Rates = Rates{
		Kernel: 50e9, PerOperation: 10e-6, Closure: 2.6e-3, In: 50e9, Out: 50e9, Read: 50e9, Write: 35e9, threads: 2,
	}
	if c.Info.SharedCores {
		c.Info.Memory = unlimited
	} else {
		c.Rates = Models[0].rates
		c.Rates.Kernel, c.Rates.Host, c.Rates.Levels, c.Rates.threads = Models[0].products[entry.F32], 500e9, 950e9, 16
	}
	slower := float64(q.Facts.Kind.Bytes()) / entry.WordBytes
	c.Rates.Kernel, c.Rates.Closure = c.Rates.Kernel/slower, c.Rates.Closure*slower
	c.Rates.Host, c.Rates.Levels = c.Rates.Host/slower, c.Rates.Levels/slower
	if q.Nodes > 0 { // of machines that are not here, these were given
		c.Rates.Link, c.Rates.Disk, c.Rates.Uncached = r.Link, r.Disk, r.Uncached
	}
	return &c
}
