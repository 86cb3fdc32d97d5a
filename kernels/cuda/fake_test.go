package cuda

import (
	"fmt"
	"sync"
	"unsafe"
)

// fake is a driver without a GPU. Its device memory is Go memory, its kernels are plain Go on the same
// parameters as the real ones, and every operation is done before its call returns. So it judges what the
// package does around the kernels: lists, launches, memory, errors.
type fake struct {
	mu       sync.Mutex
	next     handle
	memory   map[address][]byte
	host     map[unsafe.Pointer][]byte
	locked   map[unsafe.Pointer]int64
	streams  map[handle]int // by handle, their priority
	events   map[handle]bool
	contexts int
	modules  int
	kernels  map[handle]string
	launches []string

	lazy       bool     // arithmetic is not done
	gpus       []string // their models
	peers      bool     // they reach each other
	open       map[[2]handle]bool
	current    handle // context, as it was set last
	capability int
	free       int64
	// fail returns what a call, by the name of the method, is to return instead of being made.
	fail func(call string) Result
}

// firstContext is that of the first GPU.
const firstContext handle = 77

func newFake() *fake {
	return &fake{memory: map[address][]byte{}, host: map[unsafe.Pointer][]byte{}, locked: map[unsafe.Pointer]int64{},
		streams: map[handle]int{}, events: map[handle]bool{}, kernels: map[handle]string{}, open: map[[2]handle]bool{},
		peers: true,
		gpus:  []string{"Fake GPU"}, capability: 90, free: 8 << 30, fail: func(string) Result { return success }}
}

// leaks names what is still alive.
func (f *fake) leaks() string {
	counts := []int{len(f.memory), len(f.host), len(f.locked), len(f.streams), len(f.events), f.contexts, f.modules}
	for _, n := range counts {
		if n != 0 {
			return fmt.Sprintf("memory, host, locked, streams, events, contexts, modules: %v", counts)
		}
	}
	return ""
}

func (f *fake) handle() handle { f.next++; return f.next }

func (f *fake) binding() string            { return "fake" }
func (f *fake) version() (int, Result)     { return 12040, f.fail("version") }
func (f *fake) deviceCount() (int, Result) { return len(f.gpus), f.fail("deviceCount") }
func (f *fake) deviceName(ordinal int) (string, Result) {
	return f.gpus[ordinal], f.fail("deviceName")
}

func (f *fake) deviceAttribute(a attribute, _ int) (int, Result) {
	values := map[attribute]int{clockKHz: 1_000_000, doubleRatio: 2, multiprocessor: 2, major: f.capability / 10,
		minor: f.capability % 10}
	return values[a], f.fail("deviceAttribute")
}

func (f *fake) primaryContextRetain(ordinal int) (handle, Result) {
	if r := f.fail("primaryContextRetain"); r != success {
		return 0, r
	}
	f.contexts++
	return firstContext + handle(ordinal), success
}

func (f *fake) primaryContextRelease(int) Result { f.contexts--; return success }

func (f *fake) setCurrent(c handle) Result {
	if c < firstContext || c >= firstContext+handle(len(f.gpus)) {
		return invalidValue
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.current = c
	return success
}

func (f *fake) errorText(r Result) (name, text string) {
	return fmt.Sprintf("FAKE_%d", r), "as the test wants"
}

func (f *fake) memoryInfo() (free, total int64, r Result) {
	return f.free, f.free, f.fail("memoryInfo")
}

func (f *fake) memAlloc(bytes int64) (address, Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.fail("memAlloc"); r != success {
		return 0, r
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(make([]listEntry, bytes/entryBytes+1)))), bytes)
	at := address(uintptr(unsafe.Pointer(&b[0])))
	f.memory[at] = b
	return at, success
}

func (f *fake) memFree(a address) Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.memory[a]; !ok {
		return invalidValue
	}
	delete(f.memory, a)
	return f.fail("memFree")
}

func (f *fake) hostAlloc(bytes int64) (unsafe.Pointer, Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.fail("hostAlloc"); r != success {
		return nil, r
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(make([]listEntry, bytes/entryBytes+1)))), bytes)
	f.host[unsafe.Pointer(&b[0])] = b
	return unsafe.Pointer(&b[0]), success
}

func (f *fake) hostFree(p unsafe.Pointer) Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.host[p]; !ok {
		return invalidValue
	}
	delete(f.host, p)
	return success
}

func (f *fake) hostRegister(p unsafe.Pointer, bytes int64) Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.fail("hostRegister"); r != success {
		return r
	}
	f.locked[p] = bytes
	return success
}

func (f *fake) hostUnregister(p unsafe.Pointer) Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.locked[p]; !ok {
		return hostNotRegister
	}
	delete(f.locked, p)
	return success
}

func (f *fake) priorityRange() (least, greatest int, r Result) { return 0, -5, success }

func (f *fake) streamCreate(priority int) (handle, Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.fail("streamCreate"); r != success {
		return 0, r
	}
	h := f.handle()
	f.streams[h] = priority
	return h, success
}

func (f *fake) streamDestroy(s handle) Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.streams, s)
	return success
}

func (f *fake) streamSynchronize(handle) Result { return f.fail("streamSynchronize") }

func (f *fake) streamWaitEvent(s, e handle) Result { return f.fail("streamWaitEvent") }

func (f *fake) eventCreate() (handle, Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.fail("eventCreate"); r != success {
		return 0, r
	}
	h := f.handle()
	f.events[h] = true
	return h, success
}

func (f *fake) eventDestroy(e handle) Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.events, e)
	return success
}

func (f *fake) eventRecord(e, s handle) Result   { return f.fail("eventRecord") }
func (f *fake) eventSynchronize(e handle) Result { return f.fail("eventSynchronize") }
func (f *fake) eventQuery(e handle) Result       { return f.fail("eventQuery") }

func (f *fake) eventElapsed(start, end handle) (float32, Result) {
	return 1, f.fail("eventElapsed")
}

// at views memory at an address that the device handed out; any other is found by Go's own checks.
func at[T any](a address, n int) []T {
	return unsafe.Slice(*(**T)(unsafe.Pointer(&a)), n)
}

func (f *fake) copyIn(dst address, src unsafe.Pointer, bytes int64, s handle) Result {
	if r := f.crosses(src, bytes); r != success {
		return r
	}
	copy(at[byte](dst, int(bytes)), unsafe.Slice((*byte)(src), bytes))
	return f.fail("copyIn")
}

func (f *fake) copyOut(dst unsafe.Pointer, src address, bytes int64, s handle) Result {
	if r := f.crosses(dst, bytes); r != success {
		return r
	}
	copy(unsafe.Slice((*byte)(dst), bytes), at[byte](src, int(bytes)))
	return f.fail("copyOut")
}

func (f *fake) canAccessPeer(ordinal, peer int) (bool, Result) {
	return f.peers && ordinal != peer, f.fail("canAccessPeer")
}

// enablePeerAccess says of a way that is open that it is.
func (f *fake) enablePeerAccess(peer handle) Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.fail("enablePeerAccess"); r != success {
		return r
	}
	way := [2]handle{f.current, peer}
	if f.open[way] {
		return peerAccessEnabled
	}
	f.open[way] = true
	return success
}

func (f *fake) copyPeer(dst address, to handle, src address, from handle, bytes int64, s handle) Result {
	f.mu.Lock()
	open := to == f.current && (to == from || f.open[[2]handle{to, from}])
	f.mu.Unlock()
	if !open {
		return invalidValue
	}
	copy(at[byte](dst, int(bytes)), at[byte](src, int(bytes)))
	return f.fail("copyPeer")
}

// crosses refuses, as CUDA does, a copy that leaves the registration in which it starts.
func (f *fake) crosses(p unsafe.Pointer, bytes int64) Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	for q, n := range f.locked {
		if off := int64(uintptr(p)) - int64(uintptr(q)); off >= 0 && off < n && off+bytes > n {
			return invalidValue
		}
	}
	return success
}

func (f *fake) moduleLoad(image []byte) (handle, string, Result) {
	if image[len(image)-1] != 0 {
		return 0, "no zero at the end", invalidValue
	}
	if r := f.fail("moduleLoad"); r != success {
		return 0, "the log", r
	}
	f.modules++
	return f.handle(), "", success
}

func (f *fake) moduleUnload(handle) Result { f.modules--; return success }

func (f *fake) moduleFunction(_ handle, name string) (handle, Result) {
	h := f.handle()
	f.kernels[h] = name
	return h, f.fail("moduleFunction")
}

func (f *fake) launch(function handle, blocks, threads int, s handle, p unsafe.Pointer, bytes uintptr) Result {
	if r := f.fail("launch"); r != success {
		return r
	}
	f.mu.Lock()
	name := f.kernels[function]
	f.launches = append(f.launches, name)
	f.mu.Unlock()
	for k, info := range kernelInfo {
		for _, v := range kernel(k).variants() {
			if name == info.name+nameOf(v) {
				if f.lazy {
					return success
				}
				return f.arithmetic(kernel(k), v, blocks, threads, p, bytes)
			}
		}
	}
	switch name {
	case "upload_list":
		u := (*uploadParam)(p)
		copy(at[listEntry](u.to, int(u.n)), unsafe.Slice((*listEntry)(u.from), u.n))
	case "clock_rate":
		c := (*clockParam)(p)
		*(*[2]uint64)(c.out) = [2]uint64{c.ns * 3 / 2, c.ns}
	default:
		return f.serve(name, threads, blocks, p)
	}
	return success
}
