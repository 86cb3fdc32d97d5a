package cuda

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"ooc/kernels/entry"
)

// ptx holds the kernels, compiled by generate.sh for Turing, for Ampere and for Hopper: for each variant an
// image of what every solve needs, and images of what only some do; and one for what knows no variant. What is
// new in a chip's instructions, the driver's assembler finds in the same PTX: on Hopper an add and a minimum
// become one instruction, and two minima another.
//
//go:embed ptx.zip
var ptxZip []byte

// ptx has the files of ptx.zip.
var ptx = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(ptxZip), int64(len(ptxZip)))
})

// architectures are those with images, oldest first, as in 90 for compute capability 9.0.
var architectures = []int{75, 80, 90}

// architectureFor returns the newest architecture that a chip runs.
func architectureFor(capability int) (int, error) {
	best := 0
	for _, least := range architectures {
		if least <= capability {
			best = least
		}
	}
	if best == 0 {
		return 0, fmt.Errorf("compute capability %d.%d: want 7.5 (Turing) or higher", capability/10, capability%10)
	}
	return best, nil
}

// imageFile returns the file of the PTX of an architecture and name. A file that generate.sh did not store for an
// architecture has the same content as that of the next older one; drivers compile PTX of older architectures for newer
// chips.
func imageFile(architecture int, name string) (string, error) {
	files, err := ptx()
	if err != nil {
		return "", err
	}
	for _, stored := range slices.Backward(architectures) {
		if stored > architecture {
			continue
		}
		file := fmt.Sprintf("sm_%d_%s.ptx", stored, name)
		if _, err := fs.Stat(files, file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("no image %s for sm_%d or older", name, architecture)
}

// image returns PTX.
func image(architecture int, name string) ([]byte, error) {
	file, err := imageFile(architecture, name)
	if err != nil {
		return nil, err
	}
	files, err := ptx()
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(files, file)
}

// kernel names a kernel that exists in several variants.
type kernel int

const (
	productBlocks kernel = iota // each block of threads computes baseEdge×baseEdge entries
	diagonal
	panels
	ceilingLoop
	pairProduct
	pairDiagonal
	pairPanels
	levelRows
	laneTranspose
	arcProduct
	laneBlocks
	laneSums
	laneTotals
	rowSums
	laneBelow
	laneBins
	laneNearest
	nearestOfAll
	pulls
	largePulls // for groups of more threads than a block of pulls has
	links
	rankOne
	pairRankOne
	searchClear
	searchSeed
	searchPick
	searchLower
	uploadList // from here on the same for all variants
	clockRate
	differs
	least
	growTake
	growSteps
	tileSums
	bitClear
	bitStart
	bitSeed
	bitHubs
	bitPull1
	bitPull2
	bitPull4
	bitPull8
	bitCount
	bitRows1
	bitRows2
	bitRows4
	bitRows8
	pathStart
	pathSeed
	pathCount
	pathBack
	pathBackEdges
	kernelCount
)

// kernelInfo is the table of kernels. The name of an image, and that of a kernel in PTX, is this one followed by the
// variant's, if there are any. The threads of a block are fixed in the kernel's code.
var kernelInfo = [kernelCount]struct {
	image    string
	name     string
	threads  int
	variants []entry.Variant // that there is a kernel for; nil: one for all
}{
	productBlocks: {"", "product_", 64, entry.Variants},
	diagonal:      {"", "diagonal_", 256, entry.Variants},
	panels:        {"", "panels_", 256, entry.Variants},
	ceilingLoop:   {"", "ceiling_", 256, entry.Variants},
	pairProduct:   {"pairs_", "pairs_product_", 64, entry.Paired},
	pairDiagonal:  {"pairs_", "pairs_diagonal_", 256, entry.Paired},
	pairPanels:    {"pairs_", "pairs_panels_", 256, entry.Paired},
	levelRows:     {"levels_", "level_", 256, entry.Variants},
	laneTranspose: {"levels_", "transpose_", 256, entry.Variants},
	arcProduct:    {"levels_", "arcs_", 128, entry.Variants},
	laneBlocks:    {"levels_", "blocks_", 128, entry.Variants},
	laneSums:      {"levels_", "sums_", 256, entry.Variants},
	laneTotals:    {"levels_", "totals_", sumThreads, entry.Variants},
	rowSums:       {"levels_", "row_sums_", 32 * rowWarps, entry.Variants},
	laneBelow:     {"lanestats_", "below_", 256, entry.Variants},
	laneBins:      {"lanestats_", "bins_", 512, entry.Variants},
	laneNearest:   {"lanestats_", "nearest_", statStrip, entry.Variants},
	nearestOfAll:  {"lanestats_", "nearest_of_all_", statStrip, entry.Variants},
	pulls:         {"vectors_", "pull_", 256, entry.Words},
	largePulls:    {"vectors_", "pull_large_", 1024, entry.Words},
	links:         {"vectors_", "link_", 256, entry.Words},
	rankOne:       {"vectors_", "rank_one_", 256, entry.Variants},
	pairRankOne:   {"vectors_", "pairs_rank_one_", 256, entry.Paired},
	searchClear:   {"search_", "search_clear_", 256, searched},
	searchSeed:    {"search_", "search_seed_", 256, searched},
	searchPick:    {"search_", "search_pick_", 256, searched},
	searchLower:   {"search_", "search_lower_", 32 * searchWarps, searched},
	uploadList:    {"service", "upload_list", 256, nil},
	clockRate:     {"service", "clock_rate", 1, nil},
	differs:       {"service", "differ_bytes", 256, nil},
	least:         {"service", "least_of", 1024, nil},
	growTake:      {"service", "grow_take", 1024, nil},
	growSteps:     {"service", "grow_steps", 1024, nil},
	tileSums:      {"service", "sum_tiles", 256, nil},
	bitClear:      {"bits", "bits_clear", 256, nil},
	bitStart:      {"bits", "bits_start", 32 * bitWarps, nil},
	bitSeed:       {"bits", "bits_seed", 256, nil},
	bitHubs:       {"bits", "bits_hubs", 32 * bitWarps, nil},
	bitPull1:      {"bits", "bits_pull_1", 32 * bitWarps, nil},
	bitPull2:      {"bits", "bits_pull_2", 32 * bitWarps, nil},
	bitPull4:      {"bits", "bits_pull_4", 32 * bitWarps, nil},
	bitPull8:      {"bits", "bits_pull_8", 32 * bitWarps, nil},
	bitCount:      {"bits", "bits_count", 32 * bitWarps, nil},
	bitRows1:      {"bits", "bits_rows_1", 32 * bitWarps, nil},
	bitRows2:      {"bits", "bits_rows_2", 32 * bitWarps, nil},
	bitRows4:      {"bits", "bits_rows_4", 32 * bitWarps, nil},
	bitRows8:      {"bits", "bits_rows_8", 32 * bitWarps, nil},
	pathStart:     {"paths", "paths_start", 256, nil},
	pathSeed:      {"paths", "paths_seed", 256, nil},
	pathCount:     {"paths", "paths_count", 32 * pathWarps, nil},
	pathBack:      {"paths", "paths_back", 32 * pathWarps, nil},
	pathBackEdges: {"paths", "paths_back_edges", 32 * pathWarps, nil},
}

// forAll stands in for the variant of kernels that are the same for all, and alone is the list of it.
const forAll = entry.I32

var alone = []entry.Variant{forAll}

// variants returns the variants that there is a kernel for.
func (k kernel) variants() []entry.Variant {
	if kernelInfo[k].variants == nil {
		return alone
	}
	return kernelInfo[k].variants
}

// of returns the names of the image and of the kernel for a variant.
func (k kernel) of(v entry.Variant) (image, name string) {
	info := &kernelInfo[k]
	if info.variants == nil {
		return info.image, info.name
	}
	return info.image + nameOf(v), info.name + nameOf(v)
}

// nameOf returns the name of a variant in those of images and kernels.
func nameOf(v entry.Variant) string { return strings.ReplaceAll(v.String(), "-", "_") }

// checkKernels returns an error if a kernel has no name, no threads, or no image for a chip of the architecture.
func checkKernels(architecture int) error {
	for k, info := range kernelInfo {
		if info.name == "" || info.threads == 0 {
			return fmt.Errorf("kernel %d (%q) has no name or no threads", k, info.name)
		}
		for _, v := range kernel(k).variants() {
			image, name := kernel(k).of(v)
			if _, err := imageFile(architecture, image); err != nil {
				return fmt.Errorf("kernel %s: %w", name, err)
			}
		}
	}
	return nil
}

// table holds the loaded kernels.
type table struct {
	architecture int

	mu      sync.Mutex
	modules []handle                                // guarded by mu
	of      [entry.VariantCount][kernelCount]handle // 0 until one of its image is used; guarded by mu
}

// load compiles an image for the GPU, or takes it from the driver's cache.
func (d *Device) load(name string) (module handle, err error) {
	text, err := image(d.kernels.architecture, name)
	if err != nil {
		return 0, err
	}
	var log string
	err = d.call("cuModuleLoadDataEx", func() (r Result) {
		module, log, r = d.driver.moduleLoad(append(text, 0))
		return r
	})
	if err != nil && log != "" {
		err = fmt.Errorf("%w: %s", err, log)
	}
	if err != nil {
		return 0, fmt.Errorf("compile the kernels of %s: %w", name, err)
	}
	d.kernels.modules = append(d.kernels.modules, module)
	return module, nil
}

// kernel returns a kernel. Those of an image are loaded when the first of them is used.
func (d *Device) kernel(v entry.Variant, k kernel) (handle, error) {
	if !slices.Contains(k.variants(), v) {
		return 0, fmt.Errorf("no kernel %s for variant %d", kernelInfo[k].name, v)
	}
	d.kernels.mu.Lock()
	defer d.kernels.mu.Unlock()
	of := &d.kernels.of[v]
	if of[k] != 0 {
		return of[k], nil
	}
	image, _ := k.of(v)
	module, err := d.load(image)
	if err != nil {
		return 0, err
	}
	for other, info := range kernelInfo {
		if info.image != kernelInfo[k].image || !slices.Contains(kernel(other).variants(), v) {
			continue
		}
		_, name := kernel(other).of(v)
		of[other], err = got(d, "cuModuleGetFunction "+name, func() (handle, Result) {
			return d.driver.moduleFunction(module, name)
		})
		if err != nil {
			of[k] = 0 // try again
			return 0, err
		}
	}
	return of[k], nil
}

// unload releases all kernels.
func (d *Device) unload() error {
	d.kernels.mu.Lock()
	defer d.kernels.mu.Unlock()
	var err error
	for _, m := range d.kernels.modules {
		if e := d.call("cuModuleUnload", func() Result { return d.driver.moduleUnload(m) }); err == nil {
			err = e
		}
	}
	d.kernels.modules = nil
	return err
}
