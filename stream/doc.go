// Package stream overlaps the stages that carry tiles between disk, host memory and a device: disk →
// host page → slot → kernel → slot → host page → disk. It knows no algorithm: its caller submits
// operations in program order, each naming the regions of memory it reads and writes, and the pipeline
// runs them as early as those regions, the streams of the device and the window allow.
//
// # Invariants
//
//   - The result is the one that running the operations one after another in the order of Submit would
//     have given: an operation starts after the last writer of every region it touches, and after all
//     readers of the regions it writes.
//   - Operations depend only on operations submitted before them, and every queue is first in, first
//     out; so the oldest unfinished operation can always run, and nothing deadlocks.
//   - The first error stops everything: Submit, Drain and Close return it, and no later operation starts.
package stream
