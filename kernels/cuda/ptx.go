package cuda

import (
	_ "embed"
	"fmt"

	"ooc/kernels"
)

// The kernels, compiled by generate.sh for chips before Ampere, and for those from it on, which copy to
// shared memory asynchronously. What later chips do better, their assembler finds in the same PTX: from
// sm_90 on, an add and a minimum become one instruction, and two minima another.
var (
	//go:embed ptx/sm_75.ptx
	ptx75 string
	//go:embed ptx/sm_80.ptx
	ptx80 string
)

// imageFor returns the PTX for a compute capability, as in 90 for 9.0.
func imageFor(capability int) (string, error) {
	switch {
	case capability >= 80:
		return ptx80, nil
	case capability >= 75:
		return ptx75, nil
	}
	return "", fmt.Errorf("compute capability %d.%d: want 7.5 (Turing) or higher", capability/10, capability%10)
}

// kernel names what is run; the names in PTX are these, followed by the variant's where they have one.
type kernel int

const (
	product128 kernel = iota // blocks of 128×128 entries
	product64                // blocks of 64×64 entries
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
	product128:  {"product128_", 256},
	product64:   {"product64_", 64},
	diagonal:    {"diagonal_", 256},
	panels:      {"panels_", 256},
	ceilingLoop: {"ceiling_", 256},
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
