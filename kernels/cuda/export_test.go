package cuda

import (
	"fmt"
	"unsafe"
)

const trapPTX = `.version 7.0
.target sm_75
.address_size 64
.visible .entry trap_now(.param .u64 unused) { trap; }
` + "\x00"

// Trap runs a kernel that traps, which spoils the context for every call after it, as a fault of the hardware does.
func Trap(d *Device) error {
	var module, function, stream handle
	steps := []struct {
		name string
		do   func() Result
	}{
		{"cuModuleLoadDataEx", func() (r Result) { module, _, r = d.driver.moduleLoad([]byte(trapPTX)); return r }},
		{"cuModuleGetFunction", func() (r Result) {
			function,
				r = d.driver.moduleFunction(module, "trap_now")
			return r
		}},
		{"cuStreamCreate", func() (r Result) { stream, r = d.driver.streamCreate(0); return r }},
		{"cuLaunchKernel", func() Result {
			var unused uint64
			return d.driver.launch(function, 1, 1, stream, unsafe.Pointer(&unused), 8)
		}},
	}
	for _, s := range steps {
		if err := d.call(s.name, s.do); err != nil {
			return fmt.Errorf("setting the trap: %w", err)
		}
	}
	return nil
}
