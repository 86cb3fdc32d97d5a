// Package opencl is the device that computes on whatever has an OpenCL driver, version 1.2 or newer: GPUs of AMD,
// Intel and others, and processors. The library libOpenCL is loaded at run time with purego, on Linux, so that the
// package builds without cgo; elsewhere it says that there is none.
//
// # Kernels
//
// Kernels are embedded as source, which the driver compiles when an operation first needs them. Drivers keep what
// they have compiled on disk. There are two shapes: with local memory and blocks in registers for GPUs
// (src/tiles.cl), and with vectors for processors (src/vectors.cl). Operations on lanes (src/lanes.cl) have one
// source for both. What else differs from device to device is in one table (tunables.go).
//
// # Memory
//
// Drivers limit the size of one allocation, some to a quarter of the memory. So a Buffer may be several memory
// objects, its pieces. A tile that lies across two pieces is copied to one place before an operation and, if it is a
// result, back afterwards. Pieces have a size that tiles of all usual edges divide, so this is rare.
//
// # Signals
//
// Drivers replace handlers of signals, those of Go's runtime among them, which it needs: a nil pointer is then a
// crash dump of the driver. They are put back after each call that may have done so.
package opencl
