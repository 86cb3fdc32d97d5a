package opencl

import (
	_ "embed"
	"fmt"
	"unsafe"

	"ooc/kernels/entry"
)

//go:embed src/common.cl
var commonSource string

//go:embed src/vector.cl
var vectorSource string

//go:embed src/vectors.cl
var vectorsSource string

//go:embed src/tiles.cl
var tilesSource string

//go:embed src/pairs.cl
var pairsSource string

//go:embed src/service.cl
var serviceSource string

//go:embed src/lanes.cl
var lanesSource string

// program is what one compilation makes kernels for.
type program struct {
	variant entry.Variant
	pairs   bool
	shape   shape // the zero shape: the kernels of service.cl or lanes.cl, which have none
	lanes   bool  // those of lanes.cl
	pieces  bool  // their operands may lie in several memory objects
}

// service is the program of the kernels of service.cl.
func service(v entry.Variant, pairs bool) program { return program{variant: v, pairs: pairs} }

// source is what is compiled.
func (d *device) source(p program) string {
	products := tilesSource
	if d.found.cpu {
		products = vectorSource + vectorsSource
	}
	switch {
	case p.lanes:
		return commonSource + vectorSource + lanesSource
	case p.shape == shape{}:
		return commonSource + serviceSource
	case p.pairs:
		return commonSource + products + pairsSource
	}
	return commonSource + products
}

// build returns a compiled program.
func (d *device) build(p program) (handle, error) {
	if p.variant == entry.F64 && !d.found.doubles {
		return 0, fmt.Errorf("%s has no numbers of 64 bits; solve with --kind f32 or --device cpu", d.found.Name)
	}
	d.building.Lock()
	defer d.building.Unlock()
	if d.programs == nil {
		return 0, errClosed
	}
	if h, ok := d.programs[p]; ok {
		return h, nil
	}
	h, err := d.compile(d.source(p), d.options(p))
	if err != nil {
		return 0, fmt.Errorf("kernels of %s: %w; --device cpu does without", p.variant, err)
	}
	d.programs[p] = h
	return h, nil
}

// compile has the driver compile a source. The error holds what its compiler says.
func (d *device) compile(source, options string) (h handle, err error) {
	l := d.lib
	err = keepingSignals(func() error {
		text, flags := append([]byte(source), 0), append([]byte(options), 0)
		texts := [1]unsafe.Pointer{unsafe.Pointer(&text[0])}
		h, err = l.create("clCreateProgramWithSource", l.clCreateProgramWithSource, uintptr(d.context), 1,
			uintptr(unsafe.Pointer(&texts[0])), 0)
		if err != nil {
			return err
		}
		ids := [1]handle{d.found.id}
		if c := l.call(l.clBuildProgram, uintptr(h), 1, uintptr(unsafe.Pointer(&ids[0])),
			uintptr(unsafe.Pointer(&flags[0])), 0, 0); c != success {
			log := d.buildLog(h)
			l.call(l.clReleaseProgram, uintptr(h)) // the error that counts is the build's
			return &clError{Call: "clBuildProgram", Code: c, Log: log}
		}
		return nil
	})
	return h, outOfMemory(err)
}

// mostLog is how much of the compiler's log is told: its first errors.
const mostLog = 2000

func (d *device) buildLog(h handle) string {
	l, size := d.lib, new(uintptr)
	if l.call(l.clGetProgramBuildInfo, uintptr(h), uintptr(d.found.id), programLog, 0, 0,
		uintptr(unsafe.Pointer(size))) != success || *size == 0 {
		return ""
	}
	log := make([]byte, *size)
	c := l.call(l.clGetProgramBuildInfo, uintptr(h), uintptr(d.found.id), programLog, *size,
		uintptr(unsafe.Pointer(&log[0])), 0)
	all := text(log, c)
	return all[:min(len(all), mostLog)]
}

// newKernel makes a kernel of a program. Each stream has its own, since arguments are set one by one.
func (d *device) newKernel(k kernelOf) (handle, error) {
	h, err := d.build(k.program)
	if err != nil {
		return 0, err
	}
	text := append([]byte(k.name), 0)
	kernel, err := d.lib.create("clCreateKernel", d.lib.clCreateKernel, uintptr(h), uintptr(unsafe.Pointer(&text[0])))
	return kernel, outOfMemory(err)
}
