package plan

import (
	"cmp"
	"fmt"
	"slices"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// gpuModel is a device that plans can be made for where there is none.
type gpuModel struct {
	Name     string // that users give to --device
	info     kernels.Info
	rates    Rates
	products [entry.VariantCount]float64 // relaxations/s of products; 0: not known
}

// Models is the table of them. The rates of the H100 and the H200 are those that plans measured on them
// (docs/benchmarks.md), which had PCIe of the fifth generation; of a solve, i32 and f32 take as long as each other.
// The A100 was not measured: its rate is 80 % of its ceiling, 64 relaxations for each clock and multiprocessor as
// NVIDIA's guide to CUDA has them, and copies have half the rate. A new model is one more line.
var Models = []gpuModel{
	model("h100", "NVIDIA H100 80GB HBM3", 76<<30, 18.2e12, 2, 55e9),
	model("h200", "NVIDIA H200", 136<<30, 18.2e12, 2, 55e9),
	model("a100", "NVIDIA A100 80GB", 76<<30, 0.8*108*64*1.41e9, 1, 25e9),
}

// model returns a model by its memory for tiles, its relaxations/s of 4 bytes and how many times those of 2 bytes
// are, and the rate of its copies.
func model(name, full string, memory int64, products, u16, copies float64) gpuModel {
	m := gpuModel{Name: name, info: kernels.Info{Name: name, Model: full + ", which is not here", Memory: memory}}
	m.rates = guessRates(m.info)
	m.rates.Tail, m.rates.Closure = 40e-9, 0.2e-3*18.2e12/products
	m.rates.In, m.rates.Out, m.rates.Read, m.rates.Write, m.rates.Host = copies, copies, 35e9, 23.8e9, 0
	for _, v := range []entry.Variant{entry.I32, entry.I32Signed, entry.F32, entry.F32Signed} {
		m.products[v] = products
	}
	m.products[entry.U16] = u16 * products
	return m
}

// modeled is a model as a device, which has but its Info: nothing can run on it.
type modeled struct {
	kernels.Device
	kernels.TileOps
	gpuModel
}

func (d *modeled) Info() kernels.Info { return d.info }
func (d *modeled) Close() error       { return nil }

// Modeled returns the model of that name as a device to plan for, with so much memory for tiles; 0: what such a
// device has. ok reports whether there is one.
func Modeled(name string, memory int64) (d kernels.Device, ok bool) {
	i := slices.IndexFunc(Models, func(m gpuModel) bool { return m.Name == name })
	if i < 0 {
		return nil, false
	}
	m := Models[i]
	m.info.Memory = cmp.Or(memory, m.info.Memory)
	return &modeled{gpuModel: m}, true
}

// ratesOf returns the rates of a model. It fails with ErrAlgorithm if they are not known for entries of a variant, or
// with predecessors.
func (d *modeled) ratesOf(v entry.Variant, tracks bool) (Rates, error) {
	r := d.rates
	if r.Kernel = d.products[v]; tracks || r.Kernel == 0 {
		what := "entries of kind " + string(v.Kind())
		if tracks {
			what = "predecessors"
		}
		return r, fmt.Errorf("%w: no rate of %s is known for %s; plan for a --device that is here", ErrAlgorithm,
			d.Name, what)
	}
	return r, nil
}
