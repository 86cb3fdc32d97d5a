package cuda

import (
	_ "embed"
	"fmt"

	"ooc/kernels"
)

// The kernels, compiled by generate.sh for Turing, for Ampere and for Hopper. A later chip takes the image of
// the one before it. What is new in its instructions, the driver's assembler finds in the same PTX: on
// Hopper an add and a minimum become one instruction, and two minima another.
var (
	//go:embed ptx/sm_75.ptx
	ptx75 string
	//go:embed ptx/sm_80.ptx
	ptx80 string
	//go:embed ptx/sm_90.ptx
	ptx90 string
)

// images holds the PTX by the least compute capability that runs it, as in 90 for 9.0.
var images = map[int]string{75: ptx75, 80: ptx80, 90: ptx90}

// imageFor returns the PTX for a compute capability.
func imageFor(capability int) (string, error) {
	best := 0
	for least := range images {
		if least <= capability {
			best = max(best, least)
		}
	}
	if best == 0 {
		return "", fmt.Errorf("compute capability %d.%d: want 7.5 (Turing) or higher", capability/10, capability%10)
	}
	return images[best], nil
}

// kernel names what is run; the names in PTX are these, followed by the variant's where they have one.
type kernel int

const (
	productBlocks kernel = iota // each block of threads computes baseEdge×baseEdge entries
	diagonal
	panels
	ceilingLoop
	perVariant // the number of kernels that exist in each variant
)

// The threads of each kernel are fixed in its code.
var kernelInfo = [perVariant]struct {
	name    string
	threads int
}{
	productBlocks: {"product_", 64},
	diagonal:      {"diagonal_", 256},
	panels:        {"panels_", 256},
	ceilingLoop:   {"ceiling_", 256},
}

var variantNames = [...]string{kernels.I32: "i32", kernels.I32Signed: "i32_signed", kernels.F32: "f32", kernels.F32Signed: "f32_signed"}

// table holds the loaded kernels.
type table struct {
	image  string
	of     [len(variantNames)][perVariant]handle
	upload handle
	clock  handle
}

const uploadThreads = 256

// load compiles the image for the GPU, or takes it from the driver's cache, and looks up the kernels.
func (d *Device) load() error {
	var log string
	err := d.call("cuModuleLoadDataEx", func() (r Result) {
		d.module, log, r = d.driver.moduleLoad(append([]byte(d.kernels.image), 0))
		return r
	})
	if err != nil && log != "" {
		return fmt.Errorf("compile the kernels: %w: %s", err, log)
	} else if err != nil {
		return fmt.Errorf("compile the kernels: %w", err)
	}
	find := func(name string, to *handle) {
		if err == nil {
			err = d.call("cuModuleGetFunction "+name, func() (r Result) {
				*to, r = d.driver.moduleFunction(d.module, name)
				return r
			})
		}
	}
	for v, variant := range variantNames {
		for k, info := range kernelInfo {
			find(info.name+variant, &d.kernels.of[v][k])
		}
	}
	find("upload_list", &d.kernels.upload)
	find("clock_rate", &d.kernels.clock)
	return err
}
