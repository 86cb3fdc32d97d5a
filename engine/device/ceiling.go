package device

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// Ceiling returns the highest rate that the device could reach, in relaxations/s, or 0 if it cannot tell. Each process
// measures it once, and other load lowers that. So after KeepCeilings it is the highest that was ever measured on this
// hardware, and runs can be compared. For n vertices, if these are few, what earlier processes have measured is enough;
// 0: any number.
func Ceiling(d kernels.Device, v entry.Variant, n int) float64 {
	if n > 0 && n <= fewVertices {
		if rate := kept.highest(nameOf(d, v), 0); rate > 0 {
			return rate
		}
	}
	c, ok := kernels.As[kernels.TileOps](d)
	if !ok {
		return 0
	}
	return kept.highest(nameOf(d, v), c.Ceiling(v))
}

// fewVertices are as many as are solved in no more time than it would take to measure the device's ceiling.
const fewVertices = 8192

// nameOf is what the ceiling of a variant is kept under.
func nameOf(d kernels.Device, v entry.Variant) string {
	info := d.Info()
	return fmt.Sprintf("%s; %s; %s", info.Model, info.Hardware, v)
}

// KeepCeilings has Ceiling keep what it measures in a file, for later processes. A file that is not there, damaged or
// not ours counts as empty and is made anew; one that cannot be read or written is done without.
func KeepCeilings(file string) {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	kept.file, kept.rates = file, nil
}

var kept ceilings

// ceilings are the highest rates so far, by device, hardware and variant.
type ceilings struct {
	mu    sync.Mutex
	file  string             // guarded by mu, as all below; "": nothing is kept
	rates map[string]float64 // nil: not read yet
}

// keptAgain is how much higher than what is kept a rate is that is worth keeping.
const keptAgain = 1.005

// highest returns the highest rate of a device, of which one was measured now, or none, 0.
func (c *ceilings) highest(device string, measured float64) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == "" {
		return measured
	}
	if c.rates == nil {
		c.rates = readCeilings(c.file)
	}
	before := c.rates[device]
	if measured > before*keptAgain {
		c.rates[device] = measured
		now := readCeilings(c.file) // another process may have added to it
		maps.Copy(now, c.rates)
		writeCeilings(c.file, now)
	}
	return max(before, measured)
}

// mostCeilings is more than the bytes of any file of ceilings.
const mostCeilings = 1 << 20

// headOf is the first line of a file of ceilings: what it is, and the checksum of the rates that follow.
func headOf(body []byte) string { return fmt.Sprintf("ooc ceilings 1 %08x", crc32.ChecksumIEEE(body)) }

// readCeilings returns what a file of ours holds, nothing if it is none.
func readCeilings(file string) map[string]float64 {
	none := map[string]float64{}
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > mostCeilings {
		return none
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return none
	}
	head, body, _ := bytes.Cut(data, []byte("\n"))
	var rates map[string]float64
	if string(head) != headOf(body) || json.Unmarshal(body, &rates) != nil || rates == nil {
		return none
	}
	maps.DeleteFunc(rates, func(_ string, rate float64) bool { return rate <= 0 })
	return rates
}

// writeCeilings makes the file anew; where it cannot, the next process measures again. One that is half written has the
// wrong checksum, and counts as none.
func writeCeilings(file string, rates map[string]float64) {
	body, err := json.Marshal(rates)
	if err != nil || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	// A link leads to somebody else's file, a pipe blocks.
	if info, err := os.Lstat(file); err != nil || info.Mode().IsRegular() {
		_ = os.WriteFile(file, fmt.Appendf(nil, "%s\n%s", headOf(body), body), 0o600)
	}
}
