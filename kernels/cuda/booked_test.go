package cuda

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"unsafe"
)

// booked is a driver that keeps books of what was taken from it and not given back, and whose calls can be made to
// fail: fail is asked before each, by name, and returns what it comes to, 0 if it is to be made.
type booked struct {
	driver
	fail func(call string) Result

	mu    sync.Mutex
	alive map[string]int // by what it is; guarded by mu
}

// leaks names what is alive.
func (b *booked) leaks() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.alive {
		if n != 0 {
			return fmt.Sprint(b.alive)
		}
	}
	return ""
}

// book counts what a call took, or gave back, if it was made and succeeded.
func (b *booked) book(what string, change int, r Result) Result {
	if r == success {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.alive[what] += change
	}
	return r
}

func (b *booked) version() (v int, r Result) {
	if r = b.fail("version"); r == success {
		v, r = b.driver.version()
	}
	return v, r
}

func (b *booked) deviceCount() (n int, r Result) {
	if r = b.fail("deviceCount"); r == success {
		n, r = b.driver.deviceCount()
	}
	return n, r
}

func (b *booked) deviceName(ordinal int) (name string, r Result) {
	if r = b.fail("deviceName"); r == success {
		name, r = b.driver.deviceName(ordinal)
	}
	return name, r
}

func (b *booked) deviceAttribute(a attribute, ordinal int) (v int, r Result) {
	if r = b.fail("deviceAttribute"); r == success {
		v, r = b.driver.deviceAttribute(a, ordinal)
	}
	return v, r
}

func (b *booked) primaryContextRetain(ordinal int) (h handle, r Result) {
	if r = b.fail("primaryContextRetain"); r == success {
		h, r = b.driver.primaryContextRetain(ordinal)
		b.book("contexts", 1, r)
	}
	return h, r
}

func (b *booked) primaryContextRelease(ordinal int) Result {
	return b.book("contexts", -1, b.driver.primaryContextRelease(ordinal))
}

func (b *booked) memoryInfo() (free, total int64, r Result) {
	if r = b.fail("memoryInfo"); r == success {
		free, total, r = b.driver.memoryInfo()
	}
	return free, total, r
}

func (b *booked) memAlloc(bytes int64) (at address, r Result) {
	if r = b.fail("memAlloc"); r == success {
		at, r = b.driver.memAlloc(bytes)
		b.book("buffers", 1, r)
	}
	return at, r
}

func (b *booked) memFree(a address) Result {
	r := b.fail("memFree")
	return max(r, b.book("buffers", -1, b.driver.memFree(a))) // an error of a launch before it, say
}

func (b *booked) hostAlloc(bytes int64) (p unsafe.Pointer, r Result) {
	if r = b.fail("hostAlloc"); r == success {
		p, r = b.driver.hostAlloc(bytes)
		b.book("page-locked blocks", 1, r)
	}
	return p, r
}

func (b *booked) hostFree(p unsafe.Pointer) Result {
	return b.book("page-locked blocks", -1, b.driver.hostFree(p))
}

func (b *booked) hostRegister(p unsafe.Pointer, bytes int64) (r Result) {
	if r = b.fail("hostRegister"); r == success {
		r = b.book("registrations", 1, b.driver.hostRegister(p, bytes))
	}
	return r
}

func (b *booked) hostUnregister(p unsafe.Pointer) Result {
	return b.book("registrations", -1, b.driver.hostUnregister(p))
}

func (b *booked) streamCreate(priority int) (h handle, r Result) {
	if r = b.fail("streamCreate"); r == success {
		h, r = b.driver.streamCreate(priority)
		b.book("streams", 1, r)
	}
	return h, r
}

func (b *booked) streamDestroy(s handle) Result {
	return b.book("streams", -1, b.driver.streamDestroy(s))
}

func (b *booked) streamSynchronize(s handle) Result {
	return max(b.fail("streamSynchronize"), b.driver.streamSynchronize(s))
}

func (b *booked) streamWaitEvent(s, e handle) Result {
	return max(b.fail("streamWaitEvent"), b.driver.streamWaitEvent(s, e))
}

func (b *booked) eventCreate() (h handle, r Result) {
	if r = b.fail("eventCreate"); r == success {
		h, r = b.driver.eventCreate()
		b.book("events", 1, r)
	}
	return h, r
}

func (b *booked) eventDestroy(e handle) Result {
	return b.book("events", -1, b.driver.eventDestroy(e))
}

func (b *booked) eventRecord(e, s handle) Result {
	return max(b.fail("eventRecord"), b.driver.eventRecord(e, s))
}

func (b *booked) eventSynchronize(e handle) Result {
	return max(b.fail("eventSynchronize"), b.driver.eventSynchronize(e))
}

func (b *booked) eventQuery(e handle) Result {
	return max(b.fail("eventQuery"), b.driver.eventQuery(e))
}

func (b *booked) eventElapsed(start, end handle) (ms float32, r Result) {
	if r = b.fail("eventElapsed"); r == success {
		ms, r = b.driver.eventElapsed(start, end)
	}
	return ms, r
}

func (b *booked) copyIn(dst address, src unsafe.Pointer, bytes int64, s handle) (r Result) {
	if r = b.fail("copyIn"); r == success {
		r = b.driver.copyIn(dst, src, bytes, s)
	}
	return r
}

func (b *booked) copyOut(dst unsafe.Pointer, src address, bytes int64, s handle) (r Result) {
	if r = b.fail("copyOut"); r == success {
		r = b.driver.copyOut(dst, src, bytes, s)
	}
	return r
}

func (b *booked) moduleLoad(image []byte) (h handle, log string, r Result) {
	if r = b.fail("moduleLoad"); r == success {
		h, log, r = b.driver.moduleLoad(image)
		b.book("modules", 1, r)
	}
	return h, log, r
}

func (b *booked) moduleUnload(h handle) Result {
	return b.book("modules", -1, b.driver.moduleUnload(h))
}

func (b *booked) moduleFunction(module handle, name string) (h handle, r Result) {
	if r = b.fail("moduleFunction"); r == success {
		h, r = b.driver.moduleFunction(module, name)
	}
	return h, r
}

func (b *booked) launch(function handle, blocks, threads int, s handle, param unsafe.Pointer,
	bytes uintptr) (r Result) {
	if r = b.fail("launch"); r == success {
		r = b.driver.launch(function, blocks, threads, s, param, bytes)
	}
	return r
}

// CampaignDriver is a driver that a campaign may fail: one in plain Go, or CUDA's own.
type CampaignDriver struct{ driver driver }

// CampaignDrivers are the driver in plain Go and, where there is a GPU, CUDA's own. OOC_REQUIRE_GPU=1 demands one.
func CampaignDrivers(t *testing.T) map[string]CampaignDriver {
	t.Helper()
	drivers := map[string]CampaignDriver{"fake": {newFake()}}
	_, err := Count()
	if err == nil {
		var real driver
		if real, err = openDriver(); err == nil {
			drivers["cuda"] = CampaignDriver{real}
		}
	}
	if err != nil && (!errors.Is(err, ErrNoDevice) || os.Getenv("OOC_REQUIRE_GPU") == "1") {
		t.Fatal(err)
	}
	return drivers
}

// Open opens a device on the driver. fail is asked before each of its calls, by name, and returns what the call comes
// to, 0 for success; it may be called by several goroutines. leaks names what is alive after Close.
func (d CampaignDriver) Open(memory int64, fail func(call string) Result) (device *Device, leaks func() string,
	err error) {
	b := &booked{driver: d.driver, fail: fail, alive: map[string]int{}}
	device, err = open(b, Options{Memory: memory})
	return device, b.leaks, err
}
