// Package cuda is the device that computes on an NVIDIA GPU, Turing (sm_75) or newer, through the CUDA driver
// API. A user needs a driver of the CUDA 12 line or later, and no toolkit: the kernels are embedded as PTX,
// which the driver compiles for the GPU it finds.
//
// # Bindings
//
// All calls go through the small interface driver. By default libcuda is loaded at run time with purego, so
// that the package builds without cgo and a program without a GPU merely gets ErrNoDevice. With the build
// tag gorgonia the binding is gorgonia.org/cu and a little cgo. docs/cuda.md says when to prefer which.
//
// # Order and errors
//
// A kernels.Stream is a CUDA stream. One that closes a pivot is on the critical path of a solve: from its
// first Closure on, its work is of higher priority, so that it need not wait for the thousands of blocks
// that a batch of products has queued.
//
// An error that CUDA reports after the call that caused it has spoiled the context: it is kept, and all
// later calls of the device return it.
//
// # Memory
//
// Of the limit of Options.Memory the device itself takes Info().Scratch, for lists of operands and copies of
// a pivot's panels. What the driver needs for its context is not counted.
package cuda

//go:generate sh generate.sh
