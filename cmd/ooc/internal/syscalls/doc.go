// Package syscalls stands between a process and the calls of the system by which it changes a folder, for tests. It
// sees each such call of every thread before it is done, one at a time, and lets it be done, has it fail with an error,
// or kills the process there.
//
// The process asks for it itself: it calls Submit before it does anything else. From then on the kernel (seccomp, with
// a listener) hands its calls to Run in the process that started it. Linux alone has that, from 5.19 on.
//
// What is written through a mapping is no call, and is not seen; the sync that makes it durable is.
package syscalls
